// SPDX-License-Identifier: BSD-2-Clause
/*
 * frtrace's files as shown by the `jfr` of each JDK (tests/lib/jdk.h). Without a JDK all tests are skipped.
 *
 * A run of `jfr` takes half a second. So the setup writes the files and runs the tools once, and the tests check
 * their output.
 */
#include "format/jfr/jfr_write.h"
#include "tests/lib/jdk.h"
#include "tests/lib/json.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#define T0	5000000000000ll
#define SECONDS 1700000000ll /* since the epoch, at T0: 2023-11-14T22:13:20Z */
#define CHUNKS	4
#define CALLS	25 /* per chunk */
#define MILLION 1000000
#define FACE	"\xf0\x9f\x98\x80"

static struct jdk jdk[8];
static unsigned int jdks;
static struct diag diag;

/* The n-th call of the recording: as written, and as it must be shown. */
struct call {
	int64_t start, duration;
	const char *class, *method, *descriptor, *thread;
	int64_t thread_id;
	bool thrown, is_virtual;
};

static struct call call_nth(int n)
{
	static const char *const threads[] = {"main", "worker \"1\"", "gr\xc3\xbc\xc3\x9f" FACE, "virtual", ""};
	static const char *const methods[] = {"checkout", "<init>",
					      "stra\xc3\x9f"
					      "e",
					      "lambda$pay$0"};
	static const char *const descriptors[] = {"(Lcom/acme/Order;[I)V", "()V", "(JDZ)Ljava/lang/String;", "([[Z)I"};
	/* they end one after the other, so that the tools keep the order */
	struct call c = {.duration = n * 37 + (n % 3) * 123456789ll};

	c.start = T0 + (n / CALLS) * 1000000000ll + n * 1001 - c.duration;
	c.class = n & 1 ? "com/acme/Cart" : "com/acme/Cart$Line" FACE;
	c.method = methods[n / 2 % 4];
	c.descriptor = descriptors[n / 2 % 4];
	c.thread = threads[n % 5];
	c.thread_id = n % 5 + (n < 10 ? 1 : 1ll << 40);
	c.is_virtual = n % 5 == 3;
	c.thrown = n % 7 == 0;
	return c;
}

/* As in a JVM: above U+FFFF two surrogates of three bytes each. */
static const char *modified(const char *text)
{
	static char out[2][256];
	static int next;
	char *to = out[next++ & 1];
	const char *face = strstr(text, FACE);

	if (!face)
		return text;
	snprintf(to, 256, "%.*s\xed\xa0\xbd\xed\xb8\x80%s", (int)(face - text), text, face + 4);
	return to;
}

static void write_call(struct jfr_writer *w, const struct call *c)
{
	struct jfr_loader_constant loader = {"jdk/internal/loader/ClassLoaders$AppClassLoader", "app", 1};
	struct jfr_class_constant class = {modified(c->class), jfr_loader(w, &loader), 0x21, false, NULL};
	struct jfr_method_constant method = {jfr_class(w, &class), c->method, c->descriptor, 1, false};
	struct jfr_thread_constant thread = {
		.name = modified(c->thread), .java_id = c->thread_id, .is_virtual = c->is_virtual};

	thread.os_id = c->is_virtual ? 0 : 1234;
	thread.group = c->is_virtual ? NULL : "main";
	jfr_method_trace(w, &(struct jfr_method_trace){.start = c->start,
						       .duration = c->duration,
						       .thread = jfr_thread(w, &thread),
						       .method = jfr_method(w, &method),
						       .thrown = c->thrown});
}

static void write_companions(struct jfr_writer *w, int64_t t)
{
	jfr_active_recording(w, &(struct jfr_active_recording){t, 1, "frtrace", "x.jfr", INT64_MAX, 1000, 0,
							       SECONDS * 1000, INT64_MAX, true});
	jfr_active_setting(w, t, "jdk.MethodTrace", "enabled", "true");
	jfr_active_setting(w, t, "jdk.MethodTrace", "threshold", "10 ms");
	jfr_jvm_information(w, &(struct jfr_jvm_information){t, "OpenJDK 64-Bit Server VM", "17.0.15", "-Xmx1g", NULL,
							     "shop.jar", SECONDS * 1000 - 1, 4242});
	jfr_os_information(w, t, "Linux 6.18");
	jfr_cpu_information(w, &(struct jfr_cpu_information){t, "x86_64", "AMD EPYC", 1, 2, 4});
	jfr_clock(w, &(struct jfr_clock){t, 77, t, SECONDS * 1000000000, 40});
	jfr_data_loss(w, t, 1024, 4096);
	jfr_shutdown(w, t, "ended");
	jfr_message(w, t, "skipped", "Cart.huge: would pass 64 KiB");
}

static struct jfr_writer *writer_new(int64_t moment)
{
	struct jfr_origin origin = {.start_ticks = T0,
				    .start_nanos = SECONDS * 1000000000 + moment,
				    .locale = "en_US",
				    .gmt_offset_ms = 3600000};
	struct jfr_writer *w;

	assert_int_equal(jfr_writer_new(&w, &origin, &diag), 0);
	return w;
}

static FILE *create(const char *name)
{
	FILE *f = fopen(workdir_path(name), "w");

	assert_non_null(f);
	return f;
}

static void chunk_write(struct jfr_writer *w, FILE *f, int64_t end, bool final)
{
	const void *bytes;
	size_t size;

	assert_int_equal(jfr_chunk_finish(w, end, final, &bytes, &size, &diag), 0);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
}

static void write_calls(void)
{
	struct jfr_writer *w = writer_new(0);
	FILE *f = create("calls.jfr");
	int c, i;

	for (c = 0; c < CHUNKS; c++) {
		int64_t t = T0 + c * 1000000000ll;

		assert_int_equal(jfr_chunk_begin(w, t, &diag), 0);
		write_companions(w, t);
		for (i = 0; i < CALLS; i++) {
			struct call call = call_nth(c * CALLS + i);

			write_call(w, &call);
		}
		chunk_write(w, f, t + (c ? 1000000000 : 900000000), c == CHUNKS - 1);
		if (c == 0) { /* a chunk without events and constants */
			assert_int_equal(jfr_chunk_begin(w, t + 900000000, &diag), 0);
			chunk_write(w, f, t + 1000000000, false);
		}
	}
	fclose(f);
	jfr_writer_free(w);
}

/* Here the keys of calls.jfr mean other things; for the two files joined by `cat`. */
static void write_other(void)
{
	struct call call = {.start = T0 + 1, .duration = 9, .class = "org/Other", .method = "different"};
	struct jfr_writer *w = writer_new(10000000000);
	FILE *f = create("other.jfr");

	call.descriptor = "()V";
	call.thread = "somebody else";
	call.thread_id = 99;
	assert_int_equal(jfr_chunk_begin(w, T0, &diag), 0);
	write_call(w, &call);
	chunk_write(w, f, T0 + 1000, true);
	fclose(f);
	jfr_writer_free(w);
}

/* Types only, those of JEP 520 without our fields. */
static void write_plain(void)
{
	struct jfr_origin origin = {
		.start_ticks = T0, .start_nanos = SECONDS * 1000000000, .kernel = JFR_KERNEL_FULL, .jdk_fields = true};
	FILE *f = create("plain.jfr");
	struct jfr_writer *w;

	assert_int_equal(jfr_writer_new(&w, &origin, &diag), 0);
	assert_int_equal(jfr_chunk_begin(w, T0, &diag), 0);
	chunk_write(w, f, T0 + 1000, true);
	fclose(f);
	jfr_writer_free(w);
}

static void write_million(void)
{
	struct jfr_class_constant class = {"C", 0, 1, false, NULL};
	struct jfr_writer *w = writer_new(0);
	struct jfr_method_trace e = {.start = T0};
	FILE *f = create("million.jfr");
	int i;

	e.method = jfr_method(w, &(struct jfr_method_constant){jfr_class(w, &class), "m", "()V", 1, false});
	assert_int_equal(jfr_chunk_begin(w, T0, &diag), 0);
	for (i = 0; i < MILLION; i++, e.start += 100) {
		if (i % 100 == 0) /* 10,000 threads */
			e.thread = jfr_thread(
				w, &(struct jfr_thread_constant){.name = "t", .java_id = i + 1, .os_id = i + 1});
		jfr_method_trace(w, &e);
		if (jfr_chunk_size(w) > 6 << 20) {
			chunk_write(w, f, e.start, false);
			assert_int_equal(jfr_chunk_begin(w, e.start, &diag), 0);
		}
	}
	chunk_write(w, f, e.start, true);
	fclose(f);
	jfr_writer_free(w);
}

static void find_jdks(void)
{
	char tool[PATH_MAX + 16];
	size_t found = jdk_find(jdk, 8);

	for (size_t i = 0; i < found; i++) {
		snprintf(tool, sizeof(tool), "%s/bin/jfr", jdk[i].home);
		if (!access(tool, X_OK))
			jdk[jdks++] = jdk[i];
	}
}

/*
 * Runs two at a time. NAME receives the output, NAME.status the exit status. scrub and view came after JDK 17, the
 * view method-calls with 25. Without a file, metadata are those of the JDK itself.
 */
static const char script[] =
	"cd \"$1\" && tool=$2 n=$3 && export LC_ALL=C.UTF-8\n"
	"jfr() { \"$tool\" " JDK_BRIEF_TOOL " \"$@\"; }\n"
	"run() { out=$n.$1; shift; jfr \"$@\" >$out 2>&1 </dev/null; echo $? >$out.status; }\n"
	"( run summary summary calls.jfr; run print print calls.jfr; run json print --json --events MethodTrace "
	"calls.jfr\n"
	"  run metadata metadata calls.jfr\n"
	"  case $(jfr version) in 25*) run own metadata --events MethodTrace,MethodTiming\n"
	"  run plain metadata --events MethodTrace,MethodTiming plain.jfr\n"
	"  for k in own plain; do grep -v '^ *@' $n.$k >$n.$k.fields; sort $n.$k >$n.$k.lines; done;; esac\n"
	") & ( run million summary million.jfr; run cat print --events MethodTrace both.jfr\n"
	"  jfr help | grep -q 'jfr scrub' || exit 0\n"
	"  run scrub scrub --include-events jdk.MethodTrace calls.jfr $n.scrubbed.jfr\n"
	"  run scrubbed print --json $n.scrubbed.jfr\n"
	"  jfr help | grep -q 'jfr view' || exit 0\n"
	"  jfr help view | grep -q method-calls && run calls view --width 200 method-calls calls.jfr\n"
	"  run settings view active-settings calls.jfr\n"
	"  run table view --width 300 MethodTrace calls.jfr\n"
	"  run recording view recording calls.jfr; run types view types calls.jfr ) & wait\n";

static int run_tools(unsigned int n)
{
	char command[3 * PATH_MAX];

	snprintf(command, sizeof(command), "sh -c 'eval \"$SCRIPT\"' sh '%s' '%s/bin/jfr' %u", workdir, jdk[n].home, n);
	setenv("SCRIPT", script, 1);
	return system(command);
}

static int setup(void **state)
{
	char command[PATH_MAX];
	unsigned int i;

	find_jdks();
	if (workdir_make(state))
		return -1;
	write_calls();
	write_other();
	write_plain();
	write_million();
	snprintf(command, sizeof(command), "cd %s && cat calls.jfr other.jfr > both.jfr", workdir);
	if (system(command))
		return -1;
	for (i = 0; i < jdks; i++)
		if (run_tools(i))
			return -1;
	return 0;
}

/* The output of a JDK's tool, which the caller frees; NULL if it did not run. */
static char *printed(unsigned int n, const char *name)
{
	char path[PATH_MAX], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u.%s", workdir, n, name);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	if (getdelim(&text, &size, 0, f) < 0)
		*text = 0;
	fclose(f);
	return text;
}

/* The same for a tool that must have succeeded. */
static char *output(unsigned int n, const char *name)
{
	char file[64], *status, *text = printed(n, name);

	if (!text)
		return NULL;
	snprintf(file, sizeof(file), "%s.status", name);
	status = printed(n, file);
	if (!status || strcmp(status, "0\n"))
		fail_msg("%s %s: status %s: %.500s", jdk[n].home, name, status ? status : "?", text);
	free(status);
	return text;
}

/* The first JDK; skips the case if there is none. */
static unsigned int first_jdk(void)
{
	if (!jdks) {
		print_message("no JDK with the tool `jfr` was found in $JAVA_HOME, PATH and /usr/lib/jvm\n");
		skip();
	}
	return 0;
}

/* The same for a tool that each JDK has. */
static char *needed(unsigned int n, const char *name)
{
	char *text = output(n, name);

	assert_non_null(text);
	return text;
}

/* The block that follows judges the output of each JDK's tool. */
#define EACH_OUTPUT(n, text, name)                        \
	for (unsigned int n = first_jdk(); n < jdks; n++) \
		for (char *text = needed(n, name); text; free(text), text = NULL)

static void assert_printed(unsigned int n, const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("%s: no '%s' in: %.2000s", jdk[n].home, want, text);
}

/* The width of the summary's columns depends on the types in the file. */
static void assert_counted(unsigned int n, const char *summary, const char *type, unsigned int count)
{
	const char *line = strstr(summary, type);

	if (!line || strtoul(line + strlen(type), NULL, 10) != count)
		fail_msg("%s: not %u of '%s' in: %.2000s", jdk[n].home, count, type, summary);
}

static unsigned int occurrences(const char *text, const char *what)
{
	unsigned int n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* java.time prints as many groups of three digits as necessary; the recording's zone is one hour east. */
static const char *time_text(int64_t ticks)
{
	int64_t nanos = SECONDS * 1000000000 + (ticks - T0);
	time_t seconds = nanos / 1000000000 + 3600;
	unsigned int part = nanos % 1000000000;
	static char out[64];
	size_t n = strftime(out, sizeof(out), "%Y-%m-%dT%H:%M:%S", gmtime(&seconds));

	if (part % 1000)
		n += sprintf(out + n, ".%09u", part);
	else if (part % 1000000)
		n += sprintf(out + n, ".%06u", part / 1000);
	else if (part)
		n += sprintf(out + n, ".%03u", part / 1000000);
	strcpy(out + n, "+01:00");
	return out;
}

static const char *duration_text(int64_t nanos)
{
	static char out[64];
	size_t n = sprintf(out, "PT%d.%09d", (int)(nanos / 1000000000), (int)(nanos % 1000000000));

	while (out[n - 1] == '0')
		n--;
	n -= out[n - 1] == '.';
	strcpy(out + n, "S");
	return out;
}

static void check_call(const char *values, const struct call *c)
{
	char id[32];

	snprintf(id, sizeof(id), "%lld", (long long)c->thread_id);
	assert_string_equal(json_text(values, "startTime"), time_text(c->start));
	assert_string_equal(json_text(values, "duration"), duration_text(c->duration));
	assert_string_equal(json_text(values, "eventThread.javaName"), c->thread);
	assert_string_equal(json_text(values, "eventThread.javaThreadId"), id);
	assert_string_equal(json_text(values, "eventThread.osThreadId"), c->is_virtual ? "0" : "1234");
	assert_string_equal(json_text(values, "eventThread.virtual"), c->is_virtual ? "true" : "false");
	assert_string_equal(json_text(values, "eventThread.group.name"), c->is_virtual ? "VirtualThreads" : "main");
	assert_string_equal(json_text(values, "stackTrace"), "null");
	assert_string_equal(json_text(values, "method.type.name"), c->class);
	assert_string_equal(json_text(values, "method.type.package.name"), "com/acme");
	assert_string_equal(json_text(values, "method.type.classLoader.name"), "app");
	assert_string_equal(json_text(values, "method.name"), c->method);
	assert_string_equal(json_text(values, "method.descriptor"), c->descriptor);
	assert_string_equal(json_text(values, "thrown"), c->thrown ? "true" : "false");
}

static void check_json(const char *json)
{
	const char *p = json;
	int n = 0;

	while ((p = strstr(p, "\"type\": \"jdk.MethodTrace\""))) {
		struct call call = call_nth(n++);

		p = strstr(p, "\"values\": ");
		check_call(p + 10, &call);
	}
	assert_int_equal(n, CHUNKS * CALLS);
}

CASE(json_has_what_was_written)
{
	EACH_OUTPUT(n, text, "json")
	check_json(text);
}

CASE(summary_counts_every_event)
{
	EACH_OUTPUT(n, text, "summary")
	{
		assert_printed(n, text, "Chunks: 5");
		assert_printed(n, text, "Start: 2023-11-14 22:13:20 (UTC)");
		assert_printed(n, text, "Duration: 4 s");
		assert_counted(n, text, " jdk.MethodTrace ", 100);
		assert_counted(n, text, " jdk.ActiveSetting ", 8);
		assert_lacks(text, "missing event metadata");
	}
}

CASE(summary_of_a_million_events_counts_them)
{
	EACH_OUTPUT(n, text, "million")
	assert_counted(n, text, " jdk.MethodTrace ", MILLION);
}

CASE(print_shows_methods_threads_and_units)
{
	static const char *const wanted[] = {
		"method = com.acme.Cart.checkout(Order, int[])",
		"eventThread = \"main\" (javaThreadId = 1)",
		"eventThread = \"gr\xc3\xbc\xc3\x9f" FACE "\" (javaThreadId = 3)",
		"duration = 0.000111 ms",
		"duration = 123 ms",
		"thrown = true",
		"maxSize = 0 bytes",
		"sockets = 1",
		"error = 0.000040 ms",
		"amount = 1.0 kB",
		"total = 4.0 kB",
		"realtime = 1700000000000000000",
		"text = \"Cart.huge: would pass 64 KiB\"",
		"jvmFlags = N/A",
		"pid = 4242",
		"reason = \"ended\"",
		"startTime = 23:13:20.",
	};

	EACH_OUTPUT(n, text, "print")
	{
		for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
			assert_printed(n, text, wanted[i]);
		assert_int_equal(occurrences(text, "jdk.MethodTrace {"), CHUNKS * CALLS);
		assert_int_equal(occurrences(text, "N/A"), CHUNKS + CHUNKS * CALLS); /* jvmFlags, thrownClass */
	}
}

CASE(metadata_are_shown_with_their_annotations)
{
	EACH_OUTPUT(n, text, "metadata")
	{
		assert_printed(n, text, "class MethodTrace extends jdk.jfr.Event {");
		assert_printed(n, text, "@Category({\"Java Virtual Machine\", \"Method Tracing\"})");
		assert_printed(n, text, "@Timespan(\"TICKS\")");
		assert_printed(n, text, "boolean thrown;");
		assert_printed(n, text, "class Message extends jdk.jfr.Event {");
	}
}

/* Names, types and order of the fields, and all annotations in any order. */
CASE(fields_of_jep_520_alone_are_those_of_jdk_25)
{
	static const char *const parts[][2] = {{"own.fields", "plain.fields"}, {"own.lines", "plain.lines"}};
	unsigned int compared = 0;

	for (unsigned int n = first_jdk(); n < jdks; n++) {
		for (size_t i = 0; i < 2; i++) {
			char *own = printed(n, parts[i][0]), *plain = printed(n, parts[i][1]);

			if (own) {
				assert_printed(n, own, "class MethodTiming extends jdk.jfr.Event {");
				assert_string_equal(plain, own);
			}
			compared += own != NULL;
			free(own);
			free(plain);
		}
	}
	if (!compared)
		skip();
}

/* Readers keep constants by type and key from chunk to chunk. */
CASE(recordings_joined_by_cat_keep_their_own_names)
{
	EACH_OUTPUT(n, text, "cat")
	{
		assert_int_equal(occurrences(text, "jdk.MethodTrace {"), CHUNKS * CALLS + 1);
		assert_printed(n, text, "method = org.Other.different()");
		assert_printed(n, text, "eventThread = \"somebody else\" (javaThreadId = 99)");
		assert_int_equal(occurrences(text, "somebody else"), 1);
		assert_int_equal(occurrences(text, "org.Other.different()"), 1);
	}
}

CASE(scrubbed_recording_is_the_same)
{
	unsigned int tried = 0;

	for (unsigned int n = first_jdk(); n < jdks; n++) {
		char *text = output(n, "scrub"), *json = output(n, "scrubbed");

		if (!text)
			continue;
		check_json(json);
		free(json);
		free(text);
		tried++;
	}
	if (!tried) {
		print_message("none of %u JDKs has `jfr scrub`\n", jdks);
		skip();
	}
}

CASE(views_show_the_recording)
{
	unsigned int tried = 0;

	for (unsigned int n = first_jdk(); n < jdks; n++) {
		char *calls = output(n, "calls"), *settings = output(n, "settings"),
		     *recording = output(n, "recording");
		char *types = output(n, "types"), *table = output(n, "table");

		if (!settings)
			continue;
		if (calls)
			assert_printed(n, calls, "com.acme.Cart.checkout(Order, int[])");
		assert_printed(n, table, "0.000111 ms virtual");
		assert_printed(n, settings, "10 ms");
		assert_printed(n, recording, "ended");
		assert_printed(n, types, "MethodTrace (100)");
		assert_printed(n, types, "Clock (4)");
		free(calls);
		free(settings);
		free(recording);
		free(types);
		free(table);
		tried++;
	}
	if (!tried) {
		print_message("none of %u JDKs has `jfr view`\n", jdks);
		skip();
	}
}

int main(void)
{
	return test_main(setup, workdir_remove);
}
