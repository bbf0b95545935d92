// SPDX-License-Identifier: BSD-2-Clause
/* What is printed of methods that are not traced, of calls that are missing, and of stacks and waits that are. */
#include "tests/unit/run/printed.h"

CASE(skips_are_grouped_by_reason, setup, teardown)
{
	char name[16];
	const char *all;

	hook("run", "()V", 0);
	for (int i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		fake_skip(&b->segment, "com/acme/Big", name, "(I)V", FRT_SKIP_HUGE_METHOD);
	}
	fake_skip(&b->segment, "com/acme/H", NULL, NULL, FRT_SKIP_HIDDEN);
	fake_skip(&b->segment, "com/acme/A", "quiet", "()V", FRT_SKIP_ABSTRACT);
	fake_skip(&b->segment, "com/acme/O", "other", "()V", FRT_SKIP_OTHER);
	fake_skip(&b->segment, "com/acme/X", "x", "()V", 999);
	all = start();
	assert_true(b->incomplete);
	assert_contains(all, "not traced: 7 long: with hooks it would pass the 8000 bytes that HotSpot compiles: "
			     "com.acme.Big.m0(int), "
			     "com.acme.Big.m1(int), com.acme.Big.m2(int), com.acme.Big.m3(int), ...\n");
	assert_contains(all, "not traced: com.acme.H: hidden classes\n");
	assert_lacks(all, "quiet");
	assert_lacks(all, "other");
}

CASE(classes_without_room_in_metaspace_are_said_with_numbers, setup, teardown)
{
	const char *all;

	fake_skip(&b->segment, "com/acme/A", NULL, NULL, FRT_SKIP_METASPACE);
	fake_skip(&b->segment, "com/acme/B", NULL, NULL, FRT_SKIP_METASPACE);
	all = start();
	assert_true(b->incomplete);
	assert_contains(all,
			"not traced: 2 without room for new code in the JVM's metaspace: it has 22.0 MB of 24.0 MB "
			"(-XX:MaxMetaspaceSize), ");
	assert_contains(all, "raise the limit, or name fewer classes: com.acme.A, com.acme.B\n");
}

/* Classes that are loaded while the recording runs, or by a program that frtrace starts. */
CASE(skips_of_later_classes_are_said_at_the_end, setup, teardown)
{
	struct notes notes = {.count = 0};
	const char *all;
	uint32_t first;

	fake_skip(&b->segment, "com/acme/H", NULL, NULL, FRT_SKIP_HIDDEN);
	first = segment_skips(&b->segment);
	assert_false(notes_of_skips(&notes, &b->segment, &full, first));
	assert_int_equal(notes.count, 0);
	fake_skip(&b->segment, "com/acme/N", "n", "()V", FRT_SKIP_NATIVE);
	fake_skip(&b->segment, "jdk/jfr/Event", NULL, NULL, FRT_SKIP_JFR);
	assert_true(notes_of_skips(&notes, &b->segment, &full, first));
	capture_begin(false);
	printout_notes(&notes);
	all = capture_end();
	assert_contains(all,
			"not traced: com.acme.N.n(): native: traced where a filter names the class, without '*'\n");
	assert_contains(all, "not traced: jdk.jfr.Event: JFR's own classes, or event classes, which JFR rewrites\n");
	assert_lacks(all, "com.acme.H");
	notes_release(&notes);
	assert_contains(end(), "0 calls: what matched is not traced: hidden classes\n");
}

CASE(native_methods_beside_others_are_no_failure, setup, teardown)
{
	fake_skip(&b->segment, "com/acme/N", "n", "()V", FRT_SKIP_NATIVE);
	start();
	assert_true(b->incomplete); /* nothing else was hooked */
	hook("run", "()V", 0);
	assert_contains(start(), "com.acme.N.n(): native");
	assert_false(b->incomplete);
}

CASE(lower_bounds_are_named, setup, teardown)
{
	hook("max", "(II)I", FRT_METHOD_LOWER_BOUND);
	assert_contains(start(), "lower bound: com.acme.Cart.max(int, int): intrinsics");
}

CASE(missing_calls_are_explained, setup, teardown)
{
	uint64_t *rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);
	uint32_t id;

	assert_contains(end(), "0 calls: no class that was loaded matched\n");
	id = hook("run", "()V", 0);
	rules[id] = FRT_RULE_UNTRACED; /* of an earlier recording */
	assert_contains(end(), "0 calls: no class that was loaded matched\n");
	rules[id] = 0;
	assert_contains(end(), "0 calls: matched, never called in ");
	b->settings.threshold_ns = 100000000;
	calls(1204, 0)->longest = 31000000;
	assert_contains(end(), "1,204 calls, all below 100 ms (max 31.0 ms)\n");
	b->settings.threshold_ns = 0;
	assert_contains(end(), "1,204 calls, all below their thresholds (max 31.0 ms)\n");
	b->settings.thrown = true;
	assert_contains(end(), "1,204 calls, none of them ended by an exception\n");
}

CASE(missing_open_calls_and_intrinsics_are_explained, setup, teardown)
{
	uint64_t *rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);

	rules[hook("max", "(II)I", FRT_METHOD_LOWER_BOUND)] = 0;
	assert_contains(end(), "never called in 10.0 s but perhaps by compiled code");
	rules[hook("run", "()V", 0)] = 0;
	assert_contains(end(), "0 calls: matched, never called in 10.0 s\n");
	calls(0, 0)->entered = 2;
	assert_contains(end(), "0 calls have ended in 10.0 s, 2 are open\n");
}

static const char *no_events(bool verbose)
{
	log_set(false, verbose);
	capture_begin(false);
	printout_no_events(&b->recording, facts());
	return capture_end();
}

CASE(missing_calls_are_explained_meanwhile_if_verbose, setup, teardown)
{
	uint64_t *rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);

	rules[hook("run", "()V", 0)] = 0;
	assert_string_equal(no_events(false), "");
	assert_string_equal(no_events(true),
			    "  nothing is recorded so far: 0 calls: matched, never called in 10.0 s\n");
	calls(1, 0);
	trace(1);
	assert_string_equal(no_events(true), "");
}

static const char *throttled(const struct throttle_finding *found)
{
	struct notes notes = {.count = 0};
	const char *all;

	notes_of_throttle(&notes, &b->recording, found, 10000000000);
	capture_begin(false);
	printout_notes(&notes);
	all = capture_end();
	notes_release(&notes);
	return all;
}

CASE(throttled_methods_are_named_with_their_cost, setup, teardown)
{
	struct throttle_load load[6] = {{.method = hook("run", "(I)V", 0), .calls = 1234567, .cpus = 0.71}};
	const char *all;

	b->settings.max_overhead = 25;
	all = throttled(&(struct throttle_finding){.load = load, .methods = 1});
	assert_contains(
		all,
		"  throttled: com.acme.Cart.run(int): counted and timed only from 10.0 s after the start on; recording "
		"1,234,567 calls a second took 71 % of a CPU (--max-overhead=25%)\n");
	assert_lacks(all, "hooks");
	all = throttled(&(struct throttle_finding){.load = load, .methods = 1, .all_cpus = 0.94});
	assert_contains(all, " took 71 % of a CPU, all methods together 94 % (--max-overhead=25%)\n");
	for (int i = 1; i < 6; i++)
		load[i] = (struct throttle_load){.method = hook("more", "()V", 0), .calls = 10, .cpus = 0.1};
	all = throttled(&(struct throttle_finding){.load = load, .methods = 6});
	assert_contains(all, "  throttled: 6 counted and timed only from ");
	assert_contains(all, "recording 1,234,617 calls a second took 121 % of a CPU");
	assert_contains(
		all,
		": com.acme.Cart.run(int), com.acme.Cart.more(), com.acme.Cart.more(), com.acme.Cart.more(), ...\n");
}

CASE(hooks_that_cost_too_much_by_themselves_are_told, setup, teardown)
{
	const char *all = throttled(&(struct throttle_finding){.hook_calls = 20000000, .hook_cpus = 0.4});

	assert_string_equal(
		all,
		"  hooks: 20,000,000 calls a second that are not recorded take 40 % of a CPU by their hooks alone; "
		"only fewer methods take less\n");
}

CASE(missing_stacks_are_said_at_the_start, setup, teardown)
{
	const char *all;

	hook("run", "()V", 0);
	b->settings.stacks = SETTINGS_STACKS_WALK;
	assert_lacks(start(), "no stacks");
	diag_set(&b->recording.not_walked, ENOTSUP, "libjvm does not export nmethod._compile_id (stacks)");
	all = start();
	assert_contains(all, "rings 0.0 of 4.0 MB, no stacks");
	assert_contains(all, "  no stacks: libjvm does not export nmethod._compile_id (stacks)\n");
	assert_false(b->incomplete);
}

CASE(stacks_by_jvmti_are_said_at_the_start_with_their_price, setup, teardown)
{
	const char *all;

	hook("run", "()V", 0);
	diag_set(&b->recording.not_walked, ENOTSUP, "libjvm does not export nmethod._compile_id (stacks)");
	all = start();
	assert_contains(all, "rings 0.0 of 4.0 MB, stacks by JVMTI, about 0.7 us a context switch\n");
	assert_contains(all, "  stacks: JVMTI GetStackTrace, " COST_JVMTI
			     ", frames without their type, waits without a Java stack: "
			     "libjvm does not export nmethod._compile_id (stacks)\n");
	assert_lacks(all, "no stacks");
	assert_false(b->incomplete);
	b->settings.kernel = SETTINGS_KERNEL_OFF;
	assert_lacks(start(), "waits without");
	b->settings.no_stack = true;
	b->recording.not_walked.text[0] = 0;
	assert_lacks(start(), "stacks");
}

CASE(missing_system_calls_are_said_at_the_start, setup, teardown)
{
	hook("run", "()V", 0);
	assert_lacks(start(), "system call");
	b->settings.kernel = SETTINGS_KERNEL_FULL;
	assert_contains(start(), ", about 0.7 us a context switch, 0.5 us a system call or page fault\n");
	b->facts.session.no_usage = "this kernel has no tracepoint sys_enter";
	assert_contains(start(), ", about 0.7 us a context switch\n");
	assert_contains(start(), "  no system calls and page faults: this kernel has no tracepoint sys_enter\n");
	assert_false(b->incomplete);
}

CASE(end_says_nothing_of_stacks_when_all_is_well, setup, teardown)
{
	assert_false(facts()->lost.stacks);
	assert_lacks(end(), "stack");
}

CASE(end_tells_what_is_wrong_with_stacks, setup, teardown)
{
	struct frt_header *h = segment_header(&b->segment);
	struct frt_frame unknown = {.kind = FRT_FRAME_COMPILED};
	const char *all;

	h->stacks_off = 1234;
	h->stacks_unasked = 7;
	h->stacks_refused = 1;
	fake_stack(&b->segment, &unknown, 1, FRT_WALK_CHUNK, 0);
	fake_stack(&b->segment, &unknown, 1, FRT_WALK_CHUNK, 0);
	fake_stack(&b->segment, &unknown, 0, FRT_WALK_UNASKED, 0); /* its calls are counted */
	recorder_read_stacks(b->recording.recorder, true);
	assert_false(facts()->lost.stacks);
	all = end();
	assert_contains(all, "  1,234 calls have no stack: where the stack of their thread lies is not known\n");
	assert_contains(
		all,
		"  7 calls have unknown stacks: code of the JDK on a carrier of virtual threads, where asking JVMTI can hang\n");
	assert_contains(
		all, "  1 call has an unknown stack: JVMTI did not tell it: the JVM begins or ends, or hides frames\n");
	assert_contains(all, "  2 frames are unknown: of a kind that is not known\n");
	assert_contains(all, "  2 stacks are cut: the rest of a virtual thread's frames is in the heap\n");
	assert_lacks(all, "1 stack is cut");
}

CASE(calls_before_the_hooks_are_said_to_be_missing, setup, teardown)
{
	assert_lacks(end(), "first calls may be missing");
	b->facts.session.ran_early = true;
	assert_contains(end(), "first calls may be missing: the JVM had stopped waiting");
}
