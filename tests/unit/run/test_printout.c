// SPDX-License-Identifier: BSD-2-Clause
/* What is printed to stderr about a segment and facts that are made by hand. */
#include "user/run/printout.h"
#include "tests/lib/capture.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/capture/cost.h"
#include "user/jvm/metaspace.h"
#include "user/text/log.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NOW_S 1000000LL

static struct bench {
	struct settings settings;
	struct segment segment;
	struct streams streams;
	struct clock clock;
	struct recording recording;
	struct run_facts facts;
	uint64_t malformed; /* of the queue */
	uint64_t unread;
	char path[64];
	uint32_t class_id;
	bool incomplete; /* set by start() */
} *b;

static struct diag d;

WRAP(int, fstatvfs, int fd, struct statvfs *v)
{
	*v = (struct statvfs){.f_frsize = 1, .f_blocks = 1ULL << 40, .f_bavail = 1ULL << 39};
	return 0;
}

WRAP(int, target_describe, const struct target *t, struct target_description *out, struct diag *diag)
{
	*out = (struct target_description){.jvm_name = strdup("OpenJDK")};
	return 0;
}

static const struct metaspace full = {
	.limit = 24 << 20, .now = {.committed = 22 << 20, .class_committed = 2 << 20, .class_reserved = 16 << 20}};

static int setup(void **state)
{
	struct recorder_setup s;

	log_set(false, false);
	b = calloc(1, sizeof(*b));
	if (!b || settings_init(&b->settings, &d) ||
	    filter_list_add(b->settings.filters, "com.acme.Cart", FILTER_TRACE, &d))
		return -1;
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	b->recording = (struct recording){.settings = &b->settings,
					  .target = {.pid = 4242, .name = "shop.jar", .version = "17.0.15"},
					  .segment = &b->segment,
					  .clock = &b->clock,
					  .begin_ns = (NOW_S - 10) * 1000000000LL};
	b->facts = (struct run_facts){.now_ns = NOW_S * 1000000000LL,
				      .cpu_ns = 1000000,
				      .cost = {.attach_ms = 61, .pause_ms = 1.2, .pause_known = true},
				      .metaspace = &full,
				      .no_waits = "",
				      .no_pauses = "",
				      .no_usage = ""};
	b->class_id =
		fake_class(&b->segment, "com/acme/Cart", fake_loader(&b->segment, "a/L", "app"), FRT_CLASS_REWRITTEN);
	snprintf(b->path, sizeof(b->path), "/tmp/frtrace-report-XXXXXX");
	close(mkstemp(b->path));
	if (output_open(&b->recording.output, b->path, &(struct output_limits){.size = 1 << 30}, &d))
		return -1;
	s = (struct recorder_setup){.settings = &b->settings,
				    .target = &b->recording.target,
				    .segment = &b->segment,
				    .clock = &b->clock,
				    .output = b->recording.output,
				    .kernel = JFR_KERNEL_NONE};
	return recorder_new(&b->recording.recorder, &s, &d) ?: recorder_tick(b->recording.recorder, &d);
}

static int teardown(void **state)
{
	recorder_free(b->recording.recorder);
	output_close(b->recording.output);
	unlink(b->path);
	fake_segment_free(&b->segment);
	settings_release(&b->settings);
	free(b);
	return 0;
}

/* What the segment, the streams and the recorder say now, with the rest of b->facts. */
static const struct run_facts *facts(void)
{
	segment_totals(&b->segment, &b->facts.totals);
	losses_of(&b->facts.lost, &(struct loss_sources){.segment = &b->segment,
							 .recorder = b->recording.recorder,
							 .streams = &b->streams,
							 .malformed = b->malformed,
							 .unread = b->unread});
	return &b->facts;
}

static uint32_t hook(const char *name, const char *descriptor, uint16_t flags)
{
	return fake_method(&b->segment, b->class_id, name, descriptor, FRT_METHOD_HOOKED | flags);
}

/* b->incomplete: something is not traced. */
static const char *start(void)
{
	struct notes notes = {.count = 0};
	const char *all;

	b->incomplete = notes_at_start(&notes, &b->recording, facts());
	notes_put(&notes, b->recording.recorder);
	capture_begin(false);
	printout_start(&b->recording, facts(), &notes);
	all = capture_end();
	notes_release(&notes);
	return all;
}

static const char *end(bool restored, bool target_ended)
{
	struct notes gaps = {.count = 0};
	const char *all;

	notes_of_gaps(&gaps, &b->recording, facts());
	capture_begin(false);
	printout_end(&b->recording, facts(), &gaps, restored, target_ended);
	all = capture_end();
	notes_release(&gaps);
	return all;
}

CASE(hooked_methods_and_classes_are_counted, setup, teardown)
{
	uint32_t classes;

	fake_class(&b->segment, "a/Seen", 0, FRT_CLASS_SEEN);
	hook("a", "()V", 0);
	hook("b", "()V", 0);
	fake_method(&b->segment, b->class_id, "c", "()V", 0);
	assert_int_equal(segment_count_hooked(&b->segment, &classes), 2);
	assert_int_equal(classes, 1);
}

CASE(start_names_what_is_traced, setup, teardown)
{
	const char *all;

	fake_method(&b->segment, b->class_id, "unhooked", "()V", 0);
	hook("checkout", "(Lcom/acme/Order;)V", 0);
	hook("checkout", "(Lcom/acme/Order;Z)V", 0);
	all = start();
	assert_false(b->incomplete);
	assert_int_equal(
		strncmp(all,
			"tracing 2 methods of 1 class in 4242 shop.jar (JDK 17.0.15): attach 61 ms, pause 1.2 ms, "
			"rings 0.0 of 4.0 MB, stacks walked, about 0.7 us a context switch\n"
			"  com.acme.Cart.checkout(Order) · checkout(Order, boolean)   loader app\n"
			"to /tmp/frtrace-report-",
			205),
		0);
	assert_contains(all, "at most 1.0 GB, oldest goes first.  Ctrl-C stops and restores the JVM\n");
}

CASE(without_the_kernels_half_a_switch_costs_nothing, setup, teardown)
{
	b->settings.kernel = SETTINGS_KERNEL_OFF;
	assert_contains(start(), "rings 0.0 of 4.0 MB, stacks walked\n");
	b->settings.no_stack = true;
	assert_contains(start(), "rings 0.0 of 4.0 MB\n");
}

CASE(pause_that_is_not_known_is_an_upper_bound, setup, teardown)
{
	b->facts.cost.pause_known = false;
	assert_contains(start(), "pause at most 1.2 ms");
}

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
	assert_contains(end(true, false), "0 calls: what matched is not traced: hidden classes\n");
}

static const char *active(const struct active_list *list, bool skipped)
{
	capture_begin(false);
	printout_active(list, skipped);
	return capture_end();
}

CASE(active_methods_share_a_line, setup, teardown)
{
	struct active_list *list = calloc(1, sizeof(*list));

	assert_string_equal(active(list, false), "");
	for (int i = 0; i < 3; i++)
		snprintf(list->method[i].name, sizeof(list->method[i].name), "C.m%d", i);
	list->method[0].stacks = list->method[2].stacks = 1;
	list->method[1].stacks = 12;
	list->count = 3;
	assert_string_equal(active(list, false), "active now, interpreted until they return (--skip-active leaves "
						 "their classes alone): C.m0, C.m1 (12 stacks), C.m2\n");
	assert_string_equal(active(list, true),
			    "active now, their classes are left alone: C.m0, C.m1 (12 stacks), C.m2\n");
	list->count = ACTIVE_METHODS;
	assert_contains(active(list, false), " more (-v)\n");
	free(list);
}

CASE(age_is_said_in_its_largest_unit, setup, teardown)
{
	static const struct {
		uint64_t s;
		const char *said;
	} rows[] = {{600, "10 min"}, {3600, "1 h"}, {5400, "90 min"}, {172800, "2 d"}, {90, "90.0 s"}};
	char want[80];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		b->settings.max_age_ns = rows[i].s * 1000000000;
		snprintf(want, sizeof(want), "at most 1.0 GB or %s, oldest", rows[i].said);
		assert_contains(start(), want);
	}
}

CASE(status_is_json, setup, teardown)
{
	char text[4096] = "", begin[256];
	FILE *to = fmemopen(text, sizeof(text), "w");

	assert_non_null(to);
	printout_status_json(&b->recording, facts(), to);
	fclose(to);
	snprintf(begin, sizeof(begin),
		 "{\"pid\":4242,\"name\":\"shop.jar\",\"elapsedNs\":10000000000,\"calls\":0,"
		 "\"thrown\":0,\"lost\":0,\"open\":0,\"recorder\":%d,\"file\":\"/tmp/frtrace-report-",
		 (int)getpid());
	assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
	assert_contains(text, "\"fileGone\":false}\n");
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

CASE(long_lists_end, setup, teardown)
{
	const char *all;
	char name[64];

	for (int i = 0; i < 100; i++)
		hook("aMethodOfSomeLength", "(IIII)V", 0);
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "com/acme/C%d", i);
		fake_method(&b->segment, fake_class(&b->segment, name, 77777, FRT_CLASS_REWRITTEN), "m", "()V",
			    FRT_METHOD_HOOKED);
	}
	for (int i = 0; i < 1000; i++)
		fake_skip(&b->segment, "com/acme/H", NULL, NULL, FRT_SKIP_HIDDEN);
	all = start();
	assert_contains(all, " · ...   loader app\n");
	assert_contains(all, "  ... and 11 more classes\n");
	assert_contains(all, "not traced: 1,000 hidden classes: ");
}

static struct frt_slot *calls(uint64_t n, uint64_t thrown)
{
	struct frt_slot *s = fake_slot(&b->segment, 10, 0);

	s->entered = s->exited = n;
	s->thrown = thrown;
	return s;
}

static void trace(unsigned int n)
{
	struct stream_sink sink = recorder_sink(b->recording.recorder);
	struct frt_span s = fake_span(b->recording.begin_ns, 1, 1, 0);

	while (n--)
		sink.spans(sink.context, &s, 1, NULL);
}

CASE(end_sums_up, setup, teardown)
{
	const char *all;

	hook("run", "()V", 0);
	calls(1204, 0)->entered = 1207;
	trace(1204);
	recorder_finish(b->recording.recorder, false, &d);
	all = end(true, false);
	assert_int_equal(strncmp(all, "1,204 calls, 0 thrown, 0 lost, 3 still open, ", 45), 0);
	assert_contains(all, ". The JVM runs its original code again\n");
	assert_contains(all, "next: frtrace view method-trace /tmp/frtrace-report-");
	assert_contains(end(false, true), "The JVM has ended\n");
	assert_contains(end(false, false), "restores its original code by itself within seconds\n");
}

/* The recording goes to `path`, below the directory of this test's. */
static const char *end_of(const char *name)
{
	static const unsigned char chunk[128];
	struct output_limits limits = {.size = 1 << 30};
	struct output *before = b->recording.output;
	const char *all;
	char path[128];

	snprintf(path, sizeof(path), "%s.d/%s", b->path, name);
	assert_int_equal(output_open(&b->recording.output, path, &limits, &d), 0);
	assert_int_equal(output_append(b->recording.output, chunk, sizeof(chunk), &d), 0);
	all = end(true, false);
	output_close(b->recording.output);
	b->recording.output = before;
	return all;
}

CASE(suggested_commands_can_be_pasted, setup, teardown)
{
	char want[256];

	snprintf(want, sizeof(want), "%s.d", b->path);
	mkdir(want, 0700);
	hook("run", "()V", 0);
	trace(1);
	snprintf(want, sizeof(want), "next: frtrace view method-trace '%s.d/my shop.jfr', or frtrace print '", b->path);
	assert_contains(end_of("my shop.jfr"), want);
	snprintf(want, sizeof(want), "next: frtrace view method-trace %s.d/chunks/, or ", b->path);
	assert_contains(end_of("chunks/"), want);
	snprintf(want, sizeof(want), "next: frtrace merge -o FILE.jfr '%s.d/a b/' makes one file of it\n", b->path);
	assert_contains(end_of("a b/"), want);
	calls(0, 0)->entered = 1;
	assert_contains(end_of("it's.jfr"), "it'\\''s.jfr'\n");
	snprintf(want, sizeof(want), "rm -r %s.d", b->path);
	assert_int_equal(system(want), 0);
}

CASE(in_the_background_nobody_types_ctrl_c, setup, teardown)
{
	b->settings.background = true;
	assert_lacks(start(), "Ctrl-C");
	assert_contains(start(), "at most 1.0 GB, oldest goes first\n");
}

CASE(missing_calls_are_explained, setup, teardown)
{
	uint64_t *rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);
	uint32_t id;

	assert_contains(end(true, false), "0 calls: no class that was loaded matched\n");
	id = hook("run", "()V", 0);
	rules[id] = FRT_RULE_UNTRACED; /* of an earlier recording */
	assert_contains(end(true, false), "0 calls: no class that was loaded matched\n");
	rules[id] = 0;
	assert_contains(end(true, false), "0 calls: matched, never called in ");
	b->settings.threshold_ns = 100000000;
	calls(1204, 0)->longest = 31000000;
	assert_contains(end(true, false), "1,204 calls, all below 100 ms (max 31.0 ms)\n");
	b->settings.threshold_ns = 0;
	assert_contains(end(true, false), "1,204 calls, all below their thresholds (max 31.0 ms)\n");
	b->settings.thrown = true;
	assert_contains(end(true, false), "1,204 calls, none of them ended by an exception\n");
}

CASE(missing_open_calls_and_intrinsics_are_explained, setup, teardown)
{
	uint64_t *rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);

	rules[hook("max", "(II)I", FRT_METHOD_LOWER_BOUND)] = 0;
	assert_contains(end(true, false), "never called in 10.0 s but perhaps by compiled code");
	rules[hook("run", "()V", 0)] = 0;
	assert_contains(end(true, false), "0 calls: matched, never called in 10.0 s\n");
	calls(0, 0)->entered = 2;
	assert_contains(end(true, false), "0 calls have ended in 10.0 s, 2 are open\n");
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

CASE(every_loss_is_in_the_sum_and_has_its_reason, setup, teardown)
{
	struct frt_slot *s = calls(100, 0);
	const char *all;

	hook("run", "()V", 0);
	s->entered = 200;
	s->unrecorded = 1000;
	s->lost_exits = 20;
	b->streams.lost = 300;
	b->streams.malformed = 4;
	b->malformed = 7;
	segment_header(&b->segment)->recording[0].unslotted = 50000;
	b->facts.drops[FRT_DROP_NESTED] = 6;
	trace(1);
	assert_int_equal(facts()->lost.sum, 51331);
	log_set(false, true);
	all = end(true, false);
	assert_contains(all, "51,331 lost");
	assert_contains(all, "  1,000 lost because the ring memory ran out (4.0 MB)\n");
	assert_contains(all, "  50,000 lost on threads beyond 8192\n");
	assert_contains(all, "  20 ended without their exit hook");
	assert_contains(all, "  300 lost in their rings: overwritten before frtrace read them\n");
	assert_contains(all, "  11 lost: malformed records in rings or queue\n");
	assert_contains(all, "6 nested");
}

CASE(roots_are_summed_up, setup, teardown)
{
	const char *all;

	hook("run", "()V", 0);
	calls(100, 0);
	assert_int_equal(filter_list_add(b->settings.filters, "com.acme.Cart::pay:50ms", FILTER_ROOT, &d), 0);
	assert_int_equal(filter_list_add(b->settings.filters, "com.acme.Cart::run:thrown", FILTER_ROOT, &d), 0);
	*(struct frt_inside *)(b->segment.base + FRT_INSIDES_AT) =
		(struct frt_inside){.begun = 6013, .kept = 844, .samples = 12, .dropped = 5150, .lost = 4};
	all = start();
	assert_contains(all, "  recorded only inside of com.acme.Cart::pay:50ms, com.acme.Cart::run:thrown\n");
	assert_contains(end(true, false), "100 calls in roots, but no root was kept");
	trace(1);
	all = end(true, false);
	assert_contains(all, "4 lost");
	assert_contains(all, "  844 roots kept of 6,006, 12 more as a sample, 3 open\n");
	assert_contains(all, "  4 lost with the end of their root");
	assert_contains(all, "next: frtrace view tree /tmp/frtrace-report-");
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

CASE(live_line_tells_the_oldest_open_call, setup, teardown)
{
	struct frt_slot *s = calls(1204, 2);

	s->entered++;
	s->depth = 1;
	clock_init(&b->clock);
	s->open[0].start = b->clock.pair[0].tsc;
	capture_begin(true);
	printout_progress(&b->recording, facts());
	assert_contains(capture_end(), "   1,204 calls   2 thrown   0 lost   1 open, oldest ");
	capture_begin(false);
	printout_progress(&b->recording, facts());
	assert_string_equal(capture_end(), "");
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
	b->facts.no_usage = "this kernel has no tracepoint sys_enter";
	assert_contains(start(), ", about 0.7 us a context switch\n");
	assert_contains(start(), "  no system calls and page faults: this kernel has no tracepoint sys_enter\n");
	assert_false(b->incomplete);
}

CASE(end_says_nothing_of_stacks_when_all_is_well, setup, teardown)
{
	assert_false(facts()->lost.stacks);
	assert_lacks(end(true, false), "stack");
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
	all = end(true, false);
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

CASE(lost_waits_are_told, setup, teardown)
{
	b->facts.waits_lost = 1234;
	assert_false(facts()->lost.stacks);
	assert_contains(end(true, false), "  1,234 waits are lost: frtrace was behind; calls that were open then");
	b->settings.kernel = SETTINGS_KERNEL_FULL;
	assert_false(facts()->lost.stacks);
	assert_contains(end(true, false),
			"  1,234 waits and counts are lost: frtrace was behind; calls that were open then");
}

CASE(calls_before_the_hooks_are_said_to_be_missing, setup, teardown)
{
	assert_lacks(end(true, false), "first calls may be missing");
	b->facts.ran_early = true;
	assert_contains(end(true, false), "first calls may be missing: the JVM had stopped waiting");
}

CASE(records_that_were_not_read_are_a_loss, setup, teardown)
{
	b->unread = 12;
	assert_int_equal(facts()->lost.sum, 12);
	assert_contains(end(true, false),
			"  12 lost in the queue: a record was never complete, or a CPU went offline (--buffer=perf)\n");
}

CASE(what_the_probes_do_not_tell_is_told, setup, teardown)
{
	b->settings.source = SETTINGS_SOURCE_HOTSPOT;
	b->facts.missed = 3;
	b->facts.unseen = 1;
	assert_contains(end(true, false), "  3 calls at most were missed: a class that was loaded meanwhile");
	assert_contains(end(true, false), "  1 duration is uncertain: no probe told the end");
	assert_contains(end(true, false), "The JVM has no probes any more");
}

CASE(losses_of_probes_have_reasons_of_their_own, setup, teardown)
{
	struct frt_slot *slot = fake_slot(&b->segment, 10, 0);

	b->settings.source = SETTINGS_SOURCE_HOTSPOT;
	slot->unrecorded = 7;
	segment_recording(&b->segment)->unslotted = 5;
	assert_contains(end(true, false), "  7 lost because the queue was full");
	assert_contains(end(true, false), "  5 lost that began while 128 calls of their thread were open");
}

CASE(lost_stacks_are_a_loss, setup, teardown)
{
	segment_header(&b->segment)->stacks_lost = 1;
	assert_true(facts()->lost.stacks);
	assert_contains(end(true, false), "  1 call lost its stack: frtrace was behind\n");
}

static const char *status(void)
{
	static char text[1024];
	FILE *to = fmemopen(text, sizeof(text), "w");

	assert_non_null(to);
	printout_status(&b->recording, facts(), to);
	fclose(to);
	return text;
}

CASE(file_that_is_gone_is_said_to_be, setup, teardown)
{
	char text[1024];

	assert_int_equal(recorder_finish(b->recording.recorder, false, &d), 0);
	assert_contains(end(true, false), b->path);
	unlink(b->path);
	snprintf(
		text, sizeof(text),
		"0 still open, but '%s' is gone: it was removed, renamed or replaced. The JVM runs its original code again\n",
		b->path);
	assert_contains(end(true, false), text);
	assert_contains(status(), " is gone: ");
}
