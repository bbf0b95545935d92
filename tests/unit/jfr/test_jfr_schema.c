// SPDX-License-Identifier: BSD-2-Clause
/* The metadata, read back by tests/lib/jfr_dissect, which makes checks of its own (annotations, ids, units). */
#include "format/jfr/jfr_schema.h"
#include "format/jfr/jfr_write.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jfr_dissect.h"
#include "tests/lib/test.h"

static struct jfr_schema schema_new(const char *locale, int64_t gmt_offset, uint64_t salt)
{
	struct jfr_region region = {.locale = locale, .gmt_offset_ms = gmt_offset};
	struct jfr_schema s = {.users = 0};

	assert_int_equal(jfr_schema_init(&s, &region, JFR_KERNEL_NONE, false, salt), 0);
	return s;
}

/* An empty chunk, for its metadata. */
static struct dissect *metadata_read_of(enum jfr_kernel kernel, bool jdk_fields)
{
	struct jfr_origin origin = {.start_ticks = 1, .start_nanos = 2, .kernel = kernel, .jdk_fields = jdk_fields};
	static unsigned char copy[1 << 16];
	struct jfr_writer *w;
	const void *bytes;
	struct dissect *d;
	struct diag diag;
	size_t size;

	jfr_writer_new(&w, &origin, &diag);
	assert_int_equal(jfr_chunk_begin(w, 1, &diag), 0);
	assert_int_equal(jfr_chunk_finish(w, 1, true, &bytes, &size, &diag), 0);
	assert_true(size < sizeof(copy));
	memcpy(copy, bytes, size);
	jfr_writer_free(w);
	d = dissect_new(copy, size);
	assert_string_equal(d->error, "");
	return d;
}

static struct dissect *metadata_read_with(enum jfr_kernel kernel)
{
	return metadata_read_of(kernel, false);
}

static struct dissect *metadata_read(void)
{
	return metadata_read_with(JFR_KERNEL_NONE);
}

CASE(type_ids_do_not_clash_with_hotspots)
{
	struct jfr_schema s = schema_new("en_US", 0, 5);
	enum jfr_type type;

	for (type = 0; type < JFR_TYPES; type++)
		assert_true(jfr_schema_type_id(&s, type) >= JFR_TYPE_ID_BASE);
	jfr_schema_release(&s);
}

CASE(event_ids_take_two_bytes_and_are_the_same_in_all_files)
{
	struct jfr_schema a = schema_new("en_US", 0, 5), b = schema_new("de_DE", 7, 6);
	enum jfr_type type;

	for (type = JFR_FIRST_EVENT; type < JFR_TYPES; type++) {
		assert_int_equal(leb_size(jfr_schema_type_id(&a, type)), 2);
		assert_true(jfr_schema_type_id(&a, type) == jfr_schema_type_id(&b, type));
	}
	jfr_schema_release(&a);
	jfr_schema_release(&b);
}

/* So that files joined by `cat` do not use each other's constants. */
CASE(pool_ids_of_two_recordings_differ)
{
	struct jfr_schema a = schema_new("en_US", 0, 1700000000000000000),
			  b = schema_new("en_US", 0, 1700000000000000001);
	uint64_t x = jfr_schema_type_id(&a, JFR_FIRST_POOL), y = jfr_schema_type_id(&b, JFR_FIRST_POOL);

	assert_true(x > y ? x - y >= JFR_POOLS : y - x >= JFR_POOLS);
	assert_true(x > JFR_TYPE_ID_BASE + JFR_TYPES && y > JFR_TYPE_ID_BASE + JFR_TYPES);
	assert_true(x < INT32_MAX - JFR_POOLS && y < INT32_MAX - JFR_POOLS);
	jfr_schema_release(&a);
	jfr_schema_release(&b);
}

CASE(metadata_id_is_a_hash_of_the_content)
{
	struct jfr_schema a = schema_new("en_US", 0, 1), same = schema_new("en_US", 0, 1);
	struct jfr_schema salt = schema_new("en_US", 0, 2), locale = schema_new("de_DE", 0, 1),
			  gmt = schema_new("en_US", 1, 1);

	assert_true(a.id == same.id);
	assert_true(a.id != salt.id && a.id != locale.id && a.id != gmt.id);
	assert_true(a.id > 1 && a.id >> 62 == 0);
	jfr_schema_release(&a);
	jfr_schema_release(&same);
	jfr_schema_release(&salt);
	jfr_schema_release(&locale);
	jfr_schema_release(&gmt);
}

CASE(events_are_found_by_name)
{
	struct jfr_schema s = schema_new("en_US", 0, 1);

	assert_int_equal(jfr_schema_event(&s, "jdk.MethodTrace"), JFR_METHOD_TRACE);
	assert_int_equal(jfr_schema_event(&s, "frtrace.Message"), JFR_MESSAGE);
	assert_int_equal(jfr_schema_event(&s, "MethodTrace"), JFR_TYPES);
	assert_int_equal(jfr_schema_event(&s, "java.lang.Thread"), JFR_TYPES);
	assert_int_equal(jfr_schema_event(&s, ""), JFR_TYPES);
	assert_int_equal(jfr_schema_event(&s, "frtrace.ThreadWait"), JFR_TYPES);
	s.kernel = JFR_KERNEL_WAITS;
	assert_int_equal(jfr_schema_event(&s, "frtrace.ThreadWait"), JFR_THREAD_WAIT);
	jfr_schema_release(&s);
}

CASE(fields_have_the_units_that_readers_need)
{
	static const struct {
		const char *type, *field, *annotation, *value;
	} wanted[] = {
		{"jdk.MethodTrace", NULL, "jdk.jfr.Label", "Method Trace"},
		{"jdk.MethodTrace", NULL, "jdk.jfr.Category", "Java Virtual Machine"},
		{"jdk.MethodTrace", NULL, "jdk.jfr.Category", "Method Tracing"},
		{"jdk.MethodTrace", "startTime", "jdk.jfr.Timestamp", "TICKS"},
		{"jdk.MethodTrace", "duration", "jdk.jfr.Timespan", "TICKS"},
		{"jdk.MethodTrace", "method", "jdk.jfr.Contextual", NULL},
		{"jdk.ActiveRecording", "maxAge", "jdk.jfr.Timespan", "MILLISECONDS"},
		{"jdk.ActiveRecording", "maxSize", "jdk.jfr.DataAmount", "BYTES"},
		{"jdk.ActiveRecording", "recordingStart", "jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH"},
		{"jdk.CPUInformation", "cores", "jdk.jfr.Unsigned", NULL},
		{"jdk.DataLoss", "amount", "jdk.jfr.Unsigned", NULL},
		{"jdk.DataLoss", "amount", "jdk.jfr.DataAmount", "BYTES"},
		{"frtrace.Clock", "error", "jdk.jfr.Timespan", "NANOSECONDS"},
		{"frtrace.Clock", NULL, "jdk.jfr.Category", "frtrace"},
		{"jdk.jfr.Timespan", NULL, "jdk.jfr.ContentType", NULL},
	};
	struct dissect *d = metadata_read();
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_true(
			dissect_annotated(d, wanted[i].type, wanted[i].field, wanted[i].annotation, wanted[i].value));
	assert_false(dissect_annotated(d, "jdk.MethodTrace", "method", "jdk.jfr.Timespan", "TICKS"));
	dissect_free(d);
}

static void check_fields(const struct dissect *d, const char *type, const char *fields)
{
	char got[512];

	dissect_fields(d, type, got, sizeof(got));
	assert_string_equal(got, fields);
}

/* JEP 520 and HotSpot 25; JMC needs these orders and these Java types. */
CASE(fields_are_in_hotspots_order)
{
	struct dissect *d = metadata_read();

	check_fields(d, "jdk.MethodTrace",
		     "long startTime, long duration, java.lang.Thread* eventThread, jdk.types.StackTrace* stackTrace, "
		     "jdk.types.Method* method, boolean thrown, java.lang.Class* thrownClass");
	check_fields(d, "java.lang.Thread",
		     "java.lang.String osName, long osThreadId, java.lang.String javaName, long javaThreadId, "
		     "jdk.types.ThreadGroup* group, boolean virtual");
	check_fields(d, "jdk.types.StackFrame",
		     "jdk.types.Method* method, int lineNumber, int bytecodeIndex, jdk.types.FrameType* type");
	check_fields(d, "jdk.types.StackTrace", "boolean truncated, jdk.types.StackFrame[] frames");
	check_fields(d, "java.lang.Class",
		     "jdk.types.ClassLoader* classLoader, jdk.types.Symbol* name, jdk.types.Package* package, "
		     "int modifiers, boolean hidden");
	check_fields(d, "jdk.types.Method",
		     "java.lang.Class* type, jdk.types.Symbol* name, jdk.types.Symbol* descriptor, int modifiers, "
		     "boolean hidden");
	check_fields(d, "jdk.types.ClassLoader", "java.lang.Class* type, jdk.types.Symbol* name");
	check_fields(d, "jdk.types.Package", "jdk.types.Symbol* name, jdk.types.Module* module, boolean exported");
	check_fields(d, "jdk.JVMInformation",
		     "long startTime, java.lang.String jvmName, java.lang.String jvmVersion, "
		     "java.lang.String jvmArguments, java.lang.String jvmFlags, java.lang.String javaArguments, "
		     "long jvmStartTime, long pid");
	dissect_free(d);
}

/* Grafana's parser refuses a file without them. */
CASE(types_that_readers_look_for_are_declared)
{
	static const char *const wanted[] = {"boolean",
					     "byte",
					     "char",
					     "short",
					     "int",
					     "long",
					     "float",
					     "double",
					     "java.lang.String",
					     "jdk.types.ThreadState"};
	struct dissect *d = metadata_read();

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_true(dissect_declares(d, wanted[i]));
	assert_false(dissect_declares(d, "shorts"));
	check_fields(d, "jdk.types.ThreadState", "java.lang.String name");
	dissect_free(d);
}

static bool has_field(const struct dissect *d, const char *type, const char *field)
{
	char got[512];

	dissect_fields(d, type, got, sizeof(got));
	return strstr(got, field);
}

/* The names of our own fields are those of docs/recording.md, which a live test compares with a recording. */
CASE(kernel_fields_exist_only_with_kernel_data)
{
	static const enum jfr_kernel kernel[] = {JFR_KERNEL_NONE, JFR_KERNEL_WAITS, JFR_KERNEL_FULL};
	char alone[512], with[512];

	for (size_t i = 0; i < sizeof(kernel) / sizeof(*kernel); i++) {
		struct dissect *d = metadata_read_with(kernel[i]);

		assert_int_equal(has_field(d, "jdk.MethodTrace", ", long cpuTime"), kernel[i] != JFR_KERNEL_NONE);
		assert_int_equal(has_field(d, "frtrace.ThreadWait", "long startTime"), kernel[i] != JFR_KERNEL_NONE);
		assert_int_equal(has_field(d, "jdk.MethodTrace", ", long syscalls"), kernel[i] == JFR_KERNEL_FULL);
		dissect_fields(d, "jdk.MethodTrace", with, sizeof(with));
		if (kernel[i] == JFR_KERNEL_NONE)
			strcpy(alone, with);
		else
			assert_true(
				dissect_annotated(d, "jdk.MethodTrace", "cpuTime", "jdk.jfr.Timespan", "NANOSECONDS"));
		assert_memory_equal(with, alone, strlen(alone)); /* those of JEP 520 come first */
		dissect_free(d);
	}
}

/* As in a recording of JDK 25's own. */
CASE(fields_of_jep_520_can_be_alone)
{
	struct dissect *d = metadata_read_of(JFR_KERNEL_FULL, true);

	check_fields(d, "jdk.MethodTrace",
		     "long startTime, long duration, java.lang.Thread* eventThread, jdk.types.StackTrace* stackTrace, "
		     "jdk.types.Method* method");
	check_fields(
		d, "jdk.MethodTiming",
		"long startTime, jdk.types.Method* method, long invocations, long minimum, long average, long maximum");
	assert_true(has_field(d, "frtrace.ThreadWait", "jdk.types.StackTrace* kernelStack"));
	dissect_free(d);
}

static int64_t number_of(struct dissect *d, size_t call, const char *field)
{
	int64_t n = 0;

	assert_true(dissect_number(d, dissect_find(d, "jdk.MethodTrace", call), field, &n));
	return n;
}

/* Calls of a chunk that was open before have none, so the type of a chunk never changes. */
CASE(trace_ids_are_the_last_fields_from_the_next_chunk_on)
{
	struct jfr_origin origin = {.start_ticks = 1, .start_nanos = 2, .kernel = JFR_KERNEL_FULL};
	static const char *const ids = ", long syscallTime, long traceIdHi, long traceIdLo, long spanId";
	struct jfr_method_trace call = {
		.start = 3, .duration = 4, .trace_hi = ~0ull, .trace_lo = 7, .span = 1ull << 63};
	struct jfr_writer *w;
	const void *bytes;
	struct diag diag;
	size_t size;

	jfr_writer_new(&w, &origin, &diag);
	for (int with = 0; with < 2; with++) {
		struct dissect *d;

		assert_int_equal(jfr_chunk_begin(w, 1 + with, &diag), 0);
		assert_int_equal(jfr_writer_add_trace_ids(w, &diag), -EBUSY);
		jfr_method_trace(w, &call);
		jfr_method_trace(w, &(struct jfr_method_trace){.start = 5});
		assert_int_equal(jfr_chunk_finish(w, 9, with, &bytes, &size, &diag), 0);
		d = dissect_new(bytes, size);
		assert_string_equal(d->error, "");
		assert_int_equal(has_field(d, "jdk.MethodTrace", ids), with);
		assert_int_equal(has_field(d, "jdk.MethodTrace", "traceId"), with);
		if (with) {
			assert_int_equal(number_of(d, 0, "traceIdHi"), -1);
			assert_int_equal(number_of(d, 0, "traceIdLo"), 7);
			assert_true(number_of(d, 0, "spanId") == INT64_MIN);
			assert_int_equal(number_of(d, 1, "spanId"), 0);
		}
		dissect_free(d);
		assert_int_equal(jfr_writer_add_trace_ids(w, &diag), 0);
	}
	jfr_writer_free(w);
}

CASE(allocated_bytes_and_times_of_requests_are_fields_only_if_they_are_recorded)
{
	struct jfr_method_trace call = {.start = 3, .duration = 4, .allocated = 1ll << 40};

	for (int with = 0; with < 2; with++) {
		struct jfr_origin origin = {.start_ticks = 1,
					    .start_nanos = 2,
					    .kernel = JFR_KERNEL_FULL,
					    .allocated = with,
					    .until = with};
		struct jfr_trace_keys keys;
		struct jfr_writer *w;
		struct dissect *d;
		const void *bytes;
		struct diag diag;
		size_t size;

		jfr_writer_new(&w, &origin, &diag);
		assert_int_equal(jfr_writer_add_trace_ids(w, &diag), 0);
		assert_int_equal(jfr_chunk_begin(w, 1, &diag), 0);
		assert_int_equal(jfr_trace_keys(w, call.stack, call.method, &keys), !with);
		jfr_method_trace(w, &call);
		jfr_method_timing(w, &(struct jfr_method_timing){.start = 5, .allocated = JFR_MISSING});
		assert_int_equal(jfr_chunk_finish(w, 9, true, &bytes, &size, &diag), 0);
		d = dissect_new(bytes, size);
		assert_string_equal(d->error, "");
		assert_int_equal(has_field(d, "jdk.MethodTrace",
					   "long syscallTime, long allocated, long requestTime, long traceIdHi"),
				 with);
		assert_int_equal(has_field(d, "jdk.MethodTiming", "long outermostTime, long allocated"), with);
		if (with)
			assert_true(number_of(d, 0, "allocated") == 1ll << 40);
		dissect_free(d);
		jfr_writer_free(w);
	}
}

CASE(failed_allocation_is_reported)
{
	struct jfr_region region = {.locale = "en_US"};
	struct jfr_schema s = {.users = 0};
	bool happened = true;
	unsigned int n;
	int err;

	fail_nth_or_skip();
	for (n = 1; happened; n++) {
		fail_nth(n);
		err = jfr_schema_init(&s, &region, JFR_KERNEL_NONE, false, 1);
		happened = fail_nth_end();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		jfr_schema_release(&s);
	}
	assert_true(n > 10);
}
