// SPDX-License-Identifier: BSD-2-Clause
/* The command line: what is taken, and the one line for what is not. */
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"
#include "user/verbs/cli.h"

#include <fcntl.h>
#include <unistd.h>

#define WORDS 24

/* Words as a shell would give them: split at '|', so that a word may have spaces. */
static int read_line(const char *line, struct command_line *c, struct diag *d)
{
	static char copy[1024];
	static char *argv[WORDS + 1];
	int argc = 0;
	char *rest = copy;

	snprintf(copy, sizeof(copy), "frtrace|%s", line);
	memset(d, 0, sizeof(*d));
	while (rest && argc < WORDS)
		argv[argc++] = strsep(&rest, "|");
	if (argc > 1 && !line[0])
		argc--;
	argv[argc] = NULL;
	return cli_parse(argc, argv, c, d);
}

static const struct verb *verb; /* that was read last */

static int parse(const char *line, struct settings *s, struct diag *d)
{
	struct command_line c;
	int err = read_line(line, &c, d);

	*s = c.settings;
	verb = c.verb;
	return err;
}

static void release(struct settings *s)
{
	struct command_line c = {.settings = *s};

	cli_release(&c);
}

static struct settings taken; /* from the last good line */

static int teardown(void **state)
{
	release(&taken);
	taken = (struct settings){0};
	return 0;
}

static void good(const char *line)
{
	struct diag d;

	teardown(NULL);
	if (parse(line, &taken, &d) != 0)
		fail_msg("%s: %s", line, d.text);
}

CASE(defaults_are_as_the_design_says, .teardown = teardown)
{
	good("-p|4242|-m|com.acme.Cart::checkout");
	assert_string_equal(taken.target, "4242");
	assert_int_equal(filter_list_size(taken.filters), 1);
	assert_string_equal(filter_list_text(taken.filters, 0), "com.acme.Cart::checkout");
	assert_true(taken.threshold_ns == 0 && taken.duration_ns == 0 && taken.max_events == 0);
	assert_true(taken.max_size == 1ULL << 30);
	assert_null(taken.output);
	assert_int_equal(taken.stack_depth, 64);
	assert_int_equal(settings_max_overhead(&taken), 25);
	assert_true(taken.lossless_ns == 0);
	assert_false(taken.no_stack || taken.skip_active || taken.quiet || taken.verbose);
}

static size_t roots_with(const struct filter_list *l, const char *threshold)
{
	size_t n = 0;

	for (size_t i = 0; i < filter_list_size(l); i++)
		n += filter_list_kind(l, i) == FILTER_ROOT &&
		     !strcmp(strrchr(filter_list_text(l, i), ':') + 1, threshold);
	return n;
}

CASE(without_a_filter_slow_calls_of_entry_points_are_recorded, .teardown = teardown)
{
	static const char *const lines[] = {"-p|1", "--follow=shop|-o|d/", "start|-p|1|-x|a.A",
					    "--|java|-jar|shop.jar"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		good(lines[i]);
		assert_true(taken.by_entries && taken.events.count);
		assert_true(taken.string_length == 512 && !taken.threshold_ns);
		assert_int_equal(filter_list_count(taken.filters, FILTER_TRACE), 0);
		assert_in_range(roots_with(taken.filters, "100ms"), 3, 100);
		assert_int_equal(filter_list_count(taken.filters, FILTER_ROOT), roots_with(taken.filters, "100ms"));
	}
	good("-p|1|-t|20ms|--string-length=99");
	assert_in_range(roots_with(taken.filters, "20ms"), 3, 100);
	assert_true(taken.string_length == 99 && !taken.threshold_ns);
}

CASE(a_preset_adds_its_events_alone, .teardown = teardown)
{
	good("-p|1|--preset=jdk-httpserver,h2|-m|a.A|-t|1ms");
	assert_true(!taken.by_entries && taken.events.count > 1 && taken.threshold_ns == 1000000);
	assert_string_equal(taken.events.event[0].name, "http.Request");
	assert_string_equal(taken.events.event[0].preset, "HTTP requests of com.sun.net.httpserver");
	assert_true(taken.events.event[0].entry);
	assert_string_equal(taken.events.event[1].name, "sql.Statement");
	assert_false(taken.events.event[1].entry);
	assert_int_equal(filter_list_count(taken.filters, FILTER_ROOT), 0);
	assert_int_equal(taken.values, SETTINGS_VALUES_MASKED);
	good("-p|1|--preset=all|--values=full");
	assert_true(taken.events.count > 8 && taken.values == SETTINGS_VALUES_FULL);
}

CASE(every_option_reaches_its_setting, .teardown = teardown)
{
	good("record|--pid=shop.jar|--method-trace=a.A|--exclude=a.A::x|--threshold=10ms|"
	     "--output=/tmp/x-%p.jfr|--duration=30s|--max-events=5|--max-size=500m|--no-stack|--thrown|"
	     "--stack-depth=2048|--max-overhead=40%|--skip-active|--verbose|--stacks=jvmti");
	assert_string_equal(taken.target, "shop.jar");
	assert_string_equal(taken.output, "/tmp/x-%p.jfr");
	assert_true(taken.threshold_ns == 10000000 && taken.duration_ns == 30000000000 && taken.max_events == 5);
	assert_true(taken.max_size == 500ULL << 20);
	assert_true(taken.no_stack && taken.thrown && taken.skip_active && taken.verbose && !taken.quiet);
	assert_int_equal(taken.stack_depth, 2048);
	assert_int_equal(taken.max_overhead, 40);
	assert_int_equal(taken.stacks, SETTINGS_STACKS_JVMTI);
	assert_int_equal(verb->id, VERB_RECORD);
	good("-p|1|-m|a.A|--lossless");
	assert_true(taken.lossless_ns == 10000000);
	assert_int_equal(settings_max_overhead(&taken), 0);
	good("-p|1|-m|a.A|--lossless=2s|--max-overhead=30%");
	assert_true(taken.lossless_ns == 2000000000);
	assert_int_equal(settings_max_overhead(&taken), 30);
	good("-p|1|-m|a.A|--stacks=walk");
	assert_int_equal(taken.stacks, SETTINGS_STACKS_WALK);
	good("-p|1|-m|a.A|--inside=a.B::m:50ms|--inside=a.B::n:thrown|--keep=3%|--until=tasks");
	assert_true(settings_has_roots(&taken));
	assert_int_equal(filter_list_count(taken.filters, FILTER_ROOT), 2);
	assert_int_equal(taken.keep, 3);
	good("-p|1|-m|a.A|--stacks=walk|--stacks=auto");
	assert_false(settings_has_roots(&taken));
	assert_int_equal(taken.stacks, SETTINGS_STACKS_AUTO);
}

CASE(words_behind_two_dashes_are_the_programs, .teardown = teardown)
{
	good("-m|a.A|-p|Worker|--user=me|--|java|-p|1|--help|-m");
	assert_string_equal(taken.target, "Worker");
	assert_string_equal(taken.user, "me");
	assert_string_equal(taken.program[0], "java");
	assert_string_equal(taken.program[1], "-p");
	assert_string_equal(taken.program[4], "-m");
	assert_null(taken.program[5]);
	good("record|-m|a.A|--|./gradlew");
	assert_null(taken.target);
	assert_string_equal(taken.program[0], "./gradlew");
}

CASE(check_takes_a_target_or_none, .teardown = teardown)
{
	good("check");
	assert_int_equal(verb->id, VERB_CHECK);
	assert_null(taken.target);
	good("check|shop.jar|-v");
	assert_string_equal(taken.target, "shop.jar");
	assert_true(taken.verbose);
	good("check|-p|4242");
	assert_string_equal(taken.target, "4242");
}

CASE(methods_takes_a_target_and_filters, .teardown = teardown)
{
	good("methods|shop.jar|a.A;!a.A::x|a.B|-x|a.C|--lambda|--json");
	assert_int_equal(verb->id, VERB_METHODS);
	assert_string_equal(taken.target, "shop.jar");
	assert_int_equal(filter_list_size(taken.filters), 2);
	assert_true(taken.json);
	good("methods|-p|4242|a.A");
	assert_string_equal(taken.target, "4242");
	assert_int_equal(filter_list_size(taken.filters), 1);
	good("methods|4242|-M|a.A|-m|a.B");
	assert_int_equal(filter_list_size(taken.filters), 2);
}

CASE(list_takes_no_target, .teardown = teardown)
{
	good("list");
	assert_int_equal(verb->id, VERB_LIST);
	assert_false(taken.json);
	good("list|--json|-q");
	assert_true(taken.json && taken.quiet);
	good("check|--json");
	assert_true(taken.json);
}

CASE(short_options_mean_the_same, .teardown = teardown)
{
	good("-qp|4242|-ma.A|-x|a.A::x|-t10 ms|-o|out/|-d1m|-n7");
	assert_string_equal(taken.target, "4242");
	assert_string_equal(taken.output, "out/");
	assert_true(taken.threshold_ns == 10000000 && taken.duration_ns == 60000000000 && taken.max_events == 7);
	assert_true(taken.quiet);
}

CASE(filters_of_several_options_are_joined, .teardown = teardown)
{
	good("-p|1|-m|a.A;a.B|-m|a.C::m|-x|a.D|-m|a.A");
	assert_int_equal(filter_list_size(taken.filters), 3);
	assert_string_equal(filter_list_text(taken.filters, 2), "a.C::m");
}

CASE(last_value_of_an_option_counts, .teardown = teardown)
{
	good("-p|1|-p|1|-m|a.A|-o|x|-o|y|-t|1s|-t|0");
	assert_string_equal(taken.output, "y");
	assert_true(taken.threshold_ns == 0);
}

struct wrong {
	const char *line, *message; /* a part of it */
};

static const struct wrong wrongs[] = {
	{"-p|1|--inside=a.A::m:50ms", "--inside needs -m or -e"},
	{"-p|1|-m|a.A|--until=tasks", "--until is about the tasks of --inside"},
	{"-p|1|-m|a.A|--inside=a.A::m|--tasks=off|--until=tasks", "it does not go with --tasks=off"},
	{"-p|1|-m|a.A|--handoff=a.Q::put this => a.W::run arg0", "--handoff is about tasks: use it with --inside"},
	{"-p|1|-m|a.A|--tasks=on|--handoff=a.Q::put", "wrong --handoff 'a.Q::put'"},

	{"-p|1|-m|a.A|--until=a.A::end", "--until is about"},
	{"-p|1|-m|a.A|--inside=a.A::m|--until=a.A::end|--until=tasks", "--until has one meaning"},
	{"-p|1|-m|a.A|--inside=a.A::m|--until=tasks|--until=a.A::end", "--until has one meaning"},
	{"-p|1|-m|a.A|--inside=a.A::m|--until=taks", "--until=taks: call, tasks, or a filter such as"},
	{"-p|1|-m|a.A|--keep=1%", "--keep is of the calls that --inside leaves out"},
	{"-p|1|-m|a.A|--inside=a.A::m|--keep=200%", "a whole percentage"},
	{"", "no target: say which JVM with -p"},
	{"record", "no target: say which JVM with -p"},
	{"-m|a.A", "no target: say which JVM with -p"},
	{"-p|1|--source=hotspot", "no filter: say which methods with -m"},
	{"-p|1|--settings=default", "no filter: say which methods with -m"},
	{"-p|1|--preset=", "wrong --preset '': it names none, see 'frtrace presets'"},
	{"-p|1|--preset=jdk-httpserver,nobody", "there is no preset 'nobody', see 'frtrace presets'"},
	{"-p||-m|a.A", "wrong --pid ''"},
	{"-p|1|-p|2|-m|a.A", "both '1' and '2'"},
	{"-p|1|-m|a.A|-t|ten", "wrong --threshold 'ten'"},
	{"-p|1|-m|a.A|-t|10", "the unit is missing, as in 10ms"},
	{"-p|1|-m|a.A|-d|-1s", "wrong --duration '-1s'"},
	{"-p|1|-m|a.A|-d|0s", "wrong --duration '0s': it has to be more than 0"},
	{"-p|1|-m|a.A|-d|9999999999d", "wrong --duration '9999999999d': it is too large"},
	{"-p|1|-m|a.A|-d|0", "wrong --duration"},
	{"-p|1|-m|a.A|-d|99999999999999999999999999999999999999999999", "it is too large"},
	{"-p|1|-m|a.A|-n|0", "wrong --max-events '0': it has to be more than 0"},
	{"-p|1|-m|a.A|-n|many", "wrong --max-events 'many'"},
	{"-p|1|-m|a.A|--max-size=0", "wrong --max-size '0': it has to be more than 0"},
	{"-p|1|-m|a.A|--max-size=1t", "wrong --max-size '1t'"},
	{"-p|1|-m|a.A|-o|x%q", "wrong --output 'x%q'"},
	{"-p|1|-m|a.A|-q|-v", "--quiet and --verbose"},
	{"-p|1|-m|a.A|--stack-depth=0", "wrong --stack-depth '0': it has to be 1 to 2048"},
	{"-p|1|-m|a.A|--stack-depth=2049", "wrong --stack-depth '2049': it has to be 1 to 2048"},
	{"-p|1|-m|a.A|--stack-depth=4294967297", "wrong --stack-depth '4294967297': it has to be 1 to 2048"},
	{"-p|1|-m|a.A|--stack-depth=deep", "wrong --stack-depth 'deep': it has to be a whole number"},
	{"-p|1|-m|a.A|--max-overhead=much",
	 "wrong --max-overhead 'much': it has to be a whole percentage from 1% to 10000%, or off"},
	{"-p|1|-m|a.A|--lossless=0", "wrong --lossless '0': it has to be more than 0"},
	{"-p|1|-m|a.A|--lossless|--buffer=perf", "--lossless does not go with --buffer=perf"},
	{"check|--max-overhead=off", "'frtrace check' takes no --max-overhead"},
	{"-p|1|-m|a.A|--stack-depth", "--stack-depth needs a value, as in --stack-depth=N"},
	{"check|1|2", "both '1' and '2'"},
	{"check|1|-m|a.A", "'frtrace check' takes no --method-trace, it records nothing"},
	{"check|--no-stack", "'frtrace check' takes no --no-stack"},
	{"methods", "'frtrace methods' takes a target and a filter"},
	{"methods|4242", "'frtrace methods' takes a target and a filter"},
	{"methods|4242|-x|a.A", "'frtrace methods' takes a target and a filter"},
	{"methods|4242|a.A|-t|1s", "'frtrace methods' takes no --threshold, it records nothing"},
	{"methods|4242|a.A|-d|1s", "'frtrace methods' takes no --duration"},
	{"methods||a.A", "wrong --pid ''"},
	{"list|4242", "'frtrace list' takes no target, it shows all: unexpected '4242'"},
	{"list|-p|4242", "'frtrace list' takes no --pid"},
	{"list|-m|a.A", "'frtrace list' takes no --method-trace, it records nothing"},
	{"list|--json=x", "--json takes no value"},
	{"check|-i|5s", "'frtrace check' takes no --interval"},
	{"-p|1|-m|a.A|-i|5", "wrong --interval '5': the unit is missing"},
	{"-p|1|-m|a.A|-i|99ms", "wrong --interval '99ms': it has to be at least 100ms"},
	{"-p|1|-m|a.A|-i|0", "wrong --interval '0': it has to be at least 100ms"},
	{"-p|1|-m|a.A|-i", "-i needs a value, as in -i TIME"},
	{"-p|1|-m|a.A|-i|5s|--top=0", "wrong --top '0': it has to be more than 0"},
	{"-p|1|-m|a.A|-i|5s|--top=x", "wrong --top 'x': it has to be a whole number"},
	{"-p|1|-m|a.A|--lines=3", "--lines takes no value"},
	{"-p|1|-m|a.A|-i|5s|--lines", "--interval and --lines do not go together"},
	{"-p|1|-m|a.A|--top=5", "--top is of the table that --interval prints"},
	{"-p|1|-m|a.A|--lines|--top=5", "--top is of the table that --interval prints"},
	{"-p|1|-m|a.A|--json", "--json needs --interval or --lines"},
	{"-p|1|-M|a.A|--lines", "--lines prints recorded calls, and -M records none"},
	{"check|-q|-v", "--quiet and --verbose"},
	{"check|--|java", "'frtrace check' starts no program"},
	/* not options, or not complete */
	{"--frob", "there is no option '--frob'"},
	{"--frob=3|-p|1", "there is no option '--frob'"},
	{"-z", "there is no option '-z'"},
	{"-zq", "there is no option '-z'"},
	{"-qz", "there is no option '-z'"},
	{"-p|1|-qzv|-m|a.A", "there is no option '-z'"},
	{"-p", "-p needs a value, as in -p TARGET"},
	{"-qm", "-m needs a value, as in -m FILTER"},
	{"-p|1|--threshold", "--threshold needs a value, as in --threshold=TIME"},
	{"--quiet=yes", "--quiet takes no value"},
	{"--meth=a.A", "'--meth' may mean several options"},
	/* not words */
	{"frob", "there is no command 'frob'"},
	{"4242", "a target is given with -p 4242"},
	{"record|4242", "a target is given with -p 4242"},
	{"-p|1|-m|a.A|more", "unexpected word 'more'"},
	{"-p|1|more|--frob", "unexpected word 'more'"},
	{"start|-m|a.A|--|java", "goes into the background"},
	{"start|-p|1|-m|a.A|--lines", "goes into the background"},
	{"--source=hotspot|--|java|-jar|x.jar", "no filter"},
	{"-m|a.A|--", "no target: say which JVM with -p, a pid or a part of its main class or jar name, or start one"},
	{"-m|a.A|--|", "wrong program ''"},
	{"-p|42|-m|a.A|--|java", "has no pid yet: -p names one of its JVMs"},
	{"-p|42|-m|a.A|--user=me", "--user is for a program that is started"},
	{"-m|a.A|--user=|--|java", "wrong --user ''"},
	{"check|--settings=x.jfc", "'frtrace check' takes no --settings"},
	{"-p|1|-m|a.A|--max-age=0", "--max-age '0': it has to be more than 0"},
	{"-p|1|-m|a.A|--kernel=yes", "wrong --kernel 'yes': it has to be on, off or full"},
	{"-p|1|-m|a.A|--wait-stack=1", "--wait-stack"},
	{"--follow=x|-p|1|-m|a.A", "--follow and -p do not go together"},
	{"--follow=x|-m|a.A|--|java", "--follow and a program behind -- do not go together"},
	{"--follow=x|-m|a.A|-i|5s", "--follow and --interval do not go together"},
	{"--follow=x|-m|a.A|--metrics=x.prom", "--follow and --metrics do not go together"},
	{"--follow=x|-m|a.A|--in-memory", "--follow and --in-memory do not go together"},
	{"--follow=x|-m|a.A|--fail-if=a.A::b max>1ms", "--follow and --fail-if do not go together"},
	{"--follow=x|-m|a.A|-o|x.jfr", "a recording for each JVM: -o DIR/, or a name with %p"},
	{"--follow=x|-m|a.A|-o|-", "a recording for each JVM"},
	{"--follow=|-m|a.A", "--follow needs a part of the main class or jar"},
	{"--follow=cgroup:|-m|a.A", "--follow needs a part of the main class or jar"},
	{"--follow=x|--source=hotspot", "no filter"},
	{"start|--follow=x|-m|a.A", "--follow is for a recording in the foreground"},
	{"-p|1|-m|a.A|--stacks=jvm", "wrong --stacks 'jvm': it has to be auto, walk or jvmti"},
	{"-p|1|-m|a.A|--stacks", "--stacks needs a value, as in --stacks=SOURCE"},
	{"check|--stacks=walk", "'frtrace check' takes no --stacks"},
	{"--origin=agent", "there is no option '--origin', see 'frtrace --help'"},
	{"export|--chrome|x.jfr", "'frtrace export' has no --chrome any more, use --perfetto"},
	{"list|--origin=agent", "'frtrace list' has no option '--origin', see 'frtrace list --help'"},
	{"-p|1|-m|a.A|--clock=tsc", "there is no option '--clock'"},
};

CASE(wrong_words_get_one_clear_line)
{
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct settings s;
		struct diag d;
		int err = parse(wrongs[i].line, &s, &d);

		if (err != -EINVAL || !d.usage)
			fail_msg("%s: %d, usage %d", wrongs[i].line, err, d.usage);
		if (!strstr(d.text, wrongs[i].message) || strchr(d.text, '\n'))
			fail_msg("%s: %s", wrongs[i].line, d.text);
		assert_null(s.filters);
		assert_null(s.output);
	}
}

CASE(wrong_filter_shows_the_caret_and_the_right_one)
{
	struct settings s;
	struct diag d;

	assert_int_equal(parse("-p|1|-m|a.A|-m|a.b.C.m(C.java:42)", &s, &d), -EINVAL);
	assert_true(d.usage);
	assert_contains(d.text, "\n  a.b.C.m(C.java:42)\n         ^\n");
	assert_contains(d.text, "'a.b.C::m'");
}

/* What parsing writes to standard output, and to standard error, where nothing belongs. */
static int captured(const char *line, char *out, size_t size)
{
	char name[] = "/tmp/frtrace-test-XXXXXX";
	int file = mkstemp(name), saved = dup(1), saved_error = dup(2), result;
	struct settings s;
	struct diag d;
	ssize_t n;

	assert_true(file >= 0 && saved >= 0 && saved_error >= 0);
	unlink(name);
	fflush(stdout);
	dup2(file, 1);
	dup2(file, 2);
	result = parse(line, &s, &d);
	fflush(stdout);
	dup2(saved, 1);
	dup2(saved_error, 2);
	close(saved);
	close(saved_error);
	n = pread(file, out, size - 1, 0);
	close(file);
	out[n > 0 ? n : 0] = 0;
	return result;
}

CASE(help_goes_to_standard_output_and_is_short)
{
	static const char *const lines[] = {"--help", "-h", "-?", "help", "record|--help", "-p|1|--help|--frob"};
	char out[16384];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		int count = 0;

		assert_int_equal(captured(lines[i], out, sizeof(out)), CLI_DONE);
		assert_memory_equal(out, "Usage: frtrace", 14);
		for (const char *c = out; *c; c++)
			count += *c == '\n';
		assert_in_range(count, 10, 100);
	}
}

/* A shell makes them of a pattern. */
CASE(verbs_that_read_take_any_number_of_files)
{
	struct command_line c;
	struct diag d;

	assert_int_equal(read_line("view|slowest|1|2|--width=80|3|4|5|6|--|-7", &c, &d), 0);
	assert_int_equal(c.args.operands, 8);
	assert_string_equal(c.args.operand[0], "slowest");
	assert_string_equal(c.args.operand[7], "-7");
	cli_release(&c);
}

CASE(a_duration_without_a_unit_is_in_seconds, .teardown = teardown)
{
	good("-p|1|-m|a.A|-d|5");
	assert_int_equal(taken.duration_ns, 5000000000);
}

/* The examples of the help are command lines that are taken. */
CASE(help_examples_are_right, .teardown = teardown)
{
	char out[16384];

	good("-p|shop.jar|-m|com.acme.Cart;com.acme.Order$Line|-t|10ms|-d|30s|-o|/tmp/");
	captured("--help", out, sizeof(out));
	assert_non_null(
		strstr(out, "frtrace -p shop.jar -m 'com.acme.Cart;com.acme.Order$Line' -t 10ms -d 30s -o /tmp/"));
}

CASE(version_is_the_build_s)
{
	char out[256];

	assert_int_equal(captured("--version", out, sizeof(out)), CLI_DONE);
	assert_string_equal(out, "frtrace " FRTRACE_VERSION "\n");
}

CASE(wrong_use_prints_nothing_by_itself)
{
	char out[256];

	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		captured(wrongs[i].line, out, sizeof(out));
		assert_string_equal(out, "");
	}
}

CASE(failed_allocation_is_an_error)
{
	unsigned int n = 0;

	fail_nth_or_skip();
	do {
		struct settings s;
		struct diag d;
		int err;

		fail_nth(++n);
		err = parse("-p|1|-m|a.A|-x|a.B|-o|x|-o|y", &s, &d);
		if (err)
			assert_true(err == -ENOMEM && d.text[0] && !d.usage && !s.filters);
		else
			release(&s);
	} while (fail_nth_end());
	assert_in_range(n, 8, 200);
}
