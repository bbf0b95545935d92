// SPDX-License-Identifier: BSD-2-Clause
/*
 * Spans go in, the file is read with the independent dissector. The segment is
 * made by hand, a tick is a nanosecond, the disk and the description of the JVM
 * are answered here (wrapped by the linker).
 */
#include "user/jvm/jvm_model.h"
#include "user/record/recorder.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/jfr_dissect.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static bool target_hidden;
static atomic_bool disk_full;
static const char *jvm_version; /* NULL: unreadable */

WRAP(int, fstatvfs, int fd, struct statvfs *v)
{
	*v = (struct statvfs){.f_frsize = 1, .f_blocks = 1ULL << 40, .f_bavail = disk_full ? 1 : 1ULL << 39};
	return 0;
}

WRAP(int, target_describe, const struct target *t, struct target_description *out, struct diag *diag)
{
	if (target_hidden)
		return diag_errno(diag, EACCES, "cannot read the target");
	*out = (struct target_description){.jvm_name = strdup("OpenJDK"),
					   .jvm_version = strdup("17"),
					   .jvm_arguments = strdup("-Xmx1g"),
					   .java_arguments = strdup("shop.jar"),
					   .start_epoch_ms = 1};
	return 0;
}

WRAP(int, jvm_model_version, const struct target *t, char *out, size_t size, struct diag *diag)
{
	if (!jvm_version)
		return diag_errno(diag, EIO, "cannot read the JVM's version text");
	snprintf(out, size, "%s", jvm_version);
	return 0;
}

static struct bench {
	struct settings settings;
	struct target target;
	struct segment segment;
	struct clock clock;
	struct output *output;
	struct recorder *recorder;
	struct stream_sink sink;
	char path[64];
	uint32_t method;
	struct resolver *resolver;
	char *file;
	struct dissect *read;
} *b;

static struct diag d;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int setup(void **state)
{
	uint32_t loader, class_id;
	int fd;

	disk_full = target_hidden = false;
	jvm_version = NULL;
	b = calloc(1, sizeof(*b));
	if (!b || settings_init(&b->settings, &d) ||
	    filter_list_add(b->settings.filters, "com.acme.Cart", FILTER_TRACE, &d))
		return -1;
	b->settings.threshold_ns = 1500000;
	b->target = (struct target){.pid = 99, .ns_pid = 4242, .monotonic_offset = 7000000000};
	b->segment = fake_segment_new();
	loader = fake_loader(&b->segment, "com/acme/Loader", "app");
	class_id = fake_class(&b->segment, "com/acme/Cart", loader, FRT_CLASS_REWRITTEN);
	b->method = fake_method(&b->segment, class_id, "checkout", "(Lcom/acme/Order;)V", FRT_METHOD_HOOKED);
	fake_thread(&b->segment, 1, "main", "main");
	fake_thread(&b->segment, 2, "worker-2", "workers");
	b->clock = fake_clock();
	snprintf(b->path, sizeof(b->path), "/tmp/frtrace-recorder-XXXXXX");
	fd = mkstemp(b->path);
	close(fd);
	return fd < 0;
}

/* Make the recorder, its first chunk open. */
static void begin(void)
{
	struct recorder_setup s = {.settings = &b->settings,
				   .target = &b->target,
				   .segment = &b->segment,
				   .clock = &b->clock,
				   .resolver = b->resolver,
				   .kernel = JFR_KERNEL_NONE};

	assert_int_equal(output_open(&b->output, b->path, &(struct output_limits){.size = b->settings.max_size}, &d),
			 0);
	s.output = b->output;
	assert_int_equal(recorder_new(&b->recorder, &s, &d), 0);
	b->sink = recorder_sink(b->recorder);
	assert_int_equal(recorder_tick(b->recorder, &d), 0);
}

static int teardown(void **state)
{
	dissect_free(b->read);
	free(b->file);
	recorder_free(b->recorder);
	output_close(b->output);
	fake_segment_free(&b->segment);
	settings_release(&b->settings);
	unlink(b->path);
	free(b);
	return 0;
}

static void feed(struct frt_span s, const struct stream_vthread *v)
{
	b->sink.cover(b->sink.context, s.start + s.duration);
	b->sink.spans(b->sink.context, &s, 1, v);
}

/* Read what is in the file; it must be sound. */
static struct dissect *read_file(void)
{
	FILE *f = fopen(b->path, "rb");
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	dissect_free(b->read);
	free(b->file);
	b->file = malloc(st.st_size + 1);
	assert_int_equal(fread(b->file, 1, st.st_size, f), st.st_size);
	fclose(f);
	b->read = dissect_new(b->file, st.st_size);
	assert_string_equal(b->read->error, "");
	return b->read;
}

static struct dissect *finish(void)
{
	assert_int_equal(recorder_finish(b->recorder, false, &d), 0);
	return read_file();
}

static const struct dissect_event *call(size_t n)
{
	const struct dissect_event *e = dissect_find(b->read, "jdk.MethodTrace", n);

	assert_non_null(e);
	return e;
}

static int64_t number(const struct dissect_event *e, const char *name)
{
	int64_t v;

	assert_true(dissect_number(b->read, e, name, &v));
	return v;
}

static const char *text(const struct dissect_event *e, const char *name)
{
	const char *t = dissect_text(b->read, e, name);

	return t ? t : "(null)";
}

CASE(span_becomes_a_method_trace, setup, teardown)
{
	uint64_t start;

	begin();
	start = now();
	feed((struct frt_span){start, 2000, b->method, 0, 2, FRT_SPAN, FRT_SPAN_THROWN}, NULL);
	feed((struct frt_span){start + 5000, 3000, b->method, 0, 1, FRT_SPAN, 0}, NULL);
	finish();
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 2);
	assert_int_equal(number(call(0), "startTime"), start + 7000000000); /* the target's own clock */
	assert_int_equal(number(call(0), "duration"), 2000);
	assert_int_equal(number(call(0), "thrown"), 1);
	assert_int_equal(number(call(1), "thrown"), 0);
	assert_string_equal(text(call(0), "method.name"), "checkout");
	assert_string_equal(text(call(0), "method.descriptor"), "(Lcom/acme/Order;)V");
	assert_string_equal(text(call(0), "method.type.name"), "com/acme/Cart");
	assert_string_equal(text(call(0), "method.type.classLoader.name"), "app");
	assert_string_equal(text(call(0), "method.type.classLoader.type.name"), "com/acme/Loader");
	assert_string_equal(text(call(0), "eventThread.javaName"), "worker-2");
	assert_string_equal(text(call(0), "eventThread.group.name"), "workers");
	assert_int_equal(number(call(0), "eventThread.javaThreadId"), 2);
	assert_int_equal(number(call(0), "eventThread.osThreadId"), 4002);
	assert_string_equal(text(call(1), "eventThread.javaName"), "main");
	assert_int_equal(recorder_counts(b->recorder)->events, 2);
	assert_int_equal(recorder_counts(b->recorder)->thrown, 1);
}

CASE(virtual_thread_is_itself_not_its_carrier, setup, teardown)
{
	struct stream_vthread v = {.java_id = 77, .name = "order 77"}, unknown = {0};

	begin();
	feed((struct frt_span){now(), 2000, b->method, 0, 2, FRT_SPAN, FRT_SPAN_VIRTUAL}, &v);
	feed((struct frt_span){now(), 2000, b->method, 0, 2, FRT_SPAN, FRT_SPAN_VIRTUAL}, &unknown);
	finish();
	assert_string_equal(text(call(0), "eventThread.javaName"), "order 77");
	assert_int_equal(number(call(0), "eventThread.javaThreadId"), 77);
	assert_int_equal(number(call(0), "eventThread.virtual"), 1);
	assert_string_equal(text(call(1), "eventThread.javaName"), "(null)");
	assert_int_equal(number(call(0), "thrown"), 0);
}

CASE(what_the_segment_does_not_know_is_null, setup, teardown)
{
	begin();
	feed((struct frt_span){now(), 2000, 999, 0, 999, FRT_SPAN, 0}, NULL);
	feed((struct frt_span){now(), 2000, UINT32_MAX, 0, UINT32_MAX, FRT_SPAN, 0}, NULL);
	feed((struct frt_span){now(), 2000, FRT_NO_METHOD, 0, FRT_NO_THREAD, FRT_SPAN, 0}, NULL);
	finish();
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(text(call(i), "method.name"), "(null)");
		assert_string_equal(text(call(i), "eventThread.javaName"), "(null)");
	}
}

CASE(forged_rows_do_no_harm, setup, teardown)
{
	struct frt_thread *t = fake_thread(&b->segment, 3, "", "");
	uint32_t odd = fake_method(&b->segment, 4000000000, "m", "()V", 0),
		 odd_class = fake_class(&b->segment, "", 77777, 0);
	uint32_t odder = fake_method(&b->segment, odd_class, "", "", 0);

	t->name_length = t->group_length = 255;
	memset(t->name, 'n', sizeof(t->name));
	memset(t->group, 'g', sizeof(t->group));
	begin();
	feed((struct frt_span){now(), 2000, odd, 0, 3, FRT_SPAN, 0}, NULL);
	feed((struct frt_span){now(), 2000, odder, 0, 3, FRT_SPAN, 0xffff}, NULL);
	finish();
	assert_int_equal(strlen(text(call(0), "eventThread.javaName")), 64);
	assert_int_equal(strlen(text(call(0), "eventThread.group.name")), 32);
	assert_string_equal(text(call(0), "method.name"), "(null)");
}

CASE(chunk_that_is_large_enough_is_closed, setup, teardown)
{
	enum { SPANS = 10000 };
	unsigned int seen[2] = {0, 0};

	b->settings.max_size = 256 << 10; /* chunks of a quarter; all fit */
	begin();
	assert_int_equal(recorder_remark(b->recorder, "not traced", "com.acme.Other: native"), 0);
	for (unsigned int i = 0; i < SPANS; i++)
		feed((struct frt_span){now(), 2000, b->method, 0, 1 + i % 2, FRT_SPAN, 0}, NULL);
	finish();
	assert_true(b->read->chunks >= 3);
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), SPANS);
	for (unsigned int i = 0; i < SPANS; i++) /* each chunk has the constants it needs */
		seen[0] += !strcmp(text(call(i), "eventThread.javaName"), "main"),
			seen[1] += !strcmp(text(call(i), "method.type.name"), "com/acme/Cart");
	assert_int_equal(seen[0], SPANS / 2);
	assert_int_equal(seen[1], SPANS);
	for (unsigned int i = 0; i < b->read->chunks; i++)
		assert_true(b->read->chunk[i].size < 1u << 18);
	assert_int_equal(dissect_count(b->read, "frtrace.Message"), b->read->chunks);
	assert_int_equal(dissect_count(b->read, "jdk.ActiveRecording"), b->read->chunks);
	assert_int_equal(dissect_count(b->read, "frtrace.Clock"), b->read->chunks);
	assert_int_equal(dissect_count(b->read, "jdk.JVMInformation"), b->read->chunks);
}

/* Before that a kill of frtrace leaves nothing. */
CASE(first_chunk_is_written_a_second_after_the_first_call, setup, teardown)
{
	uint64_t size;

	begin();
	usleep(1050000);
	feed((struct frt_span){now(), 2000, b->method, 0, 2, FRT_SPAN, 0}, NULL);
	assert_int_equal(recorder_tick(b->recorder, &d), 0);
	assert_int_equal(output_size(b->output), 0); /* there may be more in a moment */
	usleep(1050000);
	assert_int_equal(recorder_tick(b->recorder, &d), 0);
	size = output_size(b->output);
	assert_int_not_equal(size, 0);
	read_file();
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 1);
	feed((struct frt_span){now(), 2000, b->method, 0, 2, FRT_SPAN, 0}, NULL);
	usleep(1050000);
	assert_int_equal(recorder_tick(b->recorder, &d), 0);
	assert_int_equal(output_size(b->output), size); /* later ones take their time */
}

/* The writer forgets threads that two chunks did not use. */
CASE(thread_that_comes_back_after_many_chunks_is_still_named, setup, teardown)
{
	enum { SPANS = 30000 };

	b->settings.max_size = 640 << 10;
	b->target.monotonic_offset = 1ll << 48; /* stamps of seven bytes, also soon after a start of the machine */
	begin();
	for (unsigned int i = 0; i <= SPANS; i++)
		feed((struct frt_span){now(), 2000, b->method, 0, i % SPANS ? 1 : 2, FRT_SPAN, 0}, NULL);
	finish();
	assert_true(b->read->chunks >= 4);
	assert_string_equal(text(call(0), "eventThread.javaName"), "worker-2");
	assert_string_equal(text(call(SPANS), "eventThread.javaName"), "worker-2");
}

CASE(each_chunk_says_what_is_recorded, setup, teardown)
{
	const struct dissect_event *e;
	bool threshold = false, filter = false;

	begin();
	finish();
	e = dissect_find(b->read, "jdk.ActiveRecording", 0);
	assert_non_null(e);
	assert_string_equal(text(e, "destination"), b->path);
	for (size_t i = 0; (e = dissect_find(b->read, "jdk.ActiveSetting", i)); i++) {
		threshold |= !strcmp(text(e, "name"), "threshold") && !strcmp(text(e, "value"), "1500 us");
		filter |= !strcmp(text(e, "name"), "filter") && !strcmp(text(e, "value"), "com.acme.Cart");
	}
	assert_true(threshold && filter);
	e = dissect_find(b->read, "jdk.JVMInformation", 0);
	assert_string_equal(text(e, "javaArguments"), "shop.jar");
	assert_int_equal(number(e, "pid"), 4242);
}

CASE(each_chunk_has_the_memory_of_the_machine, setup, teardown)
{
	const struct dissect_event *e;

	begin();
	finish();
	e = dissect_find(b->read, "jdk.PhysicalMemory", 0);
	assert_non_null(e);
	assert_true(number(e, "usedSize") > 0);
	assert_true(number(e, "usedSize") <= number(e, "totalSize"));
	assert_true(number(e, "totalSize") <= (long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) * 2);
}

static bool has_setting(const char *name, const char *value)
{
	const struct dissect_event *e;

	for (size_t i = 0; (e = dissect_find(b->read, "jdk.ActiveSetting", i)); i++)
		if (!strcmp(text(e, "name"), name) && !strcmp(text(e, "value"), value))
			return true;
	return false;
}

/* JFR has one setting for all filters of an event. */
CASE(filters_of_an_event_are_one_setting, setup, teardown)
{
	const struct dissect_event *e;
	size_t filters = 0;

	assert_int_equal(filter_list_add(b->settings.filters, "com.acme.Till::pay", FILTER_TRACE, &d), 0);
	assert_int_equal(filter_list_add(b->settings.filters, "com.acme.Store;com.acme.Shelf", FILTER_TIMING, &d), 0);
	begin();
	finish();
	assert_true(has_setting("filter", "com.acme.Cart;com.acme.Till::pay"));
	assert_true(has_setting("filter", "com.acme.Store;com.acme.Shelf"));
	for (size_t i = 0; (e = dissect_find(b->read, "jdk.ActiveSetting", i)); i++)
		filters += !strcmp(text(e, "name"), "filter");
	assert_int_equal(filters, 2);
}

CASE(thresholds_are_written_as_jfr_does, setup, teardown)
{
	b->settings.threshold_ns = 0;
	begin();
	finish();
	assert_true(has_setting("threshold", "0 ms"));
}

CASE(jvm_is_described_as_in_its_own_recordings, setup, teardown)
{
	const struct dissect_event *e;

	jvm_version = "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on 2026-04-21";
	begin();
	finish();
	e = dissect_find(b->read, "jdk.JVMInformation", 0);
	assert_string_equal(text(e, "jvmName"), "OpenJDK 64-Bit Server VM");
	assert_string_equal(text(e, "jvmVersion"), jvm_version);
}

CASE(implausible_version_is_not_written, setup, teardown)
{
	const struct dissect_event *e;

	jvm_version = "nonsense";
	begin();
	finish();
	e = dissect_find(b->read, "jdk.JVMInformation", 0);
	assert_string_equal(text(e, "jvmName"), "OpenJDK");
	assert_string_equal(text(e, "jvmVersion"), "17");
}

CASE(file_says_how_deep_stacks_are, setup, teardown)
{
	b->settings.stack_depth = 17;
	b->resolver = (struct resolver *)b; /* not asked: there are no stacks */
	begin();
	finish();
	assert_true(has_setting("stackTrace", "true"));
	assert_true(has_setting("stackDepth", "17"));
}

CASE(file_says_that_there_are_no_stacks, setup, teardown)
{
	begin();
	finish();
	assert_true(has_setting("stackTrace", "false"));
	assert_false(has_setting("stackDepth", "64"));
}

static uint32_t stack_of_caller(int line)
{
	struct frt_frame f = {.code = b->method, .at = 5ULL << 32 | (uint32_t)line, .kind = FRT_FRAME_NAMED};

	return fake_stack(&b->segment, &f, 1, FRT_WALK_BOTTOM, 0);
}

CASE(span_gets_its_stack, setup, teardown)
{
	struct frt_span s = fake_span(now(), b->method, 1, 0);
	const struct dissect_event *e;

	begin();
	s.stack = stack_of_caller(42);
	feed(s, NULL);
	s.stack = 0;
	feed(s, NULL);
	finish();
	e = dissect_find(b->read, "jdk.MethodTrace", 0);
	assert_int_equal(number(e, "stackTrace.frames"), 1);
	assert_int_equal(number(e, "stackTrace.frames.0.lineNumber"), 42);
	assert_string_equal(text(e, "stackTrace.frames.0.method.name"), "checkout");
	e = dissect_find(b->read, "jdk.MethodTrace", 1);
	assert_false(dissect_number(b->read, e, "stackTrace.frames", &(int64_t){0}));
}

CASE(stacks_are_read_without_a_span_that_names_them, setup, teardown)
{
	struct frames_counts counts;
	uint32_t first;

	begin();
	stack_of_caller(42);
	assert_true(recorder_read_stacks(b->recorder, false));
	assert_false(recorder_read_stacks(b->recorder, false));
	assert_int_equal(segment_header(&b->segment)->recording[0].stack_done, 2ULL << 32 | 1);
	fake_stack_reserve(&b->segment, 1, &first);
	recorder_read_stacks(b->recorder, true);
	recorder_count_frames(b->recorder, &counts);
	assert_int_equal(counts.stacks, 1);
	assert_int_equal(counts.given_up, 1);
}

CASE(loss_is_noted_by_its_growth, setup, teardown)
{
	begin();
	recorder_note_loss(b->recorder, 0);
	recorder_note_loss(b->recorder, 10);
	recorder_note_loss(b->recorder, 10);
	recorder_note_loss(b->recorder, 25);
	finish();
	assert_int_equal(dissect_count(b->read, "jdk.DataLoss"), 2);
	assert_int_equal(number(dissect_find(b->read, "jdk.DataLoss", 0), "amount"), 10 * FRT_RECORD_SIZE);
	assert_int_equal(number(dissect_find(b->read, "jdk.DataLoss", 1), "amount"), 15 * FRT_RECORD_SIZE);
	assert_int_equal(number(dissect_find(b->read, "jdk.DataLoss", 1), "total"), 25 * FRT_RECORD_SIZE);
}

CASE(nothing_is_recorded_beyond_max_events, setup, teardown)
{
	b->settings.max_events = 3;
	begin();
	for (int i = 0; i < 10; i++) {
		assert_int_equal(recorder_full(b->recorder), i >= 3);
		feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, 0}, NULL);
	}
	finish();
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 3);
	assert_int_equal(recorder_counts(b->recorder)->events, 3);
}

CASE(end_of_the_target_is_in_the_file, setup, teardown)
{
	begin();
	assert_int_equal(recorder_finish(b->recorder, true, &d), 0);
	read_file();
	assert_int_equal(dissect_count(b->read, "jdk.Shutdown"), 1);
}

CASE(full_disk_is_told_once_and_its_calls_are_not_counted_as_recorded, setup, teardown)
{
	b->settings.max_size = 1 << 20;
	begin();
	for (unsigned int i = 0; i < 30000; i++)
		feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, FRT_SPAN_THROWN}, NULL);
	assert_int_equal(recorder_tick(b->recorder, &d), 0);
	disk_full = true;
	for (unsigned int i = 0; i < 30000; i++)
		feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, FRT_SPAN_THROWN}, NULL);
	assert_int_equal(recorder_tick(b->recorder, &d), -EIO);
	assert_contains(d.text, "stop before the disk is full");
	assert_int_equal(recorder_finish(b->recorder, false, &d), 0);
	read_file(); /* what was finished is sound */
	assert_true(dissect_count(b->read, "jdk.MethodTrace") > 0);
	assert_int_equal(recorder_counts(b->recorder)->events, dissect_count(b->read, "jdk.MethodTrace"));
	assert_int_equal(recorder_counts(b->recorder)->thrown, recorder_counts(b->recorder)->events);
	assert_true(recorder_counts(b->recorder)->unwritten > 0);
}

/* Every call is in the file, unwritten, or known to come after the failure. */
CASE(calls_after_a_failure_are_lost_ones_too, setup, teardown)
{
	b->settings.max_size = 1 << 20;
	begin();
	disk_full = true;
	for (unsigned int i = 0; i < 30000; i++)
		feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, 0}, NULL);
	assert_int_equal(recorder_counts(b->recorder)->events, 0);
	assert_int_equal(recorder_counts(b->recorder)->unwritten, 30000);
}

/* The thread that writes has begun with a chunk. */
static void wait_for_output(void)
{
	struct stat st = {0};

	while (!st.st_size) {
		usleep(1000);
		assert_int_equal(stat(b->path, &st), 0);
	}
}

/* Chunks that are written while the next one is filled: each call is in the file, or unwritten. */
CASE(disk_that_fills_up_behind_the_recorder_costs_the_calls_since, setup, teardown)
{
	b->settings.max_size = 4 << 20; /* chunks of 1 MB; all fit */
	begin();
	output_thread_begin(b->output);
	for (unsigned int i = 0; i < 150000; i++) {
		if (i == 100000) {
			wait_for_output();
			disk_full = true; /* fstatvfs() is called in the thread */
		}
		feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, 0}, NULL);
	}
	while (!recorder_tick(b->recorder, &d))
		usleep(1000);
	assert_contains(d.text, "stop before the disk is full");
	assert_int_equal(recorder_finish(b->recorder, false, &d), 0);
	read_file();
	assert_true(dissect_count(b->read, "jdk.MethodTrace") > 0);
	assert_int_equal(recorder_counts(b->recorder)->events, dissect_count(b->read, "jdk.MethodTrace"));
	assert_int_equal(recorder_counts(b->recorder)->events + recorder_counts(b->recorder)->unwritten, 150000);
}

CASE(a_cut_chunk_is_in_the_file_at_once, setup, teardown)
{
	begin();
	output_thread_begin(b->output);
	feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, 0}, NULL);
	assert_int_equal(recorder_cut(b->recorder, &d), 0);
	read_file();
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 1);
	finish();
	assert_int_equal(b->read->chunks, 2);
}

CASE(methods_that_are_timed_from_some_moment_on_are_in_the_file, setup, teardown)
{
	struct frt_sum *shared = (struct frt_sum *)(b->segment.base + FRT_SHARED_AT);
	uint64_t *rules = (uint64_t *)(b->segment.base + FRT_RULES_AT);
	const struct dissect_event *e;

	begin();
	feed((struct frt_span){now(), 2000, b->method, 0, 1, FRT_SPAN, 0}, NULL);
	rules[b->method] = FRT_RULE_UNTRACED | FRT_RULE_TIMED;
	recorder_add_timing(b->recorder);
	recorder_add_timing(b->recorder);
	shared[b->method] = (struct frt_sum){.count = 40,
					     .thrown = 3,
					     .total = 4000,
					     .minimum = 50,
					     .maximum = 900,
					     .nested = {.children = 1500, .repeated = 300},
					     .unknown = FRT_UNKNOWN_REPEAT};
	finish();
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 1);
	assert_int_equal(dissect_count(b->read, "jdk.MethodTiming"), 1);
	e = dissect_find(b->read, "jdk.MethodTiming", 0);
	assert_string_equal(text(e, "method.name"), "checkout");
	assert_int_equal(number(e, "invocations"), 40);
	assert_int_equal(number(e, "selfTime"), 2500);
	assert_int_equal(number(e, "outermostTime"), INT64_MIN);
	assert_int_equal(recorder_timed_calls(b->recorder, b->method), 40);
}

CASE(calls_whose_stack_was_not_taken_are_counted, setup, teardown)
{
	begin();
	feed((struct frt_span){now(), 2000, b->method, FRT_STACK_UNTAKEN, 2, FRT_SPAN, 0}, NULL);
	feed((struct frt_span){now(), 2000, b->method, 0, 2, FRT_SPAN, 0}, NULL);
	assert_int_equal(recorder_counts(b->recorder)->untaken, 1);
}

CASE(failure_keeps_its_cause, setup, teardown)
{
	struct recorder_setup s = {.settings = &b->settings, .target = &b->target, .segment = &b->segment};

	assert_int_equal(output_open(&b->output, b->path, &(struct output_limits){0}, &d), 0);
	s.output = b->output;
	target_hidden = true;
	b->recorder = (struct recorder *)b;
	assert_int_equal(recorder_new(&b->recorder, &s, &d), -EACCES);
	assert_null(b->recorder);
	assert_string_equal(d.text, "cannot read the target: Permission denied");
}

CASE(recording_without_calls_is_a_sound_file, setup, teardown)
{
	begin();
	finish();
	assert_int_equal(b->read->chunks, 1);
	assert_int_equal(dissect_count(b->read, "jdk.MethodTrace"), 0);
}
