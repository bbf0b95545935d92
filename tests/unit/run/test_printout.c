// SPDX-License-Identifier: BSD-2-Clause
/* What is printed at the start of a recording, meanwhile, and at its end. */
#include "tests/unit/run/printed.h"

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
	b->facts.session.cost.pause_known = false;
	assert_contains(start(), "pause at most 1.2 ms");
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
	assert_string_equal(active(list, false),
			    "active now, not recorded and interpreted until they return "
			    "(--skip-active leaves their classes alone): C.m0, C.m1 (12 stacks), C.m2\n");
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

CASE(end_sums_up, setup, teardown)
{
	const char *all;

	hook("run", "()V", 0);
	calls(1204, 0)->entered = 1207;
	trace(1204);
	recorder_finish(b->recording.recorder, false, &d);
	all = end();
	assert_int_equal(strncmp(all, "1,204 calls, 0 thrown, 0 lost, 3 still open, ", 45), 0);
	assert_contains(all, ". The JVM runs its original code again\n");
	assert_contains(all, "next: frtrace view method-trace /tmp/frtrace-report-");
	assert_contains(end_as(false, true), "The JVM has ended\n");
	assert_contains(end_as(false, false), "restores its original code by itself within seconds\n");
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
	all = end();
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
	all = end();
	assert_contains(all, "51,331 lost");
	assert_contains(all, "  1,000 lost because the ring memory ran out (4.0 MB)\n");
	assert_contains(all, "  50,000 lost on threads beyond 8192\n");
	assert_contains(all, "  20 ended without their exit hook");
	assert_contains(all, "  300 lost in their rings: overwritten before frtrace read them\n");
	assert_contains(all, "  11 lost: malformed records in rings or queue\n");
	assert_contains(all, "6 nested");
}

/* A recorder that splits the times of calls. */
static struct breakdown_sums *split_times(void)
{
	struct recorder_setup s = {.settings = &b->settings,
				   .target = &b->recording.target,
				   .segment = &b->segment,
				   .clock = &b->clock,
				   .output = b->recording.output,
				   .kernel = JFR_KERNEL_WAITS};

	recorder_free(b->recording.recorder);
	assert_int_equal(recorder_new(&b->recording.recorder, &s, &d), 0);
	return breakdown_running_sums(recorder_breakdown(b->recording.recorder));
}

CASE(method_with_too_many_calls_is_named_where_calls_are_lost_or_wait, setup, teardown)
{
	const struct wait_join_split none = {.blocked = 0};
	const char *const line =
		"  12.5 million calls a second, of 9 ns each, were recorded of com.acme.Cart.total(int): -M counts and";
	struct breakdown_sums *sums = split_times();
	uint32_t rare = hook("rare", "()V", 0), total = hook("total", "(I)I", 0);

	b->recording.begin_ns = b->facts.now_ns - 1000000;
	for (int i = 0; i < 12500; i++)
		breakdown_sums_add(sums, total, 9, &none);
	breakdown_sums_add(sums, rare, 5000, &none);
	assert_lacks(end(), "million");
	b->streams.lost = 1;
	assert_contains(end(), line);
	b->streams.lost = 0;
	segment_header(&b->segment)->held_up = 1204;
	segment_header(&b->segment)->held_up_ticks = 38000000;
	assert_lacks(end(), "million"); /* of another recording */
	b->settings.lossless_ns = 10000000;
	assert_contains(end(), "  1,204 times a call waited for frtrace, 38.0 ms in all\n");
	assert_contains(end(), line);
	b->recording.begin_ns -= 1000000000; /* 12,500 a second */
	assert_lacks(end(), "million");
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
	assert_contains(end(), "100 calls in roots, but no root was kept");
	trace(1);
	all = end();
	assert_contains(all, "4 lost");
	assert_contains(all, "  844 roots kept of 6,006, 12 more as a sample, 3 open\n");
	assert_contains(all, "  4 lost with the end of their root");
	assert_contains(all, "next: frtrace view tree /tmp/frtrace-report-");
	b->settings.by_entries = true;
	assert_contains(end(), "next: frtrace view slowest /tmp/frtrace-report-");
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

CASE(lost_waits_are_told, setup, teardown)
{
	b->facts.waits_lost = 1234;
	assert_false(facts()->lost.stacks);
	assert_contains(end(), "  1,234 waits are lost: frtrace was behind; calls that were open then");
	b->settings.kernel = SETTINGS_KERNEL_FULL;
	assert_false(facts()->lost.stacks);
	assert_contains(end(), "  1,234 waits and counts are lost: frtrace was behind; calls that were open then");
}

CASE(records_that_were_not_read_are_a_loss, setup, teardown)
{
	b->unread = 12;
	assert_int_equal(facts()->lost.sum, 12);
	assert_contains(end(),
			"  12 lost in the queue: a record was never complete, or a CPU went offline (--buffer=perf)\n");
}

CASE(what_the_probes_do_not_tell_is_told, setup, teardown)
{
	b->settings.source = SETTINGS_SOURCE_HOTSPOT;
	b->facts.session.missed = 3;
	b->facts.session.unseen = 1;
	assert_contains(end(), "  3 calls at most were missed: a class that was loaded meanwhile");
	assert_contains(end(), "  1 duration is uncertain: no probe told the end");
	assert_contains(end(), "The JVM has no probes any more");
}

CASE(losses_of_probes_have_reasons_of_their_own, setup, teardown)
{
	struct frt_slot *slot = fake_slot(&b->segment, 10, 0);

	b->settings.source = SETTINGS_SOURCE_HOTSPOT;
	slot->unrecorded = 7;
	segment_recording(&b->segment)->unslotted = 5;
	assert_contains(end(), "  7 lost because the queue was full");
	assert_contains(end(), "  5 lost that began while 128 calls of their thread were open");
}

CASE(lost_stacks_are_a_loss, setup, teardown)
{
	segment_header(&b->segment)->stacks_lost = 1;
	assert_true(facts()->lost.stacks);
	assert_contains(end(), "  1 call lost its stack: frtrace was behind\n");
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
	assert_contains(end(), b->path);
	unlink(b->path);
	snprintf(
		text, sizeof(text),
		"0 still open, but '%s' is gone: it was removed, renamed or replaced. The JVM runs its original code again\n",
		b->path);
	assert_contains(end(), text);
	assert_contains(status(), " is gone: ");
}
