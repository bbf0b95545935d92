// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks as shown by the JDKs' own `jfr`. Every installed JDK with the tool judges; without any, all tests are
 * skipped.
 */
#include "tests/lib/jdk.h"
#include "tests/lib/json.h"
#include "tests/lib/recording.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <unistd.h>

#define DEEP   JFR_STACK_FRAMES
#define CHUNKS 5

static struct jdk jdk[8];
static size_t jdks;

/* A frame as written, and as it must be shown. */
struct frame {
	const char *class, *method;
	int line, bci;
	enum jfr_frame_type type;
};

static const char *const type_text[] = {"Interpreted", "JIT compiled", "Inlined", "Native", "Unknown", "Kernel"};

static const struct frame web[] = {
	{"com/acme/Shop", "buy", 42, 7, JFR_FRAME_INLINED},
	{"com/acme/Shop$$Lambda/0x00007f0001", "run", -1, 3, JFR_FRAME_JIT},
	{"com/acme/Web", "serve", 65535, 65534, JFR_FRAME_JIT},
	{"jdk/internal/reflect/NativeMethodAccessorImpl", "invoke0", -1, 0, JFR_FRAME_NATIVE},
	{"com/acme/Main", "main", 1, 0, JFR_FRAME_INTERPRETED},
};

/* A stack of unknown frames. */
static const struct frame lost[] = {
	{NULL, NULL, -1, -1, JFR_FRAME_UNKNOWN},
	{"com/acme/Main", "main", 2, 9, JFR_FRAME_INTERPRETED},
	{NULL, NULL, -1, -1, JFR_FRAME_KERNEL},
};
static struct frame deep[DEEP];

/* The calls of a chunk: each with its own stack, the last one without. */
static const struct call {
	const struct frame *frames;
	size_t count;
	bool truncated;
} calls[] = {{web, 5, false}, {lost, 3, false}, {deep, DEEP, true}, {NULL, 0, false}};
#define CALLS 4

static bool is_hidden(const struct frame *f)
{
	return f->class && strstr(f->class, "$$Lambda/");
}

static uint64_t method(struct recording *r, const struct frame *f)
{
	struct jfr_method_constant m = {.name = f->method, .descriptor = "(I)V", .hidden = is_hidden(f)};
	struct jfr_class_constant class = {.name = f->class, .hidden = is_hidden(f)};

	m.class_key = f->class ? jfr_class(r->w, &class) : 0;
	return jfr_method(r->w, &m);
}

static uint64_t stack(struct recording *r, const struct call *c)
{
	static struct jfr_frame frames[DEEP];
	size_t i;

	for (i = 0; i < c->count; i++) {
		const struct frame *f = &c->frames[i];

		frames[i] = (struct jfr_frame){method(r, f), f->line, f->bci, f->type};
	}
	return jfr_stack(r->w, frames, c->count, c->truncated);
}

/* The first and the last chunk have all calls; between them the deep stack is forgotten. */
static bool is_called(int chunk, int call)
{
	return call != 2 || chunk == 0 || chunk == CHUNKS - 1;
}

static void write_recording(struct recording *r)
{
	uint64_t traced = recording_method(r, "checkout"), key[CALLS] = {0};
	int c, i;

	for (c = 0; c < CHUNKS; c++) {
		recording_begin(r);
		for (i = 0; i < CALLS; i++) {
			if (!is_called(c, i))
				continue;
			if (!jfr_stack_known(r->w, key[i]))
				key[i] = stack(r, &calls[i]);
			recording_call_from(r, key[i], traced);
		}
		recording_end(r, c == CHUNKS - 1);
	}
}

static int setup(void **state)
{
	static char name[DEEP][16];
	struct recording r = recording_new();
	int i;

	jdks = jdk_find(jdk, 8);
	for (i = 0; i < DEEP; i++) {
		snprintf(name[i], sizeof(name[i]), "level%d", i);
		deep[i] = (struct frame){"com/acme/Deep", name[i], i + 1, i, i % 4};
	}
	write_recording(&r);
	if (workdir_make(state))
		return -1;
	workdir_write("stacks.jfr", r.file.data, r.file.size);
	recording_free(&r);
	return 0;
}

/* Run jfr in the directory of the recording. Returns its output, which the caller frees. It must succeed. */
static char *jfr(const struct jdk *j, const char *arguments)
{
	char *text;
	int status = shell_run(&text, "cd '%s' && LC_ALL=C.UTF-8 '%s/bin/jfr' " JDK_BRIEF_TOOL " %s", workdir, j->home,
			       arguments);

	if (status)
		fail_msg("JDK %d: jfr %s: status %d: %.500s", j->version, arguments, status, text);
	return text;
}

static void assert_printed(const struct jdk *j, const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("JDK %d: no '%s' in: %.2000s", j->version, want, text);
}

/* True if this JDK's jfr has the view or command; they came in different versions. */
static bool knows(const struct jdk *j, const char *topic, const char *word)
{
	char *text;
	int status = shell_run(&text, "'%s/bin/jfr' " JDK_BRIEF_TOOL " help %s | grep -qe '%s'", j->home, topic, word);

	free(text);
	return status == 0;
}

/* Let all JDKs judge that have the word in the help of the topic. */
static void each_jdk(const char *topic, const char *word, void (*judge)(const struct jdk *j))
{
	size_t i, tried = 0;

	for (i = 0; i < jdks; i++) {
		if (!knows(&jdk[i], topic, word))
			continue;
		judge(&jdk[i]);
		tried++;
	}
	if (!tried) {
		print_message("none of %zu JDKs knows '%s'\n", jdks, word);
		skip();
	}
}

/* The end of the object at p, whose names contain no braces. */
static const char *object_end(const char *p)
{
	int depth = 0;

	do
		depth += (*p == '{') - (*p == '}');
	while (*p++ && depth);
	return p;
}

static void check_frame(const char *json, const struct frame *f)
{
	assert_string_equal(json_text(json, "method.type.name"), f->class ? f->class : "<unknown>");
	assert_string_equal(json_text(json, "method.name"), f->method ? f->method : "<unknown>");
	assert_string_equal(json_text(json, "method.descriptor"), f->method ? "(I)V" : "()V");
	assert_string_equal(json_text(json, "method.hidden"), is_hidden(f) ? "true" : "false");
	assert_int_equal(atoi(json_text(json, "lineNumber")), f->line);
	assert_int_equal(atoi(json_text(json, "bytecodeIndex")), f->bci);
	assert_string_equal(json_text(json, "type"), type_text[f->type]);
}

static void check_call(const char *values, const struct call *c)
{
	const char *p, *end;
	size_t i;

	assert_string_equal(json_text(values, "method.name"), "checkout");
	if (!c->count) {
		assert_string_equal(json_text(values, "stackTrace"), "null");
		return;
	}
	assert_string_equal(json_text(values, "stackTrace.truncated"), c->truncated ? "true" : "false");
	p = json_at(values, "stackTrace.frames");
	assert_non_null(p);
	end = object_end(values);
	for (i = 0; i < c->count; i++) {
		p += strcspn(p, "{");
		assert_true(p < end);
		check_frame(p, &c->frames[i]);
		p = object_end(p);
	}
	assert_int_equal(p[strspn(p, " \n\r")], ']');
}

static void check_json(const struct jdk *j, const char *file)
{
	char arguments[64], *json;
	const char *p;
	int c, i;

	snprintf(arguments, sizeof(arguments), "print --json --stack-depth %d %s", DEEP, file);
	p = json = jfr(j, arguments);
	for (c = 0; c < CHUNKS; c++) {
		for (i = 0; i < CALLS; i++) {
			if (!is_called(c, i))
				continue;
			p = strstr(p, "\"type\": \"jdk.MethodTrace\"");
			assert_non_null(p);
			p = strstr(p, "\"values\": ") + 10;
			check_call(p, &calls[i]);
		}
	}
	assert_lacks(p, "\"type\": \"jdk.");
	free(json);
}

static void judge_json(const struct jdk *j)
{
	check_json(j, "stacks.jfr");
}

CASE(json_has_every_frame)
{
	each_jdk("print", "--stack-depth", judge_json);
}

static void judge_print(const struct jdk *j)
{
	static const char *const wanted[] = {
		/* the hidden frame is left out, and so is a negative line */
		"    com.acme.Shop.buy(int) line: 42\n"
		"    com.acme.Web.serve(int) line: 65535\n"
		"    jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(int)\n"
		"    com.acme.Main.main(int) line: 1\n"
		"  ]\n",
		"    <unknown>.<unknown>()\n"
		"    com.acme.Main.main(int) line: 2\n"
		"    <unknown>.<unknown>()\n"
		"  ]\n",
		"    com.acme.Deep.level2047(int) line: 2048\n"
		"    ...\n"
		"  ]\n",
	};
	char *text = jfr(j, "print --stack-depth 2048 stacks.jfr");
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_printed(j, text, wanted[i]);
	free(text);
}

CASE(print_shows_callers_with_their_lines)
{
	each_jdk("print", "--stack-depth", judge_print);
}

static void judge_summary(const struct jdk *j)
{
	char *text = jfr(j, "summary stacks.jfr | tr -s ' '");

	assert_printed(j, text, " Chunks: 5\n");
	assert_printed(j, text, " jdk.MethodTrace 17 ");
	free(text);
}

CASE(summary_counts_the_calls)
{
	each_jdk("", "jfr summary", judge_summary);
}

static void judge_scrub(const struct jdk *j)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/scrubbed.jfr", workdir);
	free(jfr(j, "scrub --include-events jdk.MethodTrace stacks.jfr scrubbed.jfr"));
	check_json(j, "scrubbed.jfr");
	unlink(path);
}

CASE(scrubbed_recording_has_the_same_stacks)
{
	each_jdk("", "jfr scrub", judge_scrub);
}

static void judge_view(const struct jdk *j)
{
	static const char *const callers[] = {"com.acme.Shop.buy(int) 5", "<unknown>.<unknown>() 5",
					      "com.acme.Deep.level0(int) 2", "N/A 5"};
	char *text = jfr(j, "view --width 200 method-calls stacks.jfr | tr -s ' '"), line[128];
	size_t i;

	for (i = 0; i < CALLS; i++) {
		snprintf(line, sizeof(line), "\ncom.acme.Cart.checkout() %s\n", callers[i]);
		assert_printed(j, text, line);
	}
	free(text);
}

CASE(view_shows_the_callers)
{
	each_jdk("view", "method-calls", judge_view);
}

int main(void)
{
	return test_main(setup, workdir_remove);
}
