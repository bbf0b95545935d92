// SPDX-License-Identifier: BSD-2-Clause
/*
 * argp reads the words and finds what they abbreviate; its messages and help
 * are not used, as they go straight to the terminal and end the process.
 * What argp keeps to itself, namely which word it could not read, is found
 * again from the place where it stopped.
 */
#include "user/verbs/cli.h"
#include "user/verbs/check_options.h"
#include "user/options/filter_file.h"
#include "user/options/settings_files.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
	KEY_HELP = 'h',
	KEY_QUESTION = '?',
	KEY_TARGET = 'p',
	KEY_TRACE = 'm',
	KEY_TIMING = 'M',
	KEY_EXCLUDE = 'x',
	KEY_THRESHOLD = 't',
	KEY_OUTPUT = 'o',
	KEY_DURATION = 'd',
	KEY_EVENTS = 'n',
	KEY_QUIET = 'q',
	KEY_VERBOSE = 'v',
	KEY_INTERVAL = 'i',
	KEY_SIZE = 0x100,
	KEY_AGE,
	KEY_SETTINGS,
	KEY_FILTERS,
	KEY_TIMING_FILTERS,
	KEY_LAMBDA,
	KEY_NO_STACK,
	KEY_THROWN,
	KEY_DEPTH,
	KEY_OVERHEAD,
	KEY_SKIP_ACTIVE,
	KEY_USER,
	KEY_CLOCK,
	KEY_KERNEL,
	KEY_WAIT_STACK,
	KEY_TOP,
	KEY_LINES,
	KEY_JSON,
	KEY_VERSION,
	KEY_WITH_JFR,
	KEY_STACKS,
	KEY_LATER = 0x200, /* and above: options that are not there yet */
};

static const struct argp_option options[] = {
	{"pid", KEY_TARGET, "TARGET", 0, NULL, 0},
	{"method-trace", KEY_TRACE, "FILTER", 0, NULL, 0},
	{"method-timing", KEY_TIMING, "FILTER", 0, NULL, 0},
	{"exclude", KEY_EXCLUDE, "FILTER", 0, NULL, 0},
	{"filters", KEY_FILTERS, "FILE", 0, NULL, 0},
	{"timing-filters", KEY_TIMING_FILTERS, "FILE", 0, NULL, 0},
	{"lambda", KEY_LAMBDA, NULL, 0, NULL, 0},
	{"threshold", KEY_THRESHOLD, "TIME", 0, NULL, 0},
	{"output", KEY_OUTPUT, "FILE", 0, NULL, 0},
	{"settings", KEY_SETTINGS, "FILE", 0, NULL, 0},
	{"duration", KEY_DURATION, "TIME", 0, NULL, 0},
	{"max-events", KEY_EVENTS, "N", 0, NULL, 0},
	{"max-size", KEY_SIZE, "SIZE", 0, NULL, 0},
	{"max-overhead", KEY_OVERHEAD, "PERCENT", 0, NULL, 0},
	{"max-age", KEY_AGE, "TIME", 0, NULL, 0},
	{"with-jfr", KEY_WITH_JFR, "SETTINGS", OPTION_ARG_OPTIONAL, NULL, 0},
	{"stack-depth", KEY_DEPTH, "N", 0, NULL, 0},
	{"stacks", KEY_STACKS, "SOURCE", 0, NULL, 0},
	{"no-stack", KEY_NO_STACK, NULL, 0, NULL, 0},
	{"thrown", KEY_THROWN, NULL, 0, NULL, 0},
	{"skip-active", KEY_SKIP_ACTIVE, NULL, 0, NULL, 0},
	{"interval", KEY_INTERVAL, "TIME", 0, NULL, 0},
	{"top", KEY_TOP, "N", 0, NULL, 0},
	{"lines", KEY_LINES, NULL, 0, NULL, 0},
	{"user", KEY_USER, "NAME", 0, NULL, 0},
	{"quiet", KEY_QUIET, NULL, 0, NULL, 0},
	{"verbose", KEY_VERBOSE, NULL, 0, NULL, 0},
	{"kernel", KEY_KERNEL, "MODE", 0, NULL, 0},
	{"wait-stack", KEY_WAIT_STACK, "TIME", 0, NULL, 0},
	{"clock", KEY_CLOCK, "CLOCK", 0, NULL, 0},
	{"json", KEY_JSON, NULL, 0, NULL, 0},
	{"help", KEY_HELP, NULL, 0, NULL, 0},
	{NULL, KEY_QUESTION, NULL, 0, NULL, 0},
	{"version", KEY_VERSION, NULL, 0, NULL, 0},
	/* not there yet */
	{"probe", KEY_LATER + 9, "SOURCE", 0, NULL, 0},
	{0},
};

static const struct {
	const char *name;
	enum settings_verb verb;
} verbs[] = {
	{"record", SETTINGS_RECORD}, {"start", SETTINGS_RECORD},    {"check", SETTINGS_CHECK},
	{"list", SETTINGS_LIST},     {"methods", SETTINGS_METHODS},
};

static const char help[] =
	"Usage: frtrace [record] -p TARGET -m FILTER | -M FILTER [options]\n"
	"       frtrace [record] -m FILTER | -M FILTER [options] -- java ...    from the first class on\n"
	"       frtrace start ...              the same in the background; status | dump | stop\n"
	"       frtrace list | check [TARGET]  the JVMs here; what this machine and that JVM allow\n"
	"       frtrace methods TARGET FILTER  what a filter would hit, and what not; touches nothing\n"
	"       frtrace summary | print | view NAME | export | recover | merge  FILE.jfr    recordings, of whatever origin\n"
	"Trace chosen methods of a running JVM and write a Flight Recorder file.\n"
	"What\n"
	"  -p, --pid=TARGET           the JVM: a pid, or a unique part of its main class or jar\n"
	"  -m, --method-trace=FILTER  record each call; several with ';' or several -m\n"
	"  -M, --method-timing=FILTER count each call and its time: invocations, minimum, average,\n"
	"                             maximum, percentiles; no event for each call\n"
	"  -x, --exclude=FILTER       but not these, of -m and of -M\n"
	"      --filters=FILE         more for -m, --timing-filters=FILE for -M: one a line, comments from '#' on\n"
	"      --lambda               with each method the lambdas that are written in it\n"
	"  -t, --threshold=TIME       only calls that take at least 10ms (ns us ms s m h d)\n"
	"      --thrown               record only calls that end by an exception\n"
	"      --settings=FILE.jfc    JFR's settings files, default and profile are frtrace's own; a later\n"
	"                             file wins over an earlier one, and an option over all of them\n"
	"      --skip-active          leave classes alone that have a method on a stack now\n"
	"      --stack-depth=N        record at most N callers, 1 to 2048; 64\n"
	"      --max-overhead=N%|off  a method whose recording takes more than 25 % of a CPU for each of\n"
	"                             its threads drops to counting and timing\n"
	"      --stacks=auto|walk|jvmti  walk stacks in place, and ask JVMTI for those that cannot be walked (auto);\n"
	"                             walk: else none; jvmti: ask for all, which costs several times as much\n"
	"      --no-stack             do not record where a call came from\n"
	"      --kernel=on|off|full   say how long calls ran, waited for a CPU and were blocked, on what, and\n"
	"                             who woke them (on); full: their system calls and page faults too\n"
	"      --wait-stack=1ms       show where a thread was that waited for longer\n"
	"Filters\n"
	"  a.b.C  a.b.C$In            all methods of a class, of a nested class\n"
	"  C::m  C::<init>  ::m       a method, all overloads; constructors; of any class\n"
	"  C::m(int,String[])         one overload; C::m() has no parameters\n"
	"  a.b.*  *Dao::find*         '*' is any characters, dots too: a.b and all packages below\n"
	"  +a.b.I  +a.b.I::m          a class or interface and all that extend or implement it\n"
	"  @a.b.Anno                  the classes and methods that have the annotation\n"
	"  !FILTER  FILTER:10ms       not these; a threshold of its own\n"
	"      --user=NAME            run the program behind '--' as this user; the one behind sudo. It may be\n"
	"                             a script or build tool; its first JVM is traced, or the one of -p\n"
	"Where and how long\n"
	"  -o, --output=FILE|DIR/     %p is the pid, %t the time; frtrace-%p-%t.jfr\n"
	"                             in DIR/ a file each second, as in a JVM's own repository\n"
	"  -d, --duration=TIME        stop after this time\n"
	"  -n, --max-events=N         stop after N calls\n"
	"      --max-size=SIZE        drop the oldest beyond this size (k m g); 1g\n"
	"      --max-age=TIME         drop what is older\n"
	"      --with-jfr[=SETTINGS]  the JVM's own recording (default, profile, FILE.jfc) into the same file\n"
	"  -i, --interval=5s --top=N  print a table of the N busiest methods (20) each interval\n"
	"      --lines                print a line for each recorded call\n"
	"      --json                 print JSON instead; list, check and methods too\n"
	"Other\n"
	"  -q, --quiet                errors only        -v, --verbose   tell more\n"
	"      --clock=tsc            what stamps the calls\n"
	"      --help                 this text              --version   the version\n"
	"\n"
	"  sudo frtrace -p 4242 -m 'com.acme.Cart::checkout'\n"
	"  sudo frtrace -p shop.jar -m 'com.acme.Cart;com.acme.Order$Line' -t 10ms -d 30s -o /tmp/\n";

struct reader {
	struct settings *s;
	struct diag *d;
	int done; /* CLI_DONE, or -errno with the message written */
};

static const char *option_name(int key)
{
	for (const struct argp_option *o = options; o->name || o->key; o++)
		if (o->key == key && o->name)
			return o->name;
	return "?";
}

static int show_help(void)
{
	fputs(help, stdout);
	return CLI_DONE;
}

static int show_version(void)
{
	puts("frtrace " FRTRACE_VERSION);
	return CLI_DONE;
}

static int set_target(struct settings *s, const char *text, struct diag *d)
{
	if (s->target && strcmp(s->target, text) != 0)
		return diag_usage(d, "one target at a time: both '%s' and '%s' are given", s->target, text);
	if (!*text)
		return diag_usage(d, "wrong --pid '': it is empty, name a pid or a part of the main class or jar");
	s->target = text;
	return 0;
}

static int set_output(struct settings *s, const char *text, struct diag *d)
{
	int err = settings_check_output(text, d);

	if (err)
		return err;
	free(s->output);
	s->output = strdup(text);
	return s->output ? 0 : diag_set(d, ENOMEM, "no memory for settings");
}

static int cli_set_clock(struct settings *s, const char *text, struct diag *d)
{
	if (strcmp(text, "monotonic") == 0)
		return diag_usage(d, "--clock=monotonic is not there yet");
	if (strcmp(text, "tsc") != 0)
		return diag_usage(d, "wrong --clock '%s': it has to be tsc or monotonic", text);
	s->clock = SETTINGS_CLOCK_TSC;
	return 0;
}

static int set_kernel(struct settings *s, const char *text, struct diag *d)
{
	static const char *const modes[] = {
		[SETTINGS_KERNEL_OFF] = "off", [SETTINGS_KERNEL_ON] = "on", [SETTINGS_KERNEL_FULL] = "full"};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(text, modes[i]) == 0) {
			s->kernel = (enum settings_kernel)i;
			return 0;
		}
	}
	return diag_usage(d, "wrong --kernel '%s': it has to be on, off or full", text);
}

static int set_stacks(struct settings *s, const char *text, struct diag *d)
{
	static const char *const sources[] = {
		[SETTINGS_STACKS_AUTO] = "auto", [SETTINGS_STACKS_WALK] = "walk", [SETTINGS_STACKS_JVMTI] = "jvmti"};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (strcmp(text, sources[i]) == 0) {
			s->stacks = (enum settings_stacks)i;
			return 0;
		}
	}
	return diag_usage(d, "wrong --stacks '%s': it has to be auto, walk or jvmti", text);
}

/* The JVM reads a file by its whole name. */
static int set_with_jfr(struct settings *s, const char *text, struct diag *d)
{
	const char *name = text ? text : "default";
	size_t length = strlen(name);

	if (!*name || strpbrk(name, " \t\n\"',="))
		return diag_usage(
			d, "wrong --with-jfr '%s': it has to be default, profile or a .jfc file, without spaces", name);
	free(s->with_jfr);
	s->with_jfr = length > 4 && strcmp(name + length - 4, ".jfc") == 0 ? realpath(name, NULL) : NULL;
	if (!s->with_jfr)
		s->with_jfr = strdup(name);
	return s->with_jfr ? 0 : diag_set(d, ENOMEM, "no memory for settings");
}

static int set_user(struct settings *s, const char *text, struct diag *d)
{
	if (!*text)
		return diag_usage(d, "wrong --user '': it is empty, name a user");
	s->user = text;
	return 0;
}

/* A limit of 0 would end before it begins. */
static int set_limit(int (*parse)(const char *, const char *, uint64_t *, struct diag *), const char *option,
		     const char *text, uint64_t *value, struct diag *d)
{
	int err = parse(option, text, value, d);

	if (!err && *value == 0)
		return diag_usage(d, "wrong %s '%s': it has to be more than 0", option, text);
	return err;
}

static int set_interval(struct settings *s, const char *text, struct diag *d)
{
	int err = settings_parse_time("--interval", text, &s->interval_ns, d);

	if (!err && s->interval_ns < SETTINGS_LEAST_INTERVAL)
		return diag_usage(d, "wrong --interval '%s': it has to be at least 100ms", text);
	return err;
}

static int set_value(struct settings *s, int key, const char *text, struct diag *d)
{
	switch (key) {
	case KEY_TARGET: return set_target(s, text, d);
	case KEY_TRACE: return filter_list_add(s->filters, text, FILTER_TRACE, d);
	case KEY_TIMING: return filter_list_add(s->filters, text, FILTER_TIMING, d);
	case KEY_EXCLUDE: return filter_list_add(s->filters, text, FILTER_EXCLUDE, d);
	case KEY_FILTERS: return filter_file_add(s->filters, text, FILTER_TRACE, d);
	case KEY_TIMING_FILTERS: return filter_file_add(s->filters, text, FILTER_TIMING, d);
	case KEY_OUTPUT: return set_output(s, text, d);
	case KEY_CLOCK: return cli_set_clock(s, text, d);
	case KEY_KERNEL: return set_kernel(s, text, d);
	case KEY_STACKS: return set_stacks(s, text, d);
	case KEY_WAIT_STACK: return settings_parse_time("--wait-stack", text, &s->wait_stack_ns, d);
	case KEY_USER: return set_user(s, text, d);
	case KEY_WITH_JFR: return set_with_jfr(s, text, d);
	case KEY_THRESHOLD:
		s->threshold_given = true;
		return settings_parse_time("--threshold", text, &s->threshold_ns, d);
	case KEY_SETTINGS: return settings_files_add(&s->files, text, d);
	case KEY_DURATION: return set_limit(settings_parse_time, "--duration", text, &s->duration_ns, d);
	case KEY_DEPTH: return settings_parse_depth(text, &s->stack_depth, d);
	case KEY_OVERHEAD: return settings_parse_overhead(text, &s->max_overhead, d);
	case KEY_EVENTS: return set_limit(settings_parse_count, "--max-events", text, &s->max_events, d);
	case KEY_INTERVAL: return set_interval(s, text, d);
	case KEY_TOP: return set_limit(settings_parse_count, "--top", text, &s->top, d);
	case KEY_SIZE: return set_limit(settings_parse_size, "--max-size", text, &s->max_size, d);
	case KEY_AGE: return set_limit(settings_parse_time, "--max-age", text, &s->max_age_ns, d);
	}
	return diag_usage(d, "--%s is not there yet", option_name(key));
}

static const char *verb_name(enum settings_verb verb)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (verbs[i].verb == verb)
			return verbs[i].name;
	return "";
}

static bool is_of_filters(int key)
{
	return key == KEY_TRACE || key == KEY_TIMING || key == KEY_EXCLUDE || key == KEY_FILTERS ||
	       key == KEY_TIMING_FILTERS || key == KEY_LAMBDA;
}

/* What those verbs take that record nothing. */
static bool is_for_looking(enum settings_verb verb, int key)
{
	if (key == KEY_TARGET)
		return verb != SETTINGS_LIST;
	if (is_of_filters(key))
		return verb == SETTINGS_METHODS;
	return key == KEY_JSON || key == KEY_QUIET || key == KEY_VERBOSE || key == KEY_HELP || key == KEY_QUESTION ||
	       key == KEY_VERSION || key >= KEY_LATER;
}

static int check_option(const struct settings *s, int key, struct diag *d)
{
	if (s->verb != SETTINGS_RECORD && !is_for_looking(s->verb, key))
		return diag_usage(d, "'frtrace %s' takes no --%s, it records nothing", verb_name(s->verb),
				  option_name(key));
	return 0;
}

static int set_option(struct settings *s, int key, const char *text, struct diag *d)
{
	int err = check_option(s, key, d);

	if (err)
		return err;
	switch (key) {
	case KEY_HELP:
	case KEY_QUESTION: return show_help();
	case KEY_VERSION: return show_version();
	case KEY_NO_STACK: s->no_stack = true; return 0;
	case KEY_THROWN: s->thrown = true; return 0;
	case KEY_LAMBDA: filter_list_set_lambda(s->filters, true); return 0;
	case KEY_SKIP_ACTIVE: s->skip_active = true; return 0;
	case KEY_LINES: s->lines = true; return 0;
	case KEY_JSON: s->json = true; return 0;
	case KEY_QUIET: s->quiet = true; return 0;
	case KEY_VERBOSE: s->verbose = true; return 0;
	}
	return set_value(s, key, text, d);
}

static const struct argp_option *find_short(char c)
{
	for (const struct argp_option *o = options; o->name || o->key; o++)
		if (o->key == c)
			return o;
	return NULL;
}

/* How many long options begin with these bytes, and the last of them; an exact one counts alone. */
static size_t find_long(const char *name, size_t length, const struct argp_option **found)
{
	size_t count = 0;

	for (const struct argp_option *o = options; o->name || o->key; o++) {
		if (!o->name || strncmp(o->name, name, length) != 0)
			continue;
		*found = o;
		if (strlen(o->name) == length)
			return 1;
		count++;
	}
	return count;
}

static int explain_long(const char *word, struct diag *d)
{
	size_t length = strcspn(word + 2, "=");
	const struct argp_option *o = NULL;
	size_t count = find_long(word + 2, length, &o);

	if (count == 0)
		return diag_usage(d, "there is no option '%.*s', see 'frtrace --help'", (int)length + 2, word);
	if (count > 1)
		return diag_usage(d, "'%.*s' may mean several options, see 'frtrace --help'", (int)length + 2, word);
	if (o->arg)
		return diag_usage(d, "--%s needs a value, as in --%s=%s", o->name, o->name, o->arg);
	return diag_usage(d, "--%s takes no value", o->name);
}

/* -qz: the first letter that is no option, or the last that lacks its value. 0: this word is in order. */
static int explain_short(const char *word, struct diag *d)
{
	for (const char *s = word + 1; *s; s++) {
		const struct argp_option *o = find_short(*s);

		if (!o)
			return diag_usage(d, "there is no option '-%c', see 'frtrace --help'", *s);
		if (o->arg && s[1])
			return 0;
		if (o->arg)
			return diag_usage(d, "-%c needs a value, as in -%c %s", *s, *s, o->arg);
	}
	return 0;
}

static bool is_short(const char *word)
{
	return word && word[0] == '-' && word[1] && word[1] != '-';
}

/* getopt stands behind the word that it could not read, or still on it when there are more letters. */
static int explain_error(const struct argp_state *state, struct diag *d)
{
	const char *before = state->next > 0 ? state->argv[state->next - 1] : NULL;
	const char *here = state->next < state->argc ? state->argv[state->next] : NULL;
	int err = 0;

	if (before && before[0] == '-' && before[1] == '-' && before[2])
		return explain_long(before, d);
	if (is_short(before))
		err = explain_short(before, d);
	if (!err && is_short(here))
		err = explain_short(here, d);
	return err ? err : diag_usage(d, "cannot read the options, see 'frtrace --help'");
}

static int stray_word(const char *word, struct diag *d)
{
	if (word[strspn(word, "0123456789")] == 0 && *word)
		return diag_usage(d, "there is no command '%s'; a target is given with -p %s", word, word);
	return diag_usage(d, "unexpected word '%s', see 'frtrace --help'", word);
}

/* All behind "--" is the program's. */
static int take_program(struct settings *s, struct argp_state *state, struct diag *d)
{
	if (s->verb != SETTINGS_RECORD)
		return diag_usage(d, "'frtrace %s' starts no program", verb_name(s->verb));
	s->program = &state->argv[state->next - 1];
	state->next = state->argc;
	return s->program[0][0] ? 0
				: diag_usage(d, "wrong program '': it is empty, name one as in -- java -jar shop.jar");
}

/* A word that is no option: of `check` the target, of `methods` that and then the filters. */
static int read_argument(struct argp_state *state, char *word)
{
	struct reader *r = state->input;
	struct settings *s = r->s;

	if (state->quoted)
		return take_program(s, state, r->d);
	if (s->verb == SETTINGS_LIST)
		return diag_usage(r->d, "'frtrace list' takes no target, it shows all: unexpected '%s'", word);
	if (s->verb != SETTINGS_CHECK && s->verb != SETTINGS_METHODS)
		return stray_word(word, r->d);
	if (s->verb == SETTINGS_CHECK || !s->target)
		return set_target(s, word, r->d);
	return filter_list_add(s->filters, word, FILTER_TRACE, r->d);
}

static error_t read_word(int key, char *text, struct argp_state *state)
{
	struct reader *r = state->input;

	switch (key) {
	case ARGP_KEY_ARG: r->done = read_argument(state, text); return r->done ? EINVAL : 0;
	case ARGP_KEY_ERROR:
		if (!r->done)
			r->done = explain_error(state, r->d);
		return 0;
	case ARGP_KEY_INIT:
	case ARGP_KEY_ARGS:
	case ARGP_KEY_NO_ARGS:
	case ARGP_KEY_END:
	case ARGP_KEY_SUCCESS:
	case ARGP_KEY_FINI: return ARGP_ERR_UNKNOWN;
	}
	r->done = set_option(r->s, key, text, r->d);
	return r->done ? EINVAL : 0;
}

/* The word after the program's name. 0: *out is set, CLI_DONE, or -errno. *words is how many it took. */
static int read_verb(int argc, char **argv, int *words, enum settings_verb *out, struct diag *d)
{
	const char *verb = argc > 1 ? argv[1] : NULL;

	*words = 0;
	*out = SETTINGS_RECORD;
	if (!verb || verb[0] == '-')
		return 0;
	*words = 1;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verb, verbs[i].name) == 0) {
			*out = verbs[i].verb;
			return 0;
		}
	}
	if (strcmp(verb, "help") == 0)
		return show_help();
	if (verb[0] && verb[strspn(verb, "0123456789")] == 0)
		return diag_usage(d, "there is no command '%s'; a target is given with -p %s", verb, verb);
	return diag_usage(d, "there is no command '%s', see 'frtrace --help'", verb);
}

static int cli_read_options(int argc, char **argv, struct settings *s, struct diag *d)
{
	const struct argp argp = {.options = options, .parser = read_word};
	struct reader r = {.s = s, .d = d};
	int err = argp_parse(&argp, argc, argv, ARGP_SILENT | ARGP_IN_ORDER, NULL, &r);

	if (r.done)
		return r.done;
	return err ? diag_set(d, err, "cannot read the options: %s", strerror(err)) : 0;
}

int cli_parse(int argc, char **argv, struct settings *s, struct diag *d)
{
	enum settings_verb verb;
	int words, err;

	*s = (struct settings){0};
	err = read_verb(argc, argv, &words, &verb, d);
	if (err)
		return err;
	err = settings_init(s, d);
	s->verb = verb;
	s->background = words && strcmp(argv[1], "start") == 0;
	if (!err)
		err = cli_read_options(argc - words, argv + words, s, d);
	if (!err && s->files)
		err = settings_files_apply(s->files, s, d);
	if (!err)
		err = cli_check(s, d);
	if (err)
		cli_release(s);
	return err;
}

void cli_release(struct settings *s)
{
	settings_files_free(s->files);
	settings_release(s);
}
