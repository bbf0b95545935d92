// SPDX-License-Identifier: BSD-2-Clause
/* A Perfetto trace, read by the numbers of its schema: calls and what their threads waited for. */
#include "format/proto.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/export/export.h"

#define US    1000ll
#define NAMES 64

enum { CATEGORY = 1, NAME = 2, ARGUMENT = 3, KINDS };

static char *interned[KINDS][NAMES], *tracks[NAMES];
static struct bytes events; /* a line for each slice: its beginning or its end */
static int64_t now;

static struct cursor cursor_of(struct slice s)
{
	return cursor_at(s.at, 0, s.length);
}

static char *text_of(struct slice s)
{
	return strndup(s.length ? s.at : "", s.length); /* a field that is not there is a null pointer */
}

/* The integer, or the bytes, of a field that a message has once. */
static struct proto_field field_of(struct slice message, uint32_t number)
{
	struct cursor c = cursor_of(message);
	struct proto_field f, found = {0};

	while (proto_next(&c, &f))
		if (f.number == number)
			found = f;
	assert_true(cursor_ok(&c));
	return found;
}

static void take_interned(struct slice message)
{
	struct cursor c = cursor_of(message);
	struct proto_field f;

	while (proto_next(&c, &f)) {
		uint64_t id = field_of(f.data, 1).integer;

		assert_true(f.number < KINDS && id < NAMES);
		interned[f.number][id] = text_of(field_of(f.data, 2).data);
	}
}

static void take_track(struct slice message)
{
	uint64_t id = field_of(message, 1).integer;
	struct proto_field thread = field_of(message, 4), name = field_of(message, 2);

	assert_true(id < NAMES);
	tracks[id] = text_of(thread.is_data ? field_of(thread.data, 5).data : name.data);
}

static void take_argument(struct slice message)
{
	struct proto_field text = field_of(message, 6);

	bytes_printf(&events, " %s=", interned[ARGUMENT][field_of(message, 1).integer]);
	if (text.is_data)
		bytes_put(&events, text.data.at, text.data.length);
	else
		bytes_printf(&events, "%lu", field_of(message, 4).integer);
}

static void take_flow(struct slice message, uint32_t field, const char *arrow)
{
	uint64_t flow = field_of(message, field).integer;

	if (flow)
		bytes_printf(&events, "%s%lu", arrow, flow);
}

static void take_event(struct slice message)
{
	const char *track = tracks[field_of(message, 11).integer];
	struct cursor c = cursor_of(message);
	struct proto_field f;

	switch (field_of(message, 9).integer) {
	case 1:
		bytes_printf(&events, "%ld %s %s: %s", now, interned[CATEGORY][field_of(message, 3).integer], track,
			     interned[NAME][field_of(message, 10).integer]);
		while (proto_next(&c, &f))
			if (f.number == 4)
				take_argument(f.data);
		take_flow(message, 48, " <-");
		break;
	case 3:
		bytes_printf(&events, "%ld %s %s: %s", now, interned[CATEGORY][field_of(message, 3).integer], track,
			     interned[NAME][field_of(message, 10).integer]);
		take_flow(message, 47, " ->");
		break;
	case 2:
		bytes_printf(&events, "%ld end %s", now, track);
		take_flow(message, 48, " <-");
		break;
	default: return;
	}
	bytes_put_u8(&events, '\n');
}

static void take_packet(struct slice packet)
{
	struct proto_field event = field_of(packet, 11), track = field_of(packet, 60), names = field_of(packet, 12);

	if (names.is_data)
		take_interned(names.data);
	if (track.is_data)
		take_track(track.data);
	if (!field_of(packet, 58).integer) /* a time on the clock of the sequence: since the packet before */
		now += field_of(packet, 8).integer;
	if (event.is_data)
		take_event(event.data);
}

static struct recording r;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_WAITS);
	recording_begin(&r);
	now = 0;
	return 0;
}

static int teardown(void **state)
{
	for (size_t i = 0; i < KINDS * NAMES; i++)
		free(interned[i / NAMES][i % NAMES]);
	for (size_t i = 0; i < NAMES; i++)
		free(tracks[i]);
	memset(interned, 0, sizeof(interned));
	memset(tracks, 0, sizeof(tracks));
	bytes_release(&events);
	recording_free(&r);
	return 0;
}

/* The slices of the recording, which ends. */
static const char *slices(void)
{
	struct proto_field packet;
	struct jfr_file file;
	struct cursor c;
	size_t size;
	char *trace;
	FILE *to = open_memstream(&trace, &size);

	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	export_perfetto(&file, NULL, false, to);
	fclose(to);
	jfr_file_release(&file);
	c = cursor_of((struct slice){trace, size});
	while (proto_next(&c, &packet)) {
		assert_int_equal(packet.number, 1);
		take_packet(packet.data);
	}
	assert_true(cursor_ok(&c));
	free(trace);
	return bytes_text(&events);
}

CASE(slices_have_calls_waits_and_pauses_on_the_tracks_of_their_threads, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);

	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0,
							 .duration = 12000 * US,
							 .thread = one,
							 .method = recording_method(&r, "pay"),
							 .cpu = 400 * US,
							 .run_queue = 100 * US,
							 .blocked = 11500 * US});
	jfr_thread_wait(r.w, &(struct jfr_thread_wait){.start = T0 + 100 * US,
						       .duration = 11400 * US,
						       .thread = one,
						       .reason = "futex",
						       .waker = two});
	jfr_run_queue(r.w, T0 + 11500 * US, 100 * US, one);
	jfr_vm_pause(r.w, &(struct jfr_vm_pause){.start = T0 + 200 * US, .duration = 50 * US, .what = "GC"});
	assert_string_equal(slices(),
			    "0 call worker-1: com.acme.Cart.pay() cpuNs=400000 runQueueNs=100000 blockedNs=11500000\n"
			    "100000 wait worker-1: futex wokenBy=worker-2\n"
			    "200000 pause JVM pauses: GC\n"
			    "250000 end JVM pauses\n"
			    "11500000 wakeup worker-2: wakes worker-1 ->1\n"
			    "11500000 end worker-1 <-1\n"
			    "11500000 run queue worker-1: run queue\n"
			    "11600000 end worker-1\n"
			    "12000000 end worker-1\n");
}

static void call(uint64_t thread, const char *name, int64_t from, int64_t to)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + from,
							 .duration = to - from,
							 .thread = thread,
							 .method = recording_method(&r, name),
							 .cpu = INT64_MIN,
							 .run_queue = INT64_MIN,
							 .blocked = INT64_MIN});
}

/* serve [10, 100], by whom is unknown, hands over the task [40, 70] at 20; one that was handed over at 5 has no such call. */
CASE(an_arrow_leads_from_where_a_task_was_handed_over_to_its_run, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_task task = {.start = T0 + 20,
				.duration = 20,
				.thread = two,
				.submitter = one,
				.task_class = recording_class(&r, "com/acme/Order"),
				.outcome = "ran",
				.run_time = 30};

	call(one, "serve", 10, 100);
	call(two, "pay", 50, 60);
	jfr_task(r.w, &task);
	task.start = T0 + 5;
	task.duration = 75;
	task.submitter = 0;
	jfr_task(r.w, &task);
	task.outcome = "cancelled";
	task.thread = 0;
	task.run_time = INT64_MIN;
	jfr_task(r.w, &task);
	assert_string_equal(slices(), "0 call worker-1: com.acme.Cart.serve()\n"
				      "10 submit worker-1: hands over com.acme.Order ->1\n"
				      "30 task worker-2: task com.acme.Order queuedNs=20 <-1\n"
				      "40 call worker-2: com.acme.Cart.pay()\n"
				      "50 end worker-2\n"
				      "60 end worker-2\n"
				      "70 task worker-2: task com.acme.Order queuedNs=75\n"
				      "90 end worker-1\n"
				      "100 end worker-2\n");
}

/* The call that handed it over is not recorded, so nothing else begins before that. */
CASE(a_trace_may_begin_where_a_task_was_handed_over, setup, teardown)
{
	jfr_task(r.w, &(struct jfr_task){.start = T0 + 20,
					 .duration = 20,
					 .thread = recording_thread(&r, 2),
					 .submitter = recording_thread(&r, 1),
					 .outcome = "ran",
					 .run_time = 30});
	assert_string_equal(slices(), "0 submit worker-1: hands over N/A ->1\n"
				      "20 task worker-2: task N/A queuedNs=20 <-1\n"
				      "50 end worker-2\n");
}

/* pay [0, 100] waits for worker-2, which sleeps. */
CASE(a_critical_path_is_a_track_below_its_thread, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);
	struct jfr_path_segment e = {.start = T0 + 30,
				     .duration = 70,
				     .thread = one,
				     .offset = 30,
				     .state = "cpu",
				     .method = recording_method(&r, "pay"),
				     .call_thread = one,
				     .call_start = T0,
				     .call_duration = 100};

	call(one, "pay", 0, 100);
	jfr_path_segment(r.w, &e);
	e.start = T0;
	e.duration = 30;
	e.thread = two;
	e.offset = 0;
	e.depth = 1;
	e.state = "sleep";
	e.stack = recording_stack(&r, recording_method(&r, "write"), 12);
	e.waiter = one;
	e.waited = "futex";
	jfr_path_segment(r.w, &e);
	assert_string_equal(slices(), "0 call worker-1: com.acme.Cart.pay()\n"
				      "0 path critical path: \"worker-2\", sleep in com.acme.Cart.write() "
				      "why=ended a wait of worker-1 (futex)\n"
				      "30 end critical path\n"
				      "30 path critical path: \"worker-1\", cpu\n"
				      "100 end worker-1\n"
				      "100 end critical path\n");
}
