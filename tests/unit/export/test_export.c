// SPDX-License-Identifier: BSD-2-Clause
/* Exports: self time in flame graphs, and what the CSV has of each call. */
#include "format/proto.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/export/export.h"
#include "user/export/self_time.h"

#include <zlib.h>

#define MS 1000000

static struct recording r;
static char *text;
static size_t text_size;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_FULL);
	recording_begin(&r);
	return 0;
}

static int teardown(void **state)
{
	recording_free(&r);
	free(text);
	text = NULL;
	return 0;
}

static struct jfr_method_trace trace(uint64_t thread, int64_t start, int64_t duration, const char *name)
{
	return (struct jfr_method_trace){
		.start = start, .duration = duration, .thread = thread, .method = recording_method(&r, name)};
}

static void call(uint64_t thread, int64_t start, int64_t duration, const char *name)
{
	struct jfr_method_trace e = trace(thread, start, duration, name);

	jfr_method_trace(r.w, &e);
}

static void csv(struct jfr_file *file, FILE *to)
{
	export_csv(file, NULL, false, to);
}

static void export_with(void (*export)(struct jfr_file *, FILE *))
{
	struct jfr_file file;
	FILE *to = open_memstream(&text, &text_size);

	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	export(&file, to);
	assert_null(file.fault.what);
	fclose(to);
	jfr_file_release(&file);
}

static void by_time(struct jfr_file *file, FILE *to)
{
	export_collapsed(file, NULL, true, false, to);
}

CASE(a_call_weighs_its_time_without_traced_calls_inside, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1), two = recording_thread(&r, 2);

	call(one, T0 + 2 * MS, 3 * MS, "lock");
	call(one, T0 + 6 * MS, MS, "lock");
	call(one, T0 + MS, 7 * MS, "pay");
	call(two, T0 + 2 * MS, 4 * MS, "idle"); /* another thread's */
	call(one, T0, 10 * MS, "serve");
	call(one, T0 + 11 * MS, 2 * MS, "serve");
	export_with(by_time);
	assert_string_equal(text, "com.acme.Cart.lock() 4000000\n"
				  "com.acme.Cart.pay() 3000000\n"
				  "com.acme.Cart.idle() 4000000\n"
				  "com.acme.Cart.serve() 5000000\n");
}

/* The calls of a virtual thread are in the buffers of its carriers. */
CASE(the_order_in_the_file_does_not_matter, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);

	call(one, T0, 10 * MS, "serve");
	call(one, T0 + MS, 7 * MS, "pay");
	call(one, T0 + 2 * MS, 3 * MS, "lock");
	export_with(by_time);
	assert_string_equal(text, "com.acme.Cart.serve() 3000000\n"
				  "com.acme.Cart.pay() 4000000\n"
				  "com.acme.Cart.lock() 3000000\n");
}

CASE(csv_has_where_the_time_went_and_empty_cells_for_what_is_missing, setup, teardown)
{
	uint64_t one = recording_thread(&r, 1);
	struct jfr_method_trace e = trace(one, T0, 10, "pay");

	e.cpu = 1;
	e.run_queue = 2;
	e.blocked = 7;
	e.pause = 3;
	e.system_calls = 4;
	e.system_call_time = 5;
	e.major_faults = 6;
	e.minor_faults = 8;
	jfr_method_trace(r.w, &e);
	e.cpu = e.run_queue = e.blocked = e.pause = JFR_MISSING;
	e.system_calls = e.system_call_time = e.major_faults = e.minor_faults = JFR_MISSING;
	jfr_method_trace(r.w, &e);
	e.cpu = e.run_queue = e.blocked = e.pause = 0;
	jfr_method_trace(r.w, &e);
	export_with(csv);
	assert_string_equal(
		text,
		"start_ns,duration_ns,method,thrown,thread_id,thread,caller,line,cpu_ns,run_queue_ns,"
		"blocked_ns,pause_ns,syscalls,syscall_ns,major_faults,minor_faults,thrown_class,allocated_bytes,request_ns\r\n"
		"1700000000000000000,10,com.acme.Cart.pay(),0,1,worker-1,,,1,2,7,3,4,5,6,8,,,\r\n"
		"1700000000000000000,10,com.acme.Cart.pay(),0,1,worker-1,,,,,,,,,,,,,\r\n"
		"1700000000000000000,10,com.acme.Cart.pay(),0,1,worker-1,,,0,0,0,0,,,,,,,\r\n");
}

static void samples(struct jfr_file *file, FILE *to)
{
	export_samples(file, NULL, false, to);
}

static void sample(uint64_t thread, int64_t at, const char *top)
{
	struct jfr_frame frames[] = {{.method = recording_method(&r, top ?: "pay"), .line = 1},
				     {.method = recording_method(&r, "pay"), .line = 2}};

	jfr_execution_sample(r.w, &(struct jfr_execution_sample){.start = at,
								 .thread = thread,
								 .stack = top ? jfr_stack(r.w, frames, 2, false) : 0,
								 .state = JFR_STATE_RUNNABLE});
}

static void some_samples(void)
{
	static const struct jfr_origin origin = {.start_ticks = T0, .start_nanos = NANOS, .samples = true};
	struct diag diag;
	uint64_t thread;

	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	recording_begin(&r);
	thread = recording_thread(&r, 1);
	sample(thread, T0 + 11, "hash");
	sample(thread, T0 + 12, "copy");
	sample(thread, T0 + 13, "hash");
	sample(thread, T0 + 14, NULL);
	sample(thread, T0 + 30, "hash"); /* after the call */
	sample(recording_thread(&r, 2), T0 + 12, "hash");
	call(thread, T0 + 10, 10, "pay");
}

CASE(samples_in_calls_are_lines_of_stacks, setup, teardown)
{
	some_samples();
	export_with(samples);
	assert_string_equal(text, "com.acme.Cart.pay();com.acme.Cart.hash() 2\n"
				  "com.acme.Cart.pay();com.acme.Cart.copy() 1\n"
				  "(unknown) 1\n");
}

static void pprof_samples(struct jfr_file *file, FILE *to)
{
	export_pprof_samples(file, NULL, false, to);
}

/* Numbers of profile.proto. */
enum { SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, STRING = 6 };

static struct {
	char string[16][64];
	uint64_t strings, name[8], function[8]; /* of functions and locations, by id */
} profile;

static struct cursor within(const struct proto_field *f)
{
	return cursor_at((const uint8_t *)f->data.at, 0, f->data.length);
}

static void read_name(const struct proto_field *f)
{
	uint64_t id = 0;
	struct proto_field part, line;
	struct cursor c = within(f), in;

	if (f->number == STRING)
		snprintf(profile.string[profile.strings++], 64, "%.*s", (int)f->data.length, f->data.at);
	while (f->number == FUNCTION && proto_next(&c, &part))
		*(part.number == 1 ? &id : &profile.name[id]) = part.integer;
	while (f->number == LOCATION && proto_next(&c, &part)) {
		id = part.number == 1 ? part.integer : id;
		in = within(&part);
		if (part.number == 4 && proto_next(&in, &line))
			profile.function[id] = line.integer;
	}
}

/* Ids and numbers are small: a byte each. */
static void put_sampled(const struct proto_field *sample, char *out)
{
	struct cursor c = within(sample);
	struct proto_field locations = {0}, values = {0}, part;

	while (proto_next(&c, &part))
		*(part.number == 1 ? &locations : &values) = part;
	for (size_t i = locations.data.length; i-- > 0;)
		sprintf(out + strlen(out), "%s;",
			profile.string[profile.name[profile.function[(unsigned char)locations.data.at[i]]]]);
	assert_int_equal(values.data.length, 1);
	sprintf(out + strlen(out), " %d\n", values.data.at[0]);
}

CASE(samples_are_a_profile_of_pprof, setup, teardown)
{
	static uint8_t data[1 << 16];
	char lines[1024] = "";
	z_stream z = {.next_out = data, .avail_out = sizeof(data)};
	struct proto_field f;
	struct cursor c;

	memset(&profile, 0, sizeof(profile));
	some_samples();
	export_with(pprof_samples);
	z.next_in = (uint8_t *)text;
	z.avail_in = text_size;
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	for (c = cursor_at(data, 0, z.total_out); proto_next(&c, &f);)
		read_name(&f);
	for (c = cursor_at(data, 0, z.total_out); proto_next(&c, &f);)
		if (f.number == SAMPLE)
			put_sampled(&f, lines);
	inflateEnd(&z);
	assert_string_equal(lines, "com.acme.Cart.pay();com.acme.Cart.hash(); 2\n"
				   "com.acme.Cart.pay();com.acme.Cart.copy(); 1\n"
				   " 1\n");
}

CASE(csv_of_a_file_without_a_split_has_empty_cells, setup, teardown)
{
	recording_free(&r);
	r = recording_new();
	recording_begin(&r);
	call(recording_thread(&r, 1), T0, 10, "pay");
	export_with(csv);
	assert_contains(text, ",0,1,worker-1,,,,,,,,,,,,,\r\n");
}

static void add_time(struct self_time *s, uint32_t thread, int64_t start, int64_t duration, uint32_t sum)
{
	self_time_add(s, thread, start, &(struct self_times){duration, INT64_MIN, INT64_MIN}, sum);
}

/* Random calls of some threads. `end` is the moment at which the calling thread goes on. */
struct forest {
	struct self_time times;
	int64_t outermost, end;
	int64_t self[4];
	unsigned int calls;
};

static int64_t grow(struct forest *f, uint32_t thread, unsigned int depth)
{
	int64_t start = f->end += rand() % 3, inside = 0;
	unsigned int sum = rand() % 4;

	for (int n = depth ? rand() % 5 : 0; n; n--)
		inside += grow(f, thread, depth - 1);
	f->end += 1 + rand() % 4;
	add_time(&f->times, thread, start, f->end - start, sum);
	f->self[sum] += f->end - start - inside;
	f->calls++;
	return f->end - start;
}

CASE(all_self_times_are_the_time_of_the_outermost_calls)
{
	int64_t sum = 0, ends[4] = {0};
	struct forest f = {.calls = 0};

	srand(1);
	while (f.calls < 700000) {
		unsigned int thread = rand() % 4;

		f.end = ends[thread];
		f.outermost += grow(&f, thread + 1, 5);
		ends[thread] = f.end;
	}
	self_time_finish(&f.times);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(f.times.sum[i].duration, f.self[i]);
		sum += f.times.sum[i].duration;
	}
	assert_int_equal(sum, f.outermost);
	self_time_release(&f.times);
}

CASE(a_long_call_contains_all_that_came_before_its_end)
{
	struct self_time times = {0};

	for (int i = 0; i < 500000; i++)
		add_time(&times, 1, 10 + 10 * i, 9, 0);
	add_time(&times, 1, 0, 5000020, 1);
	self_time_finish(&times);
	assert_int_equal(times.sum[0].duration, 500000 * 9);
	assert_int_equal(times.sum[1].duration, 5000020 - 500000 * 9);
	assert_true(times.thread[0].capacity <= 1 << 17);
	self_time_release(&times);
}

CASE(an_end_that_was_rounded_up_is_no_end_of_the_caller)
{
	struct self_time times = {0};

	add_time(&times, 1, 10, 91, 0); /* ends at 101 */
	add_time(&times, 1, 0, 100, 1);
	self_time_finish(&times);
	assert_int_equal(times.sum[0].duration, 91);
	assert_int_equal(times.sum[1].duration, 9);
	self_time_release(&times);
}

CASE(calls_without_a_thread_are_in_no_other)
{
	struct self_time times = {0};

	add_time(&times, 0, 10, 20, 0);
	add_time(&times, 0, 0, 100, 1);
	self_time_finish(&times);
	assert_int_equal(times.sum[1].duration, 100);
	self_time_release(&times);
}

static void spans(struct jfr_file *file, FILE *to)
{
	export_otlp(file, NULL, false, to);
}

static void call_in_trace(int64_t start, int64_t duration, const char *name, uint64_t high, uint64_t span)
{
	struct jfr_method_trace e = trace(recording_thread(&r, 1), start, duration, name);

	e.trace_hi = high;
	e.trace_lo = high + 1;
	e.span = span;
	jfr_method_trace(r.w, &e);
}

/* The value of a key of the span of that name; "": it has none. */
static const char *of_span(const char *name, const char *key)
{
	static char value[8][64];
	static unsigned int at;
	char *to = value[at++ % 8], wanted[64];
	const char *end, *begin, *found;

	snprintf(wanted, sizeof(wanted), "\"name\":\"Cart.%s\"", name);
	end = strstr(text, wanted);
	assert_non_null(end);
	for (begin = end; strncmp(begin, "{\"traceId\"", 10) != 0; begin--)
		;
	snprintf(wanted, sizeof(wanted), "\"%s\":\"", key);
	found = strstr(begin, wanted);
	to[0] = 0;
	if (found && found < end)
		snprintf(to, sizeof(value[0]), "%.*s", (int)strcspn(found + strlen(wanted), "\""),
			 found + strlen(wanted));
	return to;
}

/* serve, in no trace { pay { lock }, in the program's span 5 { tell, in its span 6 } }, { idle, in no trace } */
CASE(a_call_in_a_trace_is_a_child_of_the_span_it_was_in, setup, teardown)
{
	struct diag d;

	recording_end(&r, false);
	assert_int_equal(jfr_writer_add_trace_ids(r.w, &d), 0);
	recording_begin(&r);
	call_in_trace(T0, 100 * MS, "serve", 0, 0);
	call_in_trace(T0 + 10 * MS, 50 * MS, "pay", 0xa1, 5);
	call_in_trace(T0 + 20 * MS, 10 * MS, "lock", 0xa1, 5);
	call_in_trace(T0 + 40 * MS, 10 * MS, "tell", 0xa1, 6);
	call_in_trace(T0 + 70 * MS, 10 * MS, "idle", 0, 0);
	export_with(spans);
	assert_string_equal(of_span("pay", "traceId"), "00000000000000a100000000000000a2");
	assert_string_equal(of_span("pay", "parentSpanId"), "0000000000000005");
	assert_string_equal(of_span("lock", "traceId"), "00000000000000a100000000000000a2");
	assert_string_equal(of_span("lock", "parentSpanId"), of_span("pay", "spanId"));
	assert_string_equal(of_span("tell", "parentSpanId"), "0000000000000006");
	assert_string_equal(of_span("serve", "parentSpanId"), "");
	assert_string_equal(of_span("idle", "parentSpanId"), of_span("serve", "spanId"));
	assert_string_equal(of_span("idle", "traceId"), of_span("serve", "traceId"));
	assert_string_not_equal(of_span("serve", "traceId"), of_span("pay", "traceId"));
}

/* Times in ms from T0. */
static void call_of(uint64_t thread, const char *name, int64_t from, int64_t to)
{
	call(recording_thread(&r, thread), T0 + from * MS, (to - from) * MS, name);
}

static void task(uint64_t by, uint64_t on, int64_t submitted, int64_t from, int64_t to)
{
	jfr_task(r.w, &(struct jfr_task){.start = T0 + submitted * MS,
					 .duration = (from - submitted) * MS,
					 .thread = recording_thread(&r, on),
					 .submitter = by ? recording_thread(&r, by) : 0,
					 .outcome = "ran",
					 .run_time = (to - from) * MS});
}

static void assert_child(const char *child, const char *parent)
{
	assert_string_equal(of_span(child, "parentSpanId"), of_span(parent, "spanId"));
	assert_string_equal(of_span(child, "traceId"), of_span(parent, "traceId"));
}

/*
 * serve { pay hands over { load { read } hands over a task that hands over { tell } } }; the thread of idle runs a task of
 * pay's inside of idle, and the one of work a task of a call that is not recorded.
 */
CASE(a_call_in_a_task_is_a_child_of_the_call_that_handed_it_over, setup, teardown)
{
	call_of(9, "serve", 0, 100);
	call_of(9, "pay", 20, 40);
	task(9, 2, 30, 50, 90);
	call_of(2, "load", 51, 80);
	call_of(2, "read", 52, 60);
	task(2, 3, 55, 60, 130); /* by read */
	task(3, 1, 65, 70, 75);
	call_of(1, "tell", 71, 73);
	call_of(4, "idle", 0, 60);
	task(9, 4, 35, 40, 50);
	call_of(4, "lock", 41, 46);
	call_of(5, "work", 0, 60);
	task(8, 5, 35, 40, 50);
	call_of(5, "wait", 41, 46);
	export_with(spans);
	assert_string_equal(of_span("serve", "parentSpanId"), "");
	assert_child("pay", "serve");
	assert_child("load", "pay");
	assert_child("read", "load");
	assert_child("tell", "read");
	assert_child("lock", "pay");
	assert_string_equal(of_span("wait", "parentSpanId"), "");
	assert_string_equal(of_span("idle", "parentSpanId"), "");
	assert_string_not_equal(of_span("idle", "traceId"), of_span("serve", "traceId"));
	assert_non_null(strstr(text, "\"frtrace.queued_ns\",\"value\":{\"intValue\":\"20000000\"}"));
}

CASE(a_call_in_a_task_and_in_a_trace_is_a_child_of_the_programs_span, setup, teardown)
{
	struct diag d;

	recording_end(&r, false);
	assert_int_equal(jfr_writer_add_trace_ids(r.w, &d), 0);
	recording_begin(&r);
	call_in_trace(T0, 100 * MS, "serve", 0xa1, 5);
	task(1, 2, 10, 20, 50);
	task(1, 3, 10, 20, 50);
	call_of(2, "load", 21, 26);
	for (int i = 0; i < 2; i++) {
		struct jfr_method_trace e =
			trace(recording_thread(&r, 3), T0 + (21 + 10 * i) * MS, 5 * MS, i ? "pay" : "tell");

		e.trace_hi = 0xa1;
		e.trace_lo = 0xa2;
		e.span = 5 + i;
		jfr_method_trace(r.w, &e);
	}
	export_with(spans);
	assert_child("load", "serve");
	assert_child("tell", "serve");
	assert_string_equal(of_span("pay", "parentSpanId"), "0000000000000006");
}
