// SPDX-License-Identifier: BSD-2-Clause
/* Chunks are judged by tests/lib/jfr_dissect, which refuses whatever breaks a rule of the format. */
#include "format/bytes.h"
#include "format/jfr_write.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jfr_dissect.h"

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define T0    1000000000000ll
#define NANOS 1700000000000000000ll
#define TRACE "jdk.MethodTrace"

static struct diag diag;

/* A writer, and the file that its chunks make. */
struct recording {
	struct jfr_writer *w;
	struct bytes file;
	int64_t now;
	struct dissect *d;
};

static struct recording recording_new(void)
{
	struct jfr_origin origin = {.start_ticks = T0, .start_nanos = NANOS, .locale = "en_US"};
	struct recording r = {.w = jfr_writer_new(&origin, &diag), .now = T0};

	assert_non_null(r.w);
	return r;
}

static void chunk_begin(struct recording *r)
{
	assert_int_equal(jfr_chunk_begin(r->w, r->now, &diag), 0);
}

static void chunk_end(struct recording *r, bool final)
{
	const void *bytes;
	size_t size;

	r->now += 1000000;
	assert_int_equal(jfr_chunk_finish(r->w, r->now, final, &bytes, &size, &diag), 0);
	bytes_put(&r->file, bytes, size);
}

static struct dissect *sound(struct recording *r)
{
	dissect_free(r->d);
	r->d = dissect_new(r->file.data, r->file.size);
	assert_string_equal(r->d->error, "");
	return r->d;
}

static void recording_free(struct recording *r)
{
	dissect_free(r->d);
	bytes_release(&r->file);
	jfr_writer_free(r->w);
}

static uint64_t a_class(struct recording *r, const char *name)
{
	return jfr_class(r->w, &(struct jfr_class_constant){.name = name, .modifiers = 1});
}

static uint64_t a_method(struct recording *r, const char *name)
{
	return jfr_method(r->w, &(struct jfr_method_constant){a_class(r, "com/acme/Cart"), name, "()V", 1, false});
}

static uint64_t a_thread(struct recording *r, int64_t id)
{
	char name[32];

	snprintf(name, sizeof(name), "worker-%lld", (long long)id);
	return jfr_thread(
		r->w, &(struct jfr_thread_constant){.name = name, .group = "main", .os_id = 4000 + id, .java_id = id});
}

static void trace(struct recording *r, uint64_t thread, uint64_t method)
{
	r->now += 100;
	jfr_method_trace(r->w, &(struct jfr_method_trace){r->now, 50, thread, 0, method, false});
}

static int64_t number(struct recording *r, const struct dissect_event *e, const char *path)
{
	int64_t v;

	assert_non_null(e);
	assert_true(dissect_number(r->d, e, path, &v));
	return v;
}

static void assert_text(struct recording *r, const struct dissect_event *e, const char *path, const char *want)
{
	const char *got;

	assert_non_null(e);
	got = dissect_text(r->d, e, path);
	assert_non_null(got);
	assert_string_equal(got, want);
}

static void chunk_without_events_is_sound(void **state)
{
	struct recording r = recording_new();

	chunk_begin(&r);
	chunk_end(&r, true);
	assert_int_equal(sound(&r)->events, 0);
	assert_int_equal(r.d->chunk[0].constants, 0);
	recording_free(&r);
}

static void method_trace_gives_back_every_value(void **state)
{
	static const int64_t times[] = {0, 1, 127, 128, T0, INT64_MAX, -1, INT64_MIN};
	struct recording r = recording_new();
	size_t i, n = sizeof(times) / sizeof(*times);
	uint64_t thread, method;

	chunk_begin(&r);
	thread = a_thread(&r, 7);
	method = a_method(&r, "checkout");
	for (i = 0; i < n; i++)
		jfr_method_trace(r.w, &(struct jfr_method_trace){times[i], times[n - 1 - i], thread, 0, method, i & 1});
	assert_int_equal(jfr_chunk_events(r.w), n);
	chunk_end(&r, true);
	assert_int_equal(dissect_count(sound(&r), TRACE), n);
	for (i = 0; i < n; i++) {
		const struct dissect_event *e = dissect_find(r.d, TRACE, i);
		int64_t v;

		assert_true(number(&r, e, "startTime") == times[i]);
		assert_true(number(&r, e, "duration") == times[n - 1 - i]);
		assert_int_equal(number(&r, e, "thrown"), i & 1);
		assert_int_equal(number(&r, e, "eventThread.javaThreadId"), 7);
		assert_int_equal(number(&r, e, "eventThread.osThreadId"), 4007);
		assert_text(&r, e, "eventThread.javaName", "worker-7");
		assert_text(&r, e, "eventThread.osName", "worker-7");
		assert_text(&r, e, "eventThread.group.name", "main");
		assert_text(&r, e, "method.name", "checkout");
		assert_text(&r, e, "method.descriptor", "()V");
		assert_text(&r, e, "method.type.name", "com/acme/Cart");
		assert_text(&r, e, "method.type.package.name", "com/acme");
		assert_false(dissect_number(r.d, e, "stackTrace.truncated", &v));
	}
	recording_free(&r);
}

static void write_companions(struct jfr_writer *w)
{
	jfr_active_recording(w, &(struct jfr_active_recording){T0, 3, "frtrace", "/tmp/x.jfr", INT64_MAX, 1000, 1 << 30,
							       1700000000000, INT64_MAX});
	jfr_active_setting(w, T0, TRACE, "threshold", "10 ms");
	jfr_jvm_information(w, &(struct jfr_jvm_information){T0, "OpenJDK", "17.0.15", "-Xmx1g", NULL, "Main",
							     1699999999000, 4242});
	jfr_os_information(w, T0, "Linux 6.18");
	jfr_cpu_information(w, &(struct jfr_cpu_information){T0, "x86", "AMD EPYC", 1, 2, 4});
	jfr_clock(w, &(struct jfr_clock){T0, -5, T0 + 1, NANOS + 1, 40});
	jfr_data_loss(w, T0, 10, UINT64_MAX);
	jfr_shutdown(w, T0, "killed by signal 9");
	jfr_message(w, T0, "skipped", "too large");
}

static void companion_events_give_back_every_value(void **state)
{
	struct recording r = recording_new();
	const struct dissect_event *e;

	chunk_begin(&r);
	write_companions(r.w);
	chunk_end(&r, true);
	assert_int_equal(sound(&r)->events, 9);
	e = dissect_find(r.d, "jdk.ActiveRecording", 0);
	assert_int_equal(number(&r, e, "id"), 3);
	assert_text(&r, e, "destination", "/tmp/x.jfr");
	assert_int_equal(number(&r, e, "disk"), 1);
	assert_true(number(&r, e, "maxAge") == INT64_MAX && number(&r, e, "recordingDuration") == INT64_MAX);
	assert_true(number(&r, e, "maxSize") == 1 << 30 && number(&r, e, "recordingStart") == 1700000000000);
	e = dissect_find(r.d, "jdk.JVMInformation", 0);
	assert_text(&r, e, "jvmVersion", "17.0.15");
	assert_null(dissect_text(r.d, e, "jvmFlags"));
	assert_int_equal(number(&r, e, "pid"), 4242);
	assert_text(&r, dissect_find(r.d, "jdk.OSInformation", 0), "osVersion", "Linux 6.18");
	e = dissect_find(r.d, "jdk.CPUInformation", 0);
	assert_true(number(&r, e, "sockets") == 1 && number(&r, e, "cores") == 2 && number(&r, e, "hwThreads") == 4);
	e = dissect_find(r.d, "frtrace.Clock", 0);
	assert_true(number(&r, e, "tsc") == -5 && number(&r, e, "monotonic") == T0 + 1);
	assert_true(number(&r, e, "realtime") == NANOS + 1 && number(&r, e, "error") == 40);
	assert_true(number(&r, dissect_find(r.d, "jdk.DataLoss", 0), "total") == -1);
	assert_text(&r, dissect_find(r.d, "jdk.Shutdown", 0), "reason", "killed by signal 9");
	assert_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text", "too large");
	recording_free(&r);
}

static void active_setting_names_its_event_type_and_no_other(void **state)
{
	struct recording r = recording_new();
	const struct dissect_event *e;

	chunk_begin(&r);
	trace(&r, a_thread(&r, 1), a_method(&r, "m"));
	jfr_active_setting(r.w, T0, TRACE, "enabled", "true");
	jfr_active_setting(r.w, T0, "jdk.NoSuchEvent", "enabled", "true");
	chunk_end(&r, true);
	assert_int_equal(dissect_count(sound(&r), "jdk.ActiveSetting"), 1);
	e = dissect_find(r.d, "jdk.ActiveSetting", 0);
	/* the id is the one with which MethodTrace events begin, in two bytes behind their size */
	assert_int_equal(number(&r, e, "id"), (r.file.data[69] & 0x7f) | r.file.data[70] << 7);
	recording_free(&r);
}

static void only_the_last_chunk_is_flagged_as_last(void **state)
{
	struct recording r = recording_new();
	int i;

	for (i = 0; i < 3; i++) {
		chunk_begin(&r);
		chunk_end(&r, i == 2);
	}
	sound(&r);
	assert_int_equal(r.d->chunk[0].flags, 1);
	assert_int_equal(r.d->chunk[1].flags, 1);
	assert_int_equal(r.d->chunk[2].flags, 3);
	assert_int_equal(r.d->chunk[2].state, 0);
	recording_free(&r);
}

static void chunks_start_one_after_the_other_on_one_tick_base(void **state)
{
	static const int64_t starts[] = {T0 + 5000, T0 + 5000, T0 + 1000, T0 + 9000};
	struct recording r = recording_new();
	int i;

	for (i = 0; i < 4; i++) {
		r.now = starts[i];
		chunk_begin(&r);
		chunk_end(&r, i == 3);
	}
	sound(&r);
	assert_true(r.d->chunk[0].start_ticks == T0 + 5000 && r.d->chunk[0].start_nanos == NANOS + 5000);
	assert_true(r.d->chunk[0].duration == 1000000);
	assert_true(r.d->chunk[1].start_ticks == T0 + 5001);
	assert_true(r.d->chunk[2].start_ticks == T0 + 5002);
	assert_true(r.d->chunk[3].start_ticks == T0 + 9000 && r.d->chunk[3].start_nanos == NANOS + 9000);
	recording_free(&r);
}

/* Each chunk uses another half of them, and new ones: the dissector compares keys across all chunks. */
static void keys_are_unique_across_chunks_and_each_chunk_has_its_constants(void **state)
{
	struct recording r = recording_new();
	uint64_t method[40], thread[40];
	char name[16];
	int i, c;

	for (c = 0; c < 8; c++) {
		chunk_begin(&r);
		for (i = 0; i < 5; i++) {
			snprintf(name, sizeof(name), "m%d", c * 5 + i);
			method[c * 5 + i] = a_method(&r, name);
			thread[c * 5 + i] = a_thread(&r, c * 5 + i + 1);
		}
		for (i = (c & 1); i < c * 5 + 5; i += 2)
			trace(&r, jfr_thread_known(r.w, thread[i]) ? thread[i] : a_thread(&r, i + 1), method[i]);
		chunk_end(&r, c == 7);
	}
	sound(&r);
	for (i = 0; i < (int)r.d->events; i++) {
		const struct dissect_event *e = dissect_find(r.d, TRACE, i);

		assert_non_null(dissect_text(r.d, e, "eventThread.javaName"));
		assert_non_null(dissect_text(r.d, e, "method.type.name"));
	}
	assert_int_equal(dissect_constants(r.d, 7, "jdk.types.Method"), 20);
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 0);
	recording_free(&r);
}

static void constants_are_written_with_all_that_they_refer_to(void **state)
{
	struct recording r = recording_new();
	uint64_t loader, class, method;
	const struct dissect_event *e;
	int64_t v;

	loader = jfr_loader(r.w, &(struct jfr_loader_constant){"org/web/Loader", "web", 77});
	class = jfr_class(r.w, &(struct jfr_class_constant){"a/b/C$D", loader, 0x11, false});
	method = jfr_method(
		r.w, &(struct jfr_method_constant){class, "run", "([[Ljava/lang/String;J)Ljava/util/List;", 9, true});
	chunk_begin(&r);
	chunk_end(&r, false);
	chunk_begin(&r);
	trace(&r, a_thread(&r, 1), method);
	chunk_end(&r, true);
	assert_int_equal(dissect_constants(sound(&r), 0, "jdk.types.Symbol"), 0);
	e = dissect_find(r.d, TRACE, 0);
	assert_text(&r, e, "method.type.classLoader.name", "web");
	assert_text(&r, e, "method.type.classLoader.type.name", "org/web/Loader");
	assert_text(&r, e, "method.type.classLoader.type.package.name", "org/web");
	assert_text(&r, e, "method.descriptor", "([[Ljava/lang/String;J)Ljava/util/List;");
	assert_true(number(&r, e, "method.modifiers") == 9 && number(&r, e, "method.hidden") == 1);
	assert_true(number(&r, e, "method.type.modifiers") == 0x11 && number(&r, e, "method.type.hidden") == 0);
	assert_false(dissect_number(r.d, e, "method.type.classLoader.type.classLoader.type", &v));
	recording_free(&r);
}

static void classes_and_methods_are_equal_by_name_and_loader(void **state)
{
	struct recording r = recording_new();
	struct jfr_loader_constant loader = {"L", "app", 1};
	struct jfr_class_constant class = {"C", 0, 1, false};
	struct jfr_method_constant method = {0, "m", "()V", 1, false};
	uint64_t l1 = jfr_loader(r.w, &loader), l2, c1, c2, m;

	assert_int_equal(jfr_loader(r.w, &loader), l1);
	loader.identity = 2;
	l2 = jfr_loader(r.w, &loader);
	assert_int_not_equal(l1, l2);
	class.loader = l1;
	c1 = jfr_class(r.w, &class);
	class.modifiers = 0x21;
	assert_int_equal(jfr_class(r.w, &class), c1);
	class.loader = l2;
	c2 = jfr_class(r.w, &class);
	assert_int_not_equal(c1, c2);
	method.class_key = c1;
	m = jfr_method(r.w, &method);
	assert_int_equal(jfr_method(r.w, &method), m);
	method.class_key = c2;
	assert_int_not_equal(jfr_method(r.w, &method), m);
	method.class_key = c1;
	method.descriptor = "()I";
	assert_int_not_equal(jfr_method(r.w, &method), m);
	recording_free(&r);
}

static void check_package(const char *name, bool hidden, const char *package)
{
	struct recording r = recording_new();
	struct jfr_class_constant class = {name, 0, 1, hidden};
	const struct dissect_event *e;
	const char *got;

	chunk_begin(&r);
	trace(&r, 0, jfr_method(r.w, &(struct jfr_method_constant){jfr_class(r.w, &class), "m", "()V", 1, false}));
	chunk_end(&r, true);
	e = dissect_find(sound(&r), TRACE, 0);
	got = dissect_text(r.d, e, "method.type.package.name");
	assert_true(package ? got && !strcmp(got, package) : !got);
	recording_free(&r);
}

static void package_is_a_prefix_of_the_class_name_or_none(void **state)
{
	char *long_name = malloc(70001);

	memset(long_name, 'x', 70000);
	long_name[69990] = '/';
	long_name[70000] = 0;
	check_package("com/acme/Cart$Line", false, "com/acme");
	check_package("Main", false, NULL);
	check_package("a/b/C$$Lambda/0x00007f0001", true, "a/b");
	check_package("a/b/C$$Lambda$14+0x00007f0001", true, "a/b");
	check_package("C$$Lambda/0x00007f0001", true, NULL);
	check_package("[Lcom/acme/Cart;", false, NULL);
	check_package("/C", false, NULL);
	check_package("\xff/\xed\xa0\xbd\xed\xb8\x80/C", false, "\xef\xbf\xbd/\xf0\x9f\x98\x80");
	check_package(long_name, false, NULL);
	free(long_name);
}

static void descriptors_that_tools_cannot_read_are_replaced(void **state)
{
	static const char *const bad[] = {NULL,	   "",	    "V",    "()",   "(",    "(I",    "(Q)V",	"(L)V",
					  "(L;)V", "(La)V", "()VV", "()[V", "(V)V", "(I)II", "(Ljava;", "([)V"};
	struct recording r = recording_new();
	uint64_t class = a_class(&r, "C");
	char name[16];
	size_t i;

	chunk_begin(&r);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(name, sizeof(name), "m%zu", i);
		trace(&r, 0, jfr_method(r.w, &(struct jfr_method_constant){class, name, bad[i], 1, false}));
	}
	chunk_end(&r, true);
	sound(&r);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_text(&r, dissect_find(r.d, TRACE, i), "method.descriptor", "()V");
	recording_free(&r);
}

static void method_without_class_is_no_constant(void **state)
{
	struct recording r = recording_new();

	assert_int_equal(jfr_class(r.w, &(struct jfr_class_constant){.name = NULL}), 0);
	assert_int_equal(jfr_class(r.w, &(struct jfr_class_constant){.name = ""}), 0);
	assert_int_equal(jfr_method(r.w, &(struct jfr_method_constant){0, "m", "()V", 1, false}), 0);
	assert_int_equal(jfr_method(r.w, &(struct jfr_method_constant){99, "m", "()V", 1, false}), 0);
	recording_free(&r);
}

static void threads_look_as_hotspot_writes_them(void **state)
{
	static const struct jfr_thread_constant threads[] = {
		{.name = "virt", .java_id = 40, .is_virtual = true},
		{.name = "", .java_id = 41, .is_virtual = true, .group = "other"},
		{.name = "VM Thread", .os_id = 12},
		{.name = "java", .os_name = "os", .os_id = 13, .java_id = 2},
	};
	struct recording r = recording_new();
	const struct dissect_event *e;
	size_t i;

	chunk_begin(&r);
	for (i = 0; i < 4; i++)
		trace(&r, jfr_thread(r.w, &threads[i]), 0);
	chunk_end(&r, true);
	e = dissect_find(sound(&r), TRACE, 0);
	assert_null(dissect_text(r.d, e, "eventThread.osName"));
	assert_text(&r, e, "eventThread.javaName", "virt");
	assert_text(&r, e, "eventThread.group.name", "VirtualThreads");
	assert_int_equal(number(&r, e, "eventThread.virtual"), 1);
	e = dissect_find(r.d, TRACE, 1);
	assert_text(&r, e, "eventThread.javaName", "");
	assert_text(&r, e, "eventThread.group.name", "other");
	e = dissect_find(r.d, TRACE, 2);
	assert_text(&r, e, "eventThread.osName", "VM Thread");
	assert_null(dissect_text(r.d, e, "eventThread.javaName"));
	assert_null(dissect_text(r.d, e, "eventThread.group.name"));
	e = dissect_find(r.d, TRACE, 3);
	assert_text(&r, e, "eventThread.osName", "os");
	assert_text(&r, e, "eventThread.javaName", "java");
	recording_free(&r);
}

static void renamed_thread_gets_a_new_key(void **state)
{
	struct recording r = recording_new();
	struct jfr_thread_constant t = {.name = "before", .os_id = 5, .java_id = 9};
	uint64_t key = jfr_thread(r.w, &t);

	assert_int_equal(jfr_thread(r.w, &t), key);
	t.name = "after";
	assert_int_not_equal(jfr_thread(r.w, &t), key);
	recording_free(&r);
}

static void forgotten_thread_is_left_out_and_told(void **state)
{
	struct recording r = recording_new();
	uint64_t thread, method = a_method(&r, "m");
	const struct dissect_event *e;
	int i;

	chunk_begin(&r);
	thread = a_thread(&r, 1);
	for (i = 0; i < 3; i++) {
		assert_true(jfr_thread_known(r.w, thread));
		chunk_end(&r, false);
		chunk_begin(&r);
	}
	assert_false(jfr_thread_known(r.w, thread));
	trace(&r, thread, method);
	trace(&r, thread, method + 100);
	trace(&r, 0, 0);
	chunk_end(&r, true);
	e = dissect_find(sound(&r), TRACE, 0);
	assert_text(&r, e, "method.name", "m");
	assert_null(dissect_text(r.d, e, "eventThread.javaName"));
	assert_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text",
		    "2 events whose thread had been forgotten stand without it");
	assert_text(&r, dissect_find(r.d, "frtrace.Message", 1), "text",
		    "1 events whose method is unknown stand without it");
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 2);
	recording_free(&r);
}

static void events_outside_a_chunk_are_dropped_and_told(void **state)
{
	struct recording r = recording_new();

	trace(&r, 0, 0);
	jfr_message(r.w, 0, "a", "b");
	chunk_begin(&r);
	chunk_end(&r, true);
	assert_int_equal(sound(&r)->events, 1);
	assert_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text", "2 events outside of a chunk were dropped");
	recording_free(&r);
}

static void chunks_are_opened_and_closed_in_turn(void **state)
{
	struct recording r = recording_new();
	const void *bytes;
	size_t size;

	assert_int_equal(jfr_chunk_finish(r.w, T0, true, &bytes, &size, &diag), -EINVAL);
	assert_int_equal(jfr_chunk_size(r.w), 0);
	assert_int_equal(jfr_chunk_events(r.w), 0);
	chunk_begin(&r);
	assert_int_equal(jfr_chunk_begin(r.w, T0, &diag), -EBUSY);
	assert_string_equal(diag.text, "cannot begin a chunk: the one before is open");
	chunk_end(&r, true);
	recording_free(&r);
}

static void size_of_the_open_chunk_is_told_about_right(void **state)
{
	struct recording r = recording_new();
	size_t told;
	int i;

	chunk_begin(&r);
	for (i = 0; i < 1000; i++)
		trace(&r, a_thread(&r, i + 1), a_method(&r, "m"));
	told = jfr_chunk_size(r.w);
	chunk_end(&r, true);
	assert_true(told > r.file.size * 9 / 10 && told <= r.file.size);
	recording_free(&r);
}

static void names_from_a_jvm_become_true_utf8(void **state)
{
	struct recording r = recording_new();
	uint64_t class = a_class(&r, "p/\xed\xa0\xbd\xed\xb8\x80"), method, thread;
	const struct dissect_event *e;

	method = jfr_method(r.w, &(struct jfr_method_constant){class, "\xc3\xa9\xff", "()V", 1, false});
	thread = jfr_thread(r.w, &(struct jfr_thread_constant){.name = "\xed\xa0\xbd", .os_id = 1, .java_id = 1});
	chunk_begin(&r);
	trace(&r, thread, method);
	chunk_end(&r, true);
	e = dissect_find(sound(&r), TRACE, 0);
	assert_text(&r, e, "method.type.name", "p/\xf0\x9f\x98\x80");
	assert_text(&r, e, "method.name", "\xc3\xa9\xef\xbf\xbd");
	assert_text(&r, e, "eventThread.javaName", "\xef\xbf\xbd");
	recording_free(&r);
}

static void long_texts_are_cut(void **state)
{
	struct recording r = recording_new();
	size_t size = 3 << 20;
	char *text = malloc(size + 1);
	const char *got;

	memset(text, 'x', size);
	text[size] = 0;
	chunk_begin(&r);
	jfr_message(r.w, T0, "long", text);
	trace(&r, jfr_thread(r.w, &(struct jfr_thread_constant){.name = text, .os_id = 1, .java_id = 1}), 0);
	chunk_end(&r, true);
	sound(&r);
	got = dissect_text(r.d, dissect_find(r.d, "frtrace.Message", 0), "text");
	assert_int_equal(strlen(got), 1 << 20);
	assert_string_equal(got + (1 << 20) - 4, "x...");
	assert_int_equal(strlen(dissect_text(r.d, dissect_find(r.d, TRACE, 0), "eventThread.javaName")), 1000);
	recording_free(&r);
	free(text);
}

/* 9 MB of names: more than one checkpoint. */
static void many_constants_make_a_chain_of_checkpoints(void **state)
{
	struct recording r = recording_new();
	char name[301];
	int i, n = 30000;

	chunk_begin(&r);
	memset(name, 'n', 300);
	for (i = 0; i < n; i++) {
		snprintf(name + 290, 11, "%d", i);
		trace(&r, a_thread(&r, i + 1), a_method(&r, name));
	}
	chunk_end(&r, true);
	assert_int_equal(dissect_count(sound(&r), TRACE), n);
	assert_true(r.d->chunk[0].checkpoints > 2);
	assert_int_equal(dissect_constants(r.d, 0, "jdk.types.Method"), n);
	assert_text(&r, dissect_find(r.d, TRACE, n - 1), "method.name", name);
	recording_free(&r);
}

static void a_million_events_are_all_there(void **state)
{
	struct recording r = recording_new();
	uint64_t thread = 0, method = a_method(&r, "m");
	size_t i, n = 1000000;
	int64_t start, sum = 0;

	chunk_begin(&r);
	for (i = 0; i < n; i++) {
		if (i % 1000 == 0)
			thread = a_thread(&r, i / 1000 + 1);
		trace(&r, thread, method);
		if (jfr_chunk_size(r.w) > 4 << 20) {
			chunk_end(&r, false);
			chunk_begin(&r);
		}
	}
	chunk_end(&r, true);
	assert_int_equal(sound(&r)->events, n);
	assert_true(r.d->chunks > 3);
	for (i = 0; i < n; i++) {
		assert_true(dissect_number(r.d, &r.d->event[i], "startTime", &start));
		sum += start;
	}
	assert_true(start > T0 + 100 * (int64_t)n);
	assert_true(sum > (int64_t)n * T0);
	recording_free(&r);
}

/* Thousands of threads come and go; each chunk carries only its own. */
static void chunk_does_not_carry_the_threads_of_others(void **state)
{
	struct recording r = recording_new();
	uint64_t method = a_method(&r, "m");
	int64_t id = 1;
	int c, i;

	for (c = 0; c < 5; c++) {
		chunk_begin(&r);
		for (i = 0; i < 2000; i++)
			trace(&r, a_thread(&r, id++), method);
		chunk_end(&r, c == 4);
	}
	sound(&r);
	for (c = 0; c < 5; c++)
		assert_int_equal(dissect_constants(r.d, c, "java.lang.Thread"), 2000);
	assert_int_equal(number(&r, &r.d->event[r.d->events - 1], "eventThread.javaThreadId"), 10000);
	recording_free(&r);
}

/* A whole small recording; 0 or -ENOMEM. */
static int small_recording(struct recording *r)
{
	const void *bytes;
	size_t size;
	int err, i;

	err = jfr_chunk_begin(r->w, r->now += 1000, &diag);
	if (err)
		return err;
	write_companions(r->w);
	for (i = 1; i < 40; i++)
		trace(r, a_thread(r, i), a_method(r, i & 1 ? "odd" : "even"));
	err = jfr_chunk_finish(r->w, r->now, false, &bytes, &size, &diag);
	if (!err)
		bytes_put(&r->file, bytes, size);
	return err;
}

static void failed_allocation_costs_one_chunk_at_most(void **state)
{
	struct jfr_origin origin = {.start_ticks = T0, .start_nanos = NANOS};
	bool happened = true;
	unsigned int n;
	int err;

	if (!fail_nth_works()) {
		print_message("allocations cannot be failed here\n");
		skip();
	}
	for (n = 1; happened; n++) {
		struct recording r = {.now = T0};

		bytes_reserve(&r.file, 1 << 20); /* not itself to fail */
		fail_nth(n);
		r.w = jfr_writer_new(&origin, &diag);
		err = r.w ? small_recording(&r) : -ENOMEM;
		happened = fail_nth_happened();
		fail_nth(0);
		assert_int_equal(err, happened ? -ENOMEM : 0);
		assert_true(!err || strstr(diag.text, "cannot "));
		if (r.w) {
			assert_int_equal(small_recording(&r), 0);
			assert_int_equal(dissect_count(sound(&r), TRACE), err ? 39 : 78);
			assert_text(&r, dissect_find(r.d, TRACE, 38), "method.name", "odd");
		}
		recording_free(&r);
	}
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunk_without_events_is_sound),
		cmocka_unit_test(method_trace_gives_back_every_value),
		cmocka_unit_test(companion_events_give_back_every_value),
		cmocka_unit_test(active_setting_names_its_event_type_and_no_other),
		cmocka_unit_test(only_the_last_chunk_is_flagged_as_last),
		cmocka_unit_test(chunks_start_one_after_the_other_on_one_tick_base),
		cmocka_unit_test(keys_are_unique_across_chunks_and_each_chunk_has_its_constants),
		cmocka_unit_test(constants_are_written_with_all_that_they_refer_to),
		cmocka_unit_test(classes_and_methods_are_equal_by_name_and_loader),
		cmocka_unit_test(package_is_a_prefix_of_the_class_name_or_none),
		cmocka_unit_test(descriptors_that_tools_cannot_read_are_replaced),
		cmocka_unit_test(method_without_class_is_no_constant),
		cmocka_unit_test(threads_look_as_hotspot_writes_them),
		cmocka_unit_test(renamed_thread_gets_a_new_key),
		cmocka_unit_test(forgotten_thread_is_left_out_and_told),
		cmocka_unit_test(events_outside_a_chunk_are_dropped_and_told),
		cmocka_unit_test(chunks_are_opened_and_closed_in_turn),
		cmocka_unit_test(size_of_the_open_chunk_is_told_about_right),
		cmocka_unit_test(names_from_a_jvm_become_true_utf8),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(many_constants_make_a_chain_of_checkpoints),
		cmocka_unit_test(a_million_events_are_all_there),
		cmocka_unit_test(chunk_does_not_carry_the_threads_of_others),
		cmocka_unit_test(failed_allocation_costs_one_chunk_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
