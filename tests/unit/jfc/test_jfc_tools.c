// SPDX-License-Identifier: BSD-2-Clause
/*
 * The settings files of the installed JDKs, with their controls set by `jfr configure` and by frtrace: all
 * settings of all events must be equal.
 */
#include "format/jfc/jfc.h"
#include "tests/lib/jdk.h"
#include "tests/lib/test.h"

/* Options unknown to a JDK are left out. Each line is one run. */
static const char *const options[][12] = {
	{"gc=all", "allocation-profiling=off", "compiler=detailed", "method-profiling=max", "thread-dump=off",
	 "exceptions=all", "memory-leaks=gc-roots", "locking-threshold=3 ms", "class-loading=true",
	 "method-trace=a.B::c"},
	{"gc=off", "allocation-profiling=maximum", "compiler=off", "method-profiling=off", "thread-dump=10s",
	 "exceptions=off", "memory-leaks=off", "file-threshold=0 ms", "class-loading=false", "method-timing=a.C;@a.D"},
};

static struct jfc *read_file(const char *path)
{
	char *text = malloc(JFC_MAX_SIZE);
	FILE *f = fopen(path, "r");
	struct diag d = {0};
	struct jfc *j;

	if (!f || jfc_read(&j, path, text, fread(text, 1, JFC_MAX_SIZE, f), &d))
		fail_msg("%s: %s", path, d.text);
	fclose(f);
	free(text);
	return j;
}

/* Set the options that the file has; `words` receives them for the command line. */
static void set_options(struct jfc *j, const char *const *option, char *words, size_t size)
{
	size_t length = 0;

	for (*words = 0; *option; option++) {
		char name[64];
		struct diag d = {0};

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*option, "="), *option);
		if (!jfc_has_control(j, name))
			continue;
		if (jfc_set_control(j, name, strchr(*option, '=') + 1, &d))
			fail_msg("%s: %s", *option, d.text);
		length += snprintf(words + length, size - length, " '%s'", *option);
	}
}

static void compare(const struct jfc *ours, const struct jfc *theirs, const char *words)
{
	size_t n, count;
	const struct jfc_setting *s = jfc_settings(theirs, &n);

	jfc_settings(ours, &count);
	assert_int_equal(count, n);
	assert_true(n > 300);
	for (size_t i = 0; i < n; i++) {
		const struct jfc_setting *own = jfc_find(ours, s[i].event, s[i].name);
		const struct jfc_setting *last = jfc_find(theirs, s[i].event, s[i].name);

		if (!own || strcmp(own->value, last->value) != 0)
			fail_msg("%s with%s: %s#%s is '%s' for the JDK, '%s' for us", jfc_name(ours), words, s[i].event,
				 s[i].name, last->value, own ? own->value : "not there");
	}
}

static void check_file(const struct jdk *jdk, const char *name, const char *const *option)
{
	static const char out[] = "/tmp/frtrace-test-tools.jfc";
	struct jfc *ours, *theirs;
	char path[4200], words[1000], *text;

	snprintf(path, sizeof(path), "%s/lib/jfr/%s.jfc", jdk->home, name);
	ours = read_file(path);
	set_options(ours, option, words, sizeof(words));
	if (shell_run(&text, "'%s/bin/jfr' " JDK_BRIEF_TOOL " configure --input '%s' --output %s%s", jdk->home, path,
		      out, words))
		fail_msg("JDK %d: %s", jdk->version, text);
	theirs = read_file(out);
	compare(ours, theirs, words);
	jfc_free(ours);
	jfc_free(theirs);
	free(text);
	remove(out);
}

CASE(jdk_files_give_the_same_result_as_jfr_configure)
{
	struct jdk jdks[8];
	size_t n = jdk_find(jdks, 8), files = 0;

	for (size_t i = 0; i < n; i++) {
		if (jdks[i].version < 17)
			continue;
		check_file(&jdks[i], "default", options[0]);
		check_file(&jdks[i], "profile", options[1]);
		files += 2;
	}
	if (!files)
		skip();
}

CASE(jdk_files_are_accepted)
{
	static const char *const names[] = {"default", "profile"};
	struct jdk jdks[8];
	size_t n = jdk_find(jdks, 8), files = 0;

	for (size_t i = 0; i < 2 * n; i++) {
		struct jdk *jdk = &jdks[i / 2];
		struct jfc_event trace, timing;
		struct diag d = {0};
		char path[4200];
		struct jfc *j;

		snprintf(path, sizeof(path), "%s/lib/jfr/%s.jfc", jdk->home, names[i % 2]);
		if (jdk->version < 11)
			continue;
		j = read_file(path);
		jfc_event_init(&trace);
		jfc_event_init(&timing);
		assert_int_equal(jfc_apply(j, "jdk.MethodTrace", &trace, &d), 0);
		assert_int_equal(jfc_apply(j, "jdk.MethodTiming", &timing, &d), 0);
		assert_int_equal(trace.enabled, jdk->version >= 25);
		assert_int_equal(trace.threshold_ns, 0);
		assert_true(trace.stack_trace);
		assert_string_equal(trace.filter, "");
		assert_int_equal(timing.period.kind, jdk->version >= 25 ? JFC_END_CHUNK : JFC_NO_PERIOD);
		jfc_free(j);
		files++;
	}
	if (!files)
		skip();
}
