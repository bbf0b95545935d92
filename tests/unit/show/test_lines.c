// SPDX-License-Identifier: BSD-2-Clause
/* Calls as lines: their order, what is skipped, what is not known. A tick is a nanosecond. */
#include "user/show/lines.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/json.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <unistd.h>

#define MUCH (4u << 20)

static struct bench {
	struct segment segment;
	struct clock clock;
	struct stdout_queue *queue;
	struct lines *lines;
	struct settings settings;
	struct recording recording;
	int reader, writer;
	char text[MUCH];
} *b;

static const struct frames_caller no_caller;
static const struct span_split unknown = {JFR_MISSING, JFR_MISSING, JFR_MISSING, JFR_MISSING};

static void begin(bool json)
{
	struct diag d;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	b->reader = fds[0];
	b->writer = fds[1];
	fcntl(b->reader, F_SETFL, O_NONBLOCK);
	stdout_queue_open(&b->queue, b->writer, false, &d);
	b->settings.json = json;
	b->recording = (struct recording){
		.settings = &b->settings, .segment = &b->segment, .clock = &b->clock, .target.monotonic_offset = 5};
	assert_int_equal(lines_new(&b->lines, &b->recording, b->queue, &d), 0);
}

static int setup(void **state)
{
	uint32_t class_id;

	b = calloc(1, sizeof(*b));
	if (!b)
		return -1;
	b->segment = fake_segment_new();
	b->clock = fake_clock();
	class_id = fake_class(&b->segment, "a/C", 0, 0);
	fake_method(&b->segment, class_id, "run", "()V", 0);
	fake_thread(&b->segment, 7, "worker", "main")->java_id = 21;
	return 0;
}

static int teardown(void **state)
{
	lines_free(b->lines);
	stdout_queue_close(b->queue);
	close(b->reader);
	close(b->writer);
	fake_segment_free(&b->segment);
	free(b);
	return 0;
}

/* A tick is a nanosecond. */
static void add(const struct frt_span *s, const struct stream_vthread *v, struct frames_caller caller,
		struct span_split split)
{
	struct recorded_call c = {.span = s,
				  .vthread = v,
				  .start = (int64_t)s->start,
				  .duration = (int64_t)s->duration,
				  .caller = caller,
				  .split = split};

	lines_add(b->lines, &c);
}

static void call(uint64_t start, uint64_t duration, uint16_t flags)
{
	struct frt_span s = fake_span(start, 1, 7, flags);

	s.duration = duration;
	add(&s, NULL, no_caller, unknown);
}

static const char *printed(void)
{
	size_t size = 0;
	ssize_t n;

	do {
		stdout_queue_flush(b->queue);
		n = read(b->reader, b->text + size, MUCH - 1 - size);
		size += n > 0 ? n : 0;
	} while (n > 0);
	b->text[size] = 0;
	return b->text;
}

CASE(calls_come_in_the_order_of_their_ends, setup, teardown)
{
	const char *p;

	begin(true);
	call(1000, 900, 0); /* ends at 1900 */
	call(1100, 100, 0);
	call(500, 200, 0);
	lines_print(b->lines, 1900 + LINES_LATE_NS);
	p = printed();
	assert_string_equal(json_text(p, "durationNs"), "200");
	assert_string_equal(json_text(p, "startNs"), "505");
	p = strchr(p, '\n') + 1;
	assert_string_equal(json_text(p, "durationNs"), "100");
	p = strchr(p, '\n') + 1;
	assert_string_equal(json_text(p, "durationNs"), "900");
	assert_string_equal(strchr(p, '\n'), "\n");
}

/* Another thread's, not seen yet, may have ended before. */
CASE(calls_that_ended_late_wait, setup, teardown)
{
	begin(true);
	call(1000, 900, 0);
	call(1000, 100, 0);
	lines_print(b->lines, 1899 + LINES_LATE_NS);
	assert_string_equal(json_text(printed(), "durationNs"), "100");
	lines_print(b->lines, 1899 + LINES_LATE_NS);
	assert_string_equal(printed(), "");
	call(1000, 899, 0);
	lines_print(b->lines, INT64_MAX);
	assert_string_equal(json_text(printed(), "durationNs"), "899");
	assert_string_equal(json_text(strchr(b->text, '\n') + 1, "durationNs"), "900");
}

/* The thread of the shorter call was switched away before it could write its record. */
CASE(call_whose_record_is_late_is_in_its_place, setup, teardown)
{
	int64_t now = 2000;

	begin(true);
	call(1000, 900, 0);
	lines_print(b->lines, now);
	call(1000, 100, 0);
	lines_print(b->lines, now + LINES_LATE_NS);
	assert_string_equal(json_text(printed(), "durationNs"), "100");
	assert_string_equal(json_text(strchr(b->text, '\n') + 1, "durationNs"), "900");
}

static void assert_field(const char *path, const char *want)
{
	assert_string_equal(json_text(b->text, path), want);
}

CASE(line_tells_thread_method_and_how_it_ended, setup, teardown)
{
	begin(true);
	call(1000, 100, FRT_SPAN_THROWN);
	lines_print(b->lines, INT64_MAX);
	printed();
	assert_field("thread", "worker");
	assert_field("javaThreadId", "21");
	assert_field("virtual", "false");
	assert_field("class", "a.C");
	assert_field("method", "run");
	assert_field("descriptor", "()V");
	assert_field("loader", "boot");
	assert_field("thrown", "true");
	assert_field("caller", "null");
}

CASE(line_tells_where_the_time_went_if_known, setup, teardown)
{
	struct frt_span s = fake_span(1000, 1, 7, 0);

	begin(true);
	add(&s, NULL, no_caller, (struct span_split){30, 0, 70, 0});
	lines_print(b->lines, INT64_MAX);
	printed();
	assert_field("cpuNs", "30");
	assert_field("runQueueNs", "0");
	assert_field("blockedNs", "70");
	add(&s, NULL, no_caller, unknown);
	lines_print(b->lines, INT64_MAX);
	printed();
	assert_field("cpuNs", "null");
	assert_field("blockedNs", "null");
}

CASE(line_of_text_ends_with_where_the_time_went, setup, teardown)
{
	struct frt_span s = fake_span(1000, 1, 7, 0);

	begin(false);
	add(&s, NULL, no_caller, (struct span_split){30, 0, 70000, 0});
	lines_print(b->lines, INT64_MAX);
	assert_contains(printed(), "  a.C.run()  cpu 30 ns, runq 0 ns, blocked 70.0 us\n");
}

CASE(virtual_thread_is_its_own, setup, teardown)
{
	struct frt_span s = fake_span(1000, 1, 7, FRT_SPAN_VIRTUAL);
	struct stream_vthread v = {.java_id = 42, .name = "request"};

	begin(true);
	add(&s, &v, no_caller, unknown);
	lines_print(b->lines, INT64_MAX);
	printed();
	assert_field("thread", "request");
	assert_field("javaThreadId", "42");
	assert_field("virtual", "true");
}

CASE(caller_is_named_with_its_line, setup, teardown)
{
	static const struct resolved_method m = {.class_name = "com/acme/Shop", .name = "handle", .descriptor = "(I)V"};
	struct frt_span s = fake_span(1000, 1, 7, 0);

	begin(false);
	add(&s, NULL, (struct frames_caller){.resolved = &m, .line = 33}, unknown);
	s.start++;
	add(&s, NULL, (struct frames_caller){.named = 1, .line = -1}, unknown);
	lines_print(b->lines, INT64_MAX);
	printed();
	assert_contains(b->text, "  worker  a.C.run()  from com.acme.Shop.handle(int) line: 33\n");
	assert_contains(b->text, "  worker  a.C.run()  from a.C.run()\n");
}

CASE(unknown_thread_and_method_are_unknown, setup, teardown)
{
	struct frt_span s = fake_span(1000, 99, 98, 0);

	begin(false);
	add(&s, NULL, no_caller, unknown);
	lines_print(b->lines, INT64_MAX);
	assert_contains(printed(), "  ?  unknown\n");
}

/* Lines, and those that are said to be skipped, are all that came. */
CASE(skipped_calls_are_counted_in_their_place, setup, teardown)
{
	uint64_t lines = 0, skipped = 0, added = 0;

	begin(true);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 20000; i++)
			call(1000 + added++, 10, 0);
		lines_print(b->lines, INT64_MAX);
	}
	for (const char *p = printed(); *p; p = strchr(p, '\n') + 1) {
		if (json_at(p, "skipped"))
			skipped += strtoull(json_text(p, "skipped"), NULL, 10);
		else
			lines++;
	}
	assert_true(lines > 1000 && skipped > 1000);
	lines_print(b->lines, INT64_MAX); /* there is room again */
	if (*printed())
		skipped += strtoull(json_text(b->text, "skipped"), NULL, 10);
	assert_int_equal(lines + skipped, added);
	assert_int_equal(lines_skipped(b->lines), skipped);
}
