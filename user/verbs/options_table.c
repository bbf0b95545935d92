// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/options_table.h"
#include "bpf/frtrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TARGET_SENTENCE "TARGET is a pid, or a part of the main class or jar; without one it is the only recording."
#define FILES_SENTENCE                                                                                                        \
	"FILE may be a directory, such as -o DIR/ writes, a file that gzip has compressed, or - for standard input. Several " \
	"are read as one, in the order of time; they have to be of one JVM."

const struct verb verbs[VERBS] = {
	{VERB_RECORD, "record",
	 "[record] -p TARGET [-m FILTER | -M FILTER] [options]\n"
	 "[record] [-m FILTER | -M FILTER] [options] -- java ...    from the first class on",
	 "trace a running JVM, or a program that frtrace starts", "The word record may be left out."},
	{VERB_START, "start", "start [options]", "record in the background", "It returns when tracing is on."},
	{VERB_STATUS, "status", "status [TARGET]", "report the recordings in the background",
	 "TARGET is a pid, or a part of the main class or jar; without one all are reported."},
	{VERB_DUMP, "dump", "dump [TARGET] -o FILE", "copy what a recording in the background has so far",
	 "The calls that are open now are in the copy. The recording goes on. " TARGET_SENTENCE},
	{VERB_STOP, "stop", "stop [TARGET] [-o FILE]", "end a recording in the background, as Ctrl-C would",
	 "With -o, a recording in memory is written to FILE. " TARGET_SENTENCE},
	{VERB_LIST, "list", "list", "list the JVMs of this machine",
	 "Those in containers are listed too. For each it says whether it can be traced, or why not."},
	{VERB_CHECK, "check", "check [options] [TARGET]",
	 "report what this machine and the JVM allow, and what is missing",
	 "Ends with 1 when tracing is not possible."},
	{VERB_METHODS, "methods", "methods TARGET FILTER...", "list the methods that a filter matches; touches nothing",
	 "The list has the methods of the loaded classes, also those that would not be traced, and why. It is read "
	 "from the JVM's memory."},
	{VERB_PRESETS, "presets", "presets [NAME]", "list the servers, drivers and clients that frtrace knows",
	 "With NAME it prints what of it is traced, as options. A file in /etc/frtrace/presets/ is one more, or stands for "
	 "frtrace's own of its name; the environment's FRTRACE_PRESETS names another directory."},
	{VERB_SUMMARY, "summary", "summary FILE...", "count the events of a recording by type",
	 "The file may be of whatever origin. " FILES_SENTENCE},
	{VERB_PRINT, "print", "print [options] FILE...", "print the events, in the form of the JDK's 'jfr print'",
	 "The file may be of whatever origin. " FILES_SENTENCE},
	{VERB_VIEW, "view", "view [options] NAME FILE...", "print a table about traced methods, or any events",
	 "They were traced by frtrace, by JDK 25's JFR or by async-profiler. " FILES_SENTENCE},
	{VERB_DIFF, "diff", "diff [options] OLD NEW", "compare the calls of two recordings, method by method",
	 "The first line is the verdict. A change counts if chance alone makes one in less than 5 of 100 comparisons of "
	 "equal recordings; what cannot be told apart from chance is marked '~'. OLD and NEW may be directories, compressed, "
	 "or - for standard input."},
	{VERB_REPORT, "report", "report [-o OUT.html] FILE...", "write a page that shows the recording in a browser",
	 "The page is one file that requests nothing. Without -o it has the name of the recording with .html at the end, "
	 "in the current directory. " FILES_SENTENCE},
	{VERB_EXPORT, "export", "export --collapsed | --perfetto | --pprof | --otlp | --csv | --jdk FILE...",
	 "write calls for other tools", FILES_SENTENCE},
	{VERB_MERGE, "merge", "merge -o OUT FILE...",
	 "make one recording of several of one JVM, or of a directory of them",
	 "Such are frtrace's and the JVM's own. FILE may be a directory, such as -o DIR/ writes. The result has one "
	 "clock, the order of time, and the threads that they share, so that 'jfr print' of JDK 25 shows the JVM's "
	 "events within the traced calls. Each event keeps the time that its own file gives it. If the wall clock was set "
	 "between the starts of two recordings, they are that far apart; if it was set within one, a message says so."},
	{VERB_RECOVER, "recover", "recover [-o OUT] FILE", "make a file readable whose writer was killed",
	 "The bytes after the last complete chunk are cut, and a chunk that was flushed in part is completed. With -o, "
	 "FILE stays as it is, and complete chunks are copied to OUT, also those after a damaged one. A compressed FILE, or - for "
	 "standard input, needs -o."},
};

const char *const option_sections[SECTIONS] = {
	[SECTION_WHAT] = "What to trace",
	[SECTION_CALL] = "What to record of each call",
	[SECTION_WHERE] = "Where and how long",
	[SECTION_SEE] = "What to see meanwhile",
	[SECTION_OTHER] = "Other",
	[SECTION_VERBS] = "Other verbs",
};

static const struct option_choice stacks_choices[] = {
	{"auto", SETTINGS_STACKS_AUTO}, {"walk", SETTINGS_STACKS_WALK}, {"jvmti", SETTINGS_STACKS_JVMTI}, {0}};
static const struct option_choice kernel_choices[] = {
	{"on", SETTINGS_KERNEL_ON}, {"off", SETTINGS_KERNEL_OFF}, {"full", SETTINGS_KERNEL_FULL}, {0}};
static const struct option_choice attach_choices[] = {
	{"auto", SETTINGS_ATTACH_AUTO}, {"multi", SETTINGS_ATTACH_MULTI}, {"perf", SETTINGS_ATTACH_PERF}, {0}};
static const struct option_choice buffer_choices[] = {
	{"ring", SETTINGS_BUFFER_RING}, {"perf", SETTINGS_BUFFER_PERF}, {0}};
static const struct option_choice source_choices[] = {
	{"auto", SETTINGS_SOURCE_AUTO}, {"agent", SETTINGS_SOURCE_AGENT}, {"hotspot", SETTINGS_SOURCE_HOTSPOT}, {0}};
static const struct option_choice fields_choices[] = {{"all", SETTINGS_FIELDS_ALL}, {"jdk", SETTINGS_FIELDS_JDK}, {0}};
static const struct option_choice trace_ids_choices[] = {
	{"auto", SETTINGS_TRACE_IDS_AUTO}, {"off", SETTINGS_TRACE_IDS_OFF}, {0}};
static const struct option_choice resources_choices[] = {
	{"on", SETTINGS_RESOURCES_ON}, {"off", SETTINGS_RESOURCES_OFF}, {0}};
static const struct option_choice tasks_choices[] = {
	{"auto", SETTINGS_TASKS_AUTO}, {"off", SETTINGS_TASKS_OFF}, {"on", SETTINGS_TASKS_ON}, {0}};
static const struct option_choice values_choices[] = {
	{"masked", SETTINGS_VALUES_MASKED}, {"full", SETTINGS_VALUES_FULL}, {0}};
static const struct option_choice until_choices[] = {
	{"call", SETTINGS_UNTIL_CALL}, {"tasks", SETTINGS_UNTIL_TASKS}, {0}};
static const struct option_choice truncate_choices[] = {{"beginning", TRUNCATE_BEGINNING}, {"end", TRUNCATE_END}, {0}};
static const struct option_choice sort_choices[] = {{"total", SORT_TOTAL}, {"self", SORT_SELF}, {0}};
static const struct option_choice weight_choices[] = {{"calls", WEIGHT_CALLS}, {"time", WEIGHT_TIME}, {0}};

/* For completion only; other texts are valid, too. */
static const struct option_choice overhead_offers[] = {{"25%", 0}, {"50%", 0}, {"off", 0}, {0}};
static const struct option_choice by_offers[] = {{"reason", 0}, {"waker", 0},	 {"place", 0},
						 {"holder", 0}, {"resource", 0}, {0}};
static const struct option_choice jfr_offers[] = {{"default", 0}, {"profile", 0}, {0}};

#define AT(field) .at = offsetof(struct command_line, field), .size = sizeof(((struct command_line *)0)->field)

/* clang-format off */
const struct option_row options[] = {
	{.name = "pid", .letter = 'p', .arg = "TARGET", .kind = OPTION_TARGET, AT(settings.target),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_CHECK) | VERB_BIT(VERB_METHODS),
	 .help = "the JVM: a pid, or a unique part of its main class or jar",
	 .more = "With a program behind -- it selects the JVM of that program to trace."},
	{.name = "wait", .kind = OPTION_FLAG, AT(settings.wait),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "wait for TARGET to be started, and trace it from then on"},
	{.name = "follow", .arg = "TARGET", .kind = OPTION_TEXT, AT(settings.follow),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "trace each such JVM from its start on, 32 at a time, until Ctrl-C or -d",
	 .more = "TARGET is a part of the main class or jar, or of the container (container:) or control group (cgroup:). "
		 "The name of -o has to have %p, or end in a slash; -n and --max-size are of each recording."},
	{.name = "method-trace", .letter = 'm', .arg = "FILTER", .kind = OPTION_TRACE,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "record each call; several with ';' or several -m"},
	{.name = "method-timing", .letter = 'M', .arg = "FILTER", .kind = OPTION_TIMING,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "count calls and time them, with percentiles; no event for each call"},
	{.name = "event", .letter = 'e', .arg = "EVENT", .kind = OPTION_EVENT,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "'NAME [outermost] FILTER [FIELD=EXPR]...': make calls events with values",
	 .more = "Several -e are possible. EXPR is a parameter, arg0, this, return, exception or a static field, and .FIELD steps behind it. 'NAME FILTER~EXPR => FILTER~EXPR [FIELD=EXPR]...' makes an event from a call of the first filter with an object to a call of the second one with the same object, on any thread."},
	{.name = "events", .arg = "FILE.xml", .kind = OPTION_EVENT_FILE,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "read more events for -e, in the format of JMC Agent"},
	{.name = "preset", .arg = "NAME,...", .kind = OPTION_PRESET,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "add -e and -m of known servers, drivers and clients: 'frtrace presets', or all",
	 .more = "If no method is named in any way, all are used, and only requests of 100 ms or more, or of -t, are recorded, "
		 "with what they call."},
	{.name = "values", .arg = "HOW", .kind = OPTION_CHOICE, AT(settings.values),
	 .choices = values_choices, .usual = "masked",
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "full: SQL with its values, URLs with their queries"},
	{.name = "string-length", .arg = "N", .kind = OPTION_COUNT, AT(settings.string_length),
	 .given = offsetof(struct command_line, settings.string_length_given),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING, .min = 1, .max = FRT_FIELD_TEXT_MAX, .usual = "128",
	 .help = "characters that -e keeps of a text; presets keep 512"},
	{.name = "redact-key", .arg = "GLOBS", .kind = OPTION_TEXT, AT(settings.redact_key),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "names whose values -e does not read; '+' adds to the usual ones",
	 .more = "none is for no names. The usual ones are *auth*, *api*key*, *client*secret*, *credential*, *jaas*config*, *passphrase*, *passwd*, "
		 "*password*, *private*key*, *pwd*, *secret* and *token*, as in JDK 27's own option of that name. Globs "
		 "have ';' between them; letters of either case are equal."},
	{.name = "mapping", .arg = "FILE", .kind = OPTION_TEXT, AT(settings.mapping),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "filters have original names of a program that ProGuard or R8 has renamed",
	 .more = "FILE is what they call the mapping, mapping.txt. It is for -m, -M, -x, -e, --inside, --dump-when, --fail-if, filter files and presets. The recording has the names of "
		 "the program; frtrace view, report and export show the original ones with the same option."},
	{.name = "exclude", .letter = 'x', .arg = "FILTER", .kind = OPTION_EXCLUDE,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "exclude methods from -m and from -M"},
	{.name = "filters", .arg = "FILE", .kind = OPTION_TRACE_FILE,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "read more filters for -m, one a line; a comment begins with '#'"},
	{.name = "timing-filters", .arg = "FILE", .kind = OPTION_TIMING_FILE,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "the same for -M"},
	{.name = "lambda", .kind = OPTION_LAMBDA,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING | VERB_BIT(VERB_METHODS),
	 .help = "with each method, trace the lambdas that are written in it"},
	{.name = "threshold", .letter = 't', .arg = "TIME", .kind = OPTION_TIME, AT(settings.threshold_ns),
	 .given = offsetof(struct command_line, settings.threshold_given),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "record only calls that take at least this long, as in 10ms (ns us ms s m h d)"},
	{.name = "thrown", .kind = OPTION_FLAG, AT(settings.thrown),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "record only calls that end with an exception"},
	{.name = "inside", .arg = "ROOT", .kind = OPTION_ROOT,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "record only slow calls of ROOT and what they call: 'Cart::pay:50ms'",
	 .more = "ROOT is a filter with a threshold, with :thrown, or with both, and then one suffices; with neither, all its "
		 "calls are kept. Calls that -m and -e select are recorded only inside of a call of ROOT on the same thread, and "
		 "kept only if that took at least as long, or ended with an exception. Of roots that call each other the "
		 "outermost counts. Several --inside are possible. frtrace view tree shows them."},
	{.name = "keep", .arg = "N%", .kind = OPTION_PERCENT, AT(settings.keep), .min = 1, .max = 100,
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "of the other calls of ROOT, keep this share to compare with, too"},
	{.name = "until", .arg = "WHEN", .kind = OPTION_UNTIL, AT(settings.until),
	 .choices = until_choices, .usual = "call",
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "a call of ROOT ends with its last task (tasks), or FILTER's call",
	 .more = "For requests that hand on their work and return at once. FILTER selects methods that end a request, as in "
		 "--until='+jakarta.servlet.AsyncContext::complete': the first such call in the call of ROOT, or in its tasks, or its return if that is later. "
		 "The call has the whole time as requestTime, and frtrace view slowest ranks by it. Without requestTime, the end was not seen."},
	{.name = "settings", .arg = "FILE.jfc", .kind = OPTION_SETTINGS, AT(settings.files),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "read JFR's settings files; the last one wins, and an option over all of them",
	 .more = "The files default and profile are frtrace's own. What counts is filter, threshold and stackTrace of jdk.MethodTrace, and filter and period of "
		 "jdk.MethodTiming."},
	{.name = "skip-active", .kind = OPTION_FLAG, AT(settings.skip_active),
	 .section = SECTION_WHAT, .verbs = VERBS_RECORDING,
	 .help = "leave classes alone that have a method on a stack now"},

	{.name = "stack-depth", .arg = "N", .kind = OPTION_COUNT, AT(settings.stack_depth),
	 .min = 1, .max = FRT_MAX_DEPTH, .usual = "64",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "record at most N callers"},
	{.name = "stacks", .arg = "SOURCE", .kind = OPTION_CHOICE, AT(settings.stacks),
	 .choices = stacks_choices, .usual = "auto",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "by JVMTI: stacks that cannot be walked (auto), none, or all",
	 .more = "All by JVMTI cost several times as much."},
	{.name = "no-stack", .kind = OPTION_FLAG, AT(settings.no_stack),
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "do not record where a call came from"},
	{.name = "kernel", .arg = "MODE", .kind = OPTION_CHOICE, AT(settings.kernel),
	 .choices = kernel_choices, .usual = "on",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "record what calls waited for; full: system calls, page faults too",
	 .more = "on: how long they ran, waited for a CPU and were blocked, on what, and who woke them."},
	{.name = "wait-stack", .arg = "TIME", .kind = OPTION_TIME, AT(settings.wait_stack_ns), .usual = "1ms",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "record where a thread was that waited for longer"},
	{.name = "resources", .arg = "WHEN", .kind = OPTION_CHOICE, AT(settings.resources),
	 .choices = resources_choices, .usual = "on",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "off: do not record which peers and files threads wait for"},
	{.name = "path", .kind = OPTION_FLAG, AT(settings.path),
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "record whom each call waited for, to the end of the chain",
	 .more = "Needs -t, or --inside, whose roots then have paths. Each part is an event frtrace.PathSegment; frtrace view path shows them. The waits of all threads of the JVM are recorded for it."},
	{.name = "fields", .arg = "SET", .kind = OPTION_CHOICE, AT(settings.fields),
	 .choices = fields_choices, .usual = "all",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "jdk: only the fields of JEP 520, for tools that read by position",
	 .more = "Of jdk.MethodTrace and jdk.MethodTiming. Other events stay as they are."},
	{.name = "trace-ids", .arg = "WHEN", .kind = OPTION_CHOICE, AT(settings.trace_ids),
	 .choices = trace_ids_choices, .usual = "auto",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "ids of distributed traces, where the program publishes them",
	 .more = "Those of OpenTelemetry's thread context (otel_thread_ctx_v1) and of Elastic's APM agent are known. off also leaves out the program's resource (OTEL_CTX)."},
	{.name = "cpu", .arg = "PERIOD", .optional = true, .kind = OPTION_TIME, AT(settings.cpu_ns), .min = 100000,
	 .omitted = "1ms", .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "sample what recorded calls spend their CPU time in, each PERIOD, or 1ms",
	 .more = "Samples are events jdk.ExecutionSample; frtrace view hot sums them up. Only those in calls that are recorded are written."},
	{.name = "alloc", .kind = OPTION_FLAG, AT(settings.alloc),
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "record how many bytes each call has allocated, as the JVM itself counts them",
	 .more = "Of the call's own thread, with all that it calls; also as a sum of -M. Not of native methods."},
	{.name = "tasks", .arg = "WHEN", .kind = OPTION_CHOICE, AT(settings.tasks),
	 .choices = tasks_choices, .usual = "auto",
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "record tasks that calls hand on; auto: with --inside",
	 .more = "Each is an event frtrace.Task; frtrace view tasks sums them up. Tasks that such a task hands on are recorded, too. With --inside it is those of roots, with the calls in them."},
	{.name = "handoff", .arg = "PUT=>RUN", .kind = OPTION_HANDOFF,
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "and objects in queues of the program's own: 'Q::put arg0 => Worker::run arg0'",
	 .more = "PUT is a method that gets an object before it goes into the queue, RUN one that a thread calls with the same object when it has got it, and that "
		 "returns when it has been processed; arg0 is the first argument, and the object may be this. Types name an overload: 'Queue::put(java.lang.Object) arg0'. Classes are named whole. "
		 "Several --handoff are possible, at most 8."},
	{.name = "max-overhead", .arg = "N%|off", .kind = OPTION_PERCENT, AT(settings.max_overhead),
	 .choices = overhead_offers, .min = 1, .max = 10000,
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "throttle: only count methods that cost more; 25%, with --lossless off",
	 .more = "A method whose recording takes more than this share of a CPU for each of its threads is only counted and timed from then on."},
	{.name = "lossless", .arg = "TIMEOUT", .optional = true, .kind = OPTION_TIME, AT(settings.lossless_ns), .min = 1,
	 .omitted = "10ms", .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "let a call wait up to TIMEOUT (10ms) for frtrace rather than lose it",
	 .more = "Threads of the JVM itself and carriers of virtual threads never wait, and no thread waits for a frtrace that stands still for longer. What is lost then is counted."},

	{.name = "auto-unhook", .arg = "TIME", .kind = OPTION_TIME, AT(settings.auto_unhook_ns),
	 .section = SECTION_CALL, .verbs = VERBS_RECORDING,
	 .help = "unhook throttled methods with shorter calls; 200ns if -m has a * or a class"},

	{.name = "output", .letter = 'o', .arg = "FILE|DIR/|-", .kind = OPTION_OUTPUT, AT(settings.output),
	 .usual = "frtrace-%p-%t.jfr", .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "the file; %p: pid, %t: time; in DIR/ one each second",
	 .more = "The files in DIR/ are as those of a JVM's own repository. With - the recording goes to standard output, a part each second, as the reader takes it. What it has not "
		 "taken waits in memory, up to --max-size; then the oldest parts are dropped."},
	{.name = "duration", .letter = 'd', .arg = "TIME", .kind = OPTION_TIME, AT(settings.duration_ns), .min = 1,
	 .seconds = true, .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "stop after this time; a number alone is in seconds"},
	{.name = "max-events", .letter = 'n', .arg = "N", .kind = OPTION_COUNT, AT(settings.max_events), .min = 1,
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "stop after N calls"},
	{.name = "max-size", .arg = "SIZE", .kind = OPTION_SIZE, AT(settings.max_size), .min = 1, .usual = "1g",
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "drop the oldest chunks beyond this size (k m g)"},
	{.name = "max-total", .arg = "SIZE", .kind = OPTION_SIZE, AT(settings.max_total), .min = 1 << 20,
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "with --follow: drop the oldest chunks of all in DIR/ beyond this size",
	 .more = "Recordings that an earlier frtrace has made in DIR/ count and go, too. It is looked at every 10 s."},
	{.name = "in-memory", .arg = "SIZE", .optional = true, .kind = OPTION_SIZE, AT(settings.in_memory),
	 .min = 16 << 20, .omitted = "256m", .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "keep it in memory, 256m without SIZE; only dump, stop -o and its end write it",
	 .more = "The memory is taken at the start. Without -o a recording in the background writes nothing at its end, and "
		 "one in the foreground a file with the default name. The oldest chunks are dropped beyond SIZE."},
	{.name = "max-age", .arg = "TIME", .kind = OPTION_TIME, AT(settings.max_age_ns), .min = 1,
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "drop chunks that are older"},
	{.name = "dump-when", .arg = "CONDITION", .kind = OPTION_DUMP_WHEN, AT(settings.dump_when),
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "with start: dump when a call is slow, throws or hangs: 'Cart::pay >1s'",
	 .more = "'Cart::pay thrown' is about a call that throws, 'Cart::pay open>10s' about one that has not returned for so long. The dump lies beside the file, with the time of day in its name, and has the calls that are open, too. "
		 "Several --dump-when are possible. At most one dump is written each minute, and 20 in all. Calls that are not recorded, because of -t, -M or the throttle, are not seen, except open ones."},
	{.name = "with-jfr", .arg = "SETTINGS", .optional = true, .kind = OPTION_WITH_JFR, AT(settings.with_jfr),
	 .choices = jfr_offers, .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "put the JVM's own recording (default, profile, FILE.jfc) into the same file",
	 .more = "JDK 11 and later can do that."},
	{.name = "context", .arg = "A,B", .kind = OPTION_TEXT, AT(settings.context),
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "give these of its events the fields around them that -e marks as context"},
	{.name = "report", .arg = "FILE.html", .optional = true, .kind = OPTION_TEXT, AT(settings.report),
	 .given = offsetof(struct command_line, settings.report_wanted),
	 .section = SECTION_WHERE, .verbs = VERBS_RECORDING,
	 .help = "write a page for a browser, too; beside the recording if no name is given"},

	{.name = "interval", .letter = 'i', .arg = "TIME", .kind = OPTION_TIME, AT(settings.interval_ns),
	 .min = 100000000, .section = SECTION_SEE, .verbs = VERBS_RECORDING,
	 .help = "print the busiest methods each interval; q ends, s and arrows sort and scroll",
	 .more = "The keys are: q ends the recording, s and the arrows to the right and left choose the column by which the "
		 "table is sorted, up and down scroll. Ctrl-Z and fg work as usual. Colours are used in a terminal only, and "
		 "not if the environment variable NO_COLOR is set."},
	{.name = "top", .arg = "N", .kind = OPTION_COUNT, AT(settings.top), .min = 1,
	 .section = SECTION_SEE, .verbs = VERBS_RECORDING,
	 .help = "rows of this table; 20 if not given"},
	{.name = "lines", .kind = OPTION_FLAG, AT(settings.lines),
	 .section = SECTION_SEE, .verbs = VERBS_RECORDING,
	 .help = "print a line for each recorded call"},
	{.name = "otlp", .arg = "-", .kind = OPTION_TEXT, AT(settings.otlp),
	 .section = SECTION_SEE, .verbs = VERBS_RECORDING,
	 .help = "print a span of OpenTelemetry (OTLP, lines of JSON) for each recorded call",
	 .more = "A call is printed when no traced call around it is open any more, or after 30 s, so that calls inside each other are one trace."},
	{.name = "json", .kind = OPTION_FLAG, AT(settings.json),
	 .section = SECTION_SEE, .verbs = VERBS_RECORDING | VERBS_INSPECTING,
	 .help = "print JSON instead"},
	{.name = "metrics", .arg = "FILE.prom", .kind = OPTION_TEXT, AT(settings.metrics),
	 .section = SECTION_SEE, .verbs = VERBS_RECORDING,
	 .help = "write sums for Prometheus each 15 s: calls, times, waits, losses, costs",
	 .more = "Each time the file is replaced as a whole, so a node exporter's textfile collector can read it."},
	{.name = "fail-if", .arg = "CONDITION", .kind = OPTION_CONDITION, AT(conditions),
	 .section = SECTION_SEE, .verbs = VERBS_RECORDING | VERB_BIT(VERB_VIEW) | VERB_BIT(VERB_DIFF),
	 .help = "end with status 4 if it holds at the end, with 5 if unknown: 'Cart thrown>0'",
	 .more = "A condition is a filter but for supertypes and annotations, one of calls, thrown, p50, p99 and other percentiles, max, and "
		 "the means avg, cpu, runq and blocked, then >, >=, <, <= or =, and a limit. For diff it is about NEW, and "
		 "'Cart::pay p99>+10%' holds if the percentile has certainly grown by more. What is not known is never "
		 "passed: no such method, no calls, too few for the percentile, calls that were lost or not recorded."},

	{.name = "user", .arg = "NAME", .kind = OPTION_USER, AT(settings.user),
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING,
	 .help = "run the program behind -- as this user instead of the one behind sudo",
	 .more = "The program may be a script or a build tool. Its first JVM is traced, or the one of -p."},
	{.name = "security-context", .kind = OPTION_FLAG, AT(settings.security_context),
	 .section = SECTION_OTHER, .verbs = VERB_BIT(VERB_CHECK),
	 .help = "print the securityContext for Kubernetes instead: the capabilities that a container with frtrace needs "
		 "beside this JVM, or beside any, on this kernel"},
	{.name = "source", .alias = "probe", .arg = "SOURCE", .kind = OPTION_CHOICE, AT(settings.source),
	 .choices = source_choices, .usual = "auto",
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING,
	 .help = "hotspot: no agent, but the probes of HotSpot itself",
	 .more = "They need a JVM that was started with the flag DTraceMethodProbes. Nothing is loaded into it and nothing is "
		 "written to it, but every call of every method traps. Calls have durations, threads, stacks and waits, and "
		 "of those in compiled code not all exceptions that end them. auto is the agent, and these probes where no "
		 "agent can be loaded."},
	{.name = "attach", .alias = "probes", .hidden = true, .arg = "WAY", .kind = OPTION_CHOICE, AT(settings.attach),
	 .choices = attach_choices, .usual = "auto",
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING | VERB_BIT(VERB_CHECK),
	 .help = "attach to the kernel's uprobes by one link for all (multi), by a perf event for each (perf), or by what "
		 "works (auto); for debugging"},
	{.name = "mount", .kind = OPTION_FLAG, AT(settings.mount),
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING | VERB_BIT(VERB_CHECK),
	 .help = "if all that can be written is noexec, load the agent from a mount of its own",
	 .more = "This is for containers with a read-only root. The mount is the agent's private directory without noexec, in the "
		 "JVM's mount namespace only, and goes as soon as the agent is loaded. It takes CAP_SYS_ADMIN and CAP_SYS_CHROOT."},
	{.name = "buffer", .arg = "KIND", .kind = OPTION_CHOICE, AT(settings.buffer),
	 .choices = buffer_choices, .usual = "ring",
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING | VERB_BIT(VERB_CHECK),
	 .help = "perf: perf buffers instead of the BPF ring buffer",
	 .more = "Where a policy forbids BPF ring buffers, each CPU gets a perf buffer, and frtrace restores the order of the "
		 "records. That costs more; the recording is the same. Without CAP_IPC_LOCK the buffers are small (the "
		 "kernel's perf_event_mlock_kb)."},
	{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(settings.quiet),
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING | VERBS_INSPECTING,
	 .help = "print errors only"},
	{.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, AT(settings.verbose),
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING | VERBS_INSPECTING,
	 .help = "print more"},

	{.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, AT(args.verbose),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "slowest: whole stacks of waits, with the kernel's entry"},
	{.name = "output", .letter = 'o', .arg = "FILE", .kind = OPTION_TEXT, AT(args.output),
	 .section = SECTION_VERBS,
	 .verbs = VERB_BIT(VERB_DUMP) | VERB_BIT(VERB_STOP) | VERB_BIT(VERB_REPORT) | VERB_BIT(VERB_MERGE) |
		  VERB_BIT(VERB_RECOVER),
	 .help = "the file to write; of stop: for a recording in memory"},
	{.name = "context", .arg = "A,B", .kind = OPTION_TEXT, AT(args.context),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_MERGE),
	 .help = "give events of these types the fields around them that -e marks as context: 'jdk.File*'"},
	{.name = "last", .arg = "TIME", .kind = OPTION_TIME, AT(args.last_ns),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_DUMP),
	 .help = "only what ended in the last TIME"},
	{.name = "events", .arg = "A,B", .kind = OPTION_TEXT, AT(args.events),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_PRINT),
	 .help = "only these types: MethodTrace, jdk.MethodTrace, 'jdk.Method*'"},
	{.name = "events", .arg = "NAME", .kind = OPTION_TEXT, AT(args.events),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "with --csv: a line for each event of this type, with all its fields"},
	{.name = "categories", .arg = "A,B", .kind = OPTION_TEXT, AT(args.categories),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_PRINT),
	 .help = "only types of these categories: 'Java Virtual Machine', JVM"},
	{.name = "stack-depth", .arg = "N", .kind = OPTION_COUNT, AT(args.stack_depth), .usual = "5",
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_PRINT),
	 .help = "frames of a stack at most"},
	{.name = "exact", .kind = OPTION_FLAG, AT(args.exact),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_PRINT),
	 .help = "numbers and times with all their digits"},
	{.name = "width", .arg = "N", .kind = OPTION_COUNT, AT(args.width), .min = 20, .max = 10000,
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW) | VERB_BIT(VERB_DIFF),
	 .help = "columns of a table; those of the terminal, or 120, if not given"},
	{.name = "truncate", .arg = "END", .kind = OPTION_CHOICE, AT(args.truncate),
	 .choices = truncate_choices, .usual = "end",
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "which end of a text that is too long is cut"},
	{.name = "cell-height", .arg = "N", .kind = OPTION_COUNT, AT(args.cell_height), .min = 1, .usual = "1",
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "lines of a cell at most"},
	{.name = "method", .letter = 'm', .arg = "FILTER", .kind = OPTION_TRACE,
	 .given = offsetof(struct command_line, args.methods),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW) | VERB_BIT(VERB_DIFF),
	 .help = "only calls of these methods: a filter as for recording, but not of supertypes or annotations; several with ';'"},
	{.name = "thread", .arg = "NAME", .kind = OPTION_TEXT, AT(args.thread),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "only calls of threads with this name, where '*' is any characters: 'http-*'"},
	{.name = "slower", .arg = "TIME", .kind = OPTION_TIME, AT(args.slower_ns),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "only calls that took at least this long, as in 10ms"},
	{.name = "from", .arg = "CLOCK", .kind = OPTION_TEXT, AT(args.from),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "only calls that began at this time of day or later, as views print it: 21:31, 21:31:53.333"},
	{.name = "to", .arg = "CLOCK", .kind = OPTION_TEXT, AT(args.to),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "only calls that began before this time of day"},
	{.name = "mapping", .arg = "FILE", .kind = OPTION_TEXT, AT(args.mapping),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW) | VERB_BIT(VERB_REPORT) | VERB_BIT(VERB_EXPORT),
	 .help = "show the original names of what ProGuard or R8 has renamed",
	 .more = "FILE is what they call the mapping, mapping.txt. Lines are those of the source, too, where the file has them. A name that several "
		 "methods share stays as it is, unless types or lines tell them apart. Filters have original names."},
	{.name = "where", .arg = "FIELD=VALUE", .kind = OPTION_TEXT, AT(args.where),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW) | VERB_BIT(VERB_EXPORT),
	 .help = "only calls with this value of -e, and requests with such a call; also '!=', '<', '>', and '~' for a part of "
		 "a text"},
	{.name = "top", .arg = "N", .kind = OPTION_COUNT, AT(args.top), .min = 1, .max = 100000,
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW) | VERB_BIT(VERB_DIFF),
	 .help = "rows, methods or calls at most; some views show 5, 20 or 1,000 without it, the others all"},
	{.name = "depth", .arg = "N", .kind = OPTION_COUNT, AT(args.depth), .min = 1,
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "levels of callers, or of calls inside a call, at most"},
	{.name = "min", .arg = "N%|off", .kind = OPTION_PERCENT, AT(args.min_share),
	 .given = offsetof(struct command_line, args.min_given), .min = 1, .max = 100, .usual = "1%",
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "leave out callers with a smaller share of the method's calls, and calls with a smaller share of the tree's "
		 "time"},
	{.name = "merged", .kind = OPTION_FLAG, AT(args.merged),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "tree: one for each method, of all its outermost calls; with --slower, compared with the others; path: what all paths went through, the most time first"},
	{.name = "by", .arg = "FIELD", .kind = OPTION_TEXT, AT(args.by), .choices = by_offers,
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "events: a row for each value of FIELD, with calls and percentiles; tree, method-trace, latency: a line for each, or with class-name one for all loaders of a class; request: the calls with the same value; waits: only the table by reason, waker, place, holder, resource, or FIELD"},
	{.name = "by", .arg = "FIELD", .kind = OPTION_TEXT, AT(args.by),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_DIFF),
	 .help = "compare the calls with each value of this field of -e; class-name: those of classes of one name, whatever "
		 "their loaders"},
	{.name = "sort", .arg = "TIME", .kind = OPTION_CHOICE, AT(args.sort),
	 .choices = sort_choices,
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "method-trace, method-timing: methods with most total time first (default), or with most self time, which is "
		 "that without the traced calls inside"},
	{.name = "collapsed", .kind = OPTION_FLAG, AT(args.collapsed),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "lines \"main;caller;method N\", for flame graphs"},
	{.name = "collapsed", .kind = OPTION_FLAG, AT(args.collapsed),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_DIFF),
	 .help = "lines \"main;caller;method OLD NEW\", for differential flame graphs"},
	{.name = "report", .arg = "FILE.html", .kind = OPTION_TEXT, AT(args.page),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_DIFF),
	 .help = "write the comparison as a page for a browser instead"},
	{.name = "samples", .kind = OPTION_FLAG, AT(args.samples),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "--collapsed, --pprof: what calls spent their CPU time in, by samples (--cpu)"},
	{.name = "weight", .arg = "UNIT", .kind = OPTION_CHOICE, AT(args.weight),
	 .choices = weight_choices,
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT) | VERB_BIT(VERB_DIFF),
	 .help = "the N of --collapsed: calls, or nanoseconds without those of traced calls inside; calls if not given"},
	{.name = "perfetto", .kind = OPTION_FLAG, AT(args.perfetto),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "a Perfetto trace: a track for each thread, with its calls, what it waited for, and who woke it"},
	{.name = "pprof", .kind = OPTION_FLAG, AT(args.pprof),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "a pprof profile: calls, time, CPU and blocked time by stack"},
	{.name = "otlp", .kind = OPTION_FLAG, AT(args.otlp),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "spans of OpenTelemetry (OTLP, lines of JSON): a trace for each outermost call, its waits as events"},
	{.name = "csv", .kind = OPTION_FLAG, AT(args.csv),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "a line for each call, or for each event of --events"},
	{.name = "jdk", .kind = OPTION_FLAG, AT(args.jdk),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT),
	 .help = "the recording itself, with only the fields of JEP 520 in jdk.MethodTrace and jdk.MethodTiming, for tools "
		 "that read them by position, such as async-profiler's jfrconv"},
	{.name = "norm", .kind = OPTION_FLAG, AT(args.normalize),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_EXPORT) | VERB_BIT(VERB_DIFF),
	 .help = "leave out of names what differs from run to run: numbers of lambdas, hidden classes, proxies and "
		 "accessors"},
	{.name = "json", .kind = OPTION_FLAG, AT(args.json),
	 .section = SECTION_VERBS,
	 .verbs = VERB_BIT(VERB_STATUS) | VERB_BIT(VERB_SUMMARY) | VERB_BIT(VERB_PRINT) | VERB_BIT(VERB_DIFF),
	 .help = "print JSON"},
	{.name = "json", .kind = OPTION_FLAG, AT(args.json),
	 .section = SECTION_VERBS, .verbs = VERB_BIT(VERB_VIEW),
	 .help = "print {\"view\":...,\"rows\":[...]}, a line for each table"},

	{.name = "help", .letter = 'h', .kind = OPTION_HELP, .section = SECTION_OTHER, .verbs = VERBS_ALL,
	 .help = "print this text", .more = "Each verb has its own."},
	{.name = "version", .kind = OPTION_VERSION,
	 .section = SECTION_OTHER, .verbs = VERBS_RECORDING | VERBS_INSPECTING,
	 .help = "print the version"},
	{0},
};
/* clang-format on */

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

static bool is_name(const char *own, const char *name, size_t length)
{
	return own && strlen(own) == length && memcmp(own, name, length) == 0;
}

const struct option_row *option_by_name(unsigned int mask, const char *name, size_t length, size_t *count)
{
	const struct option_row *found = NULL;

	*count = 0;
	for (const struct option_row *o = options; o->name; o++) {
		if (!(o->verbs & mask))
			continue;
		if (is_name(o->name, name, length) || is_name(o->alias, name, length)) {
			*count = 1;
			return o;
		}
		if (o->hidden || strncmp(o->name, name, length) != 0)
			continue;
		found = o;
		++*count;
	}
	return *count == 1 ? found : NULL;
}

const struct option_row *option_by_letter(unsigned int mask, char letter)
{
	for (const struct option_row *o = options; o->name; o++)
		if (o->verbs & mask && o->letter == letter)
			return o;
	return NULL;
}

void option_argument(const struct option_row *o, char *out, size_t size)
{
	size_t length = 0;

	out[0] = 0;
	if (o->arg && o->kind != OPTION_CHOICE)
		snprintf(out, size, o->optional ? "[=%s]" : "=%s", o->arg);
	else if (o->kind == OPTION_CHOICE)
		for (const struct option_choice *c = o->choices; c->name && length < size; c++)
			length += snprintf(out + length, size - length, "%c%s", c == o->choices ? '=' : '|', c->name);
}

void option_notes(const struct option_row *o, char *out, size_t size)
{
	char limits[64] = "", usual[64] = "";

	if (o->kind == OPTION_COUNT && o->max)
		snprintf(limits, sizeof(limits), "%" PRIu64 " to %" PRIu64, o->min, o->max);
	if (o->usual)
		snprintf(usual, sizeof(usual), "default %s", o->usual);
	snprintf(out, size, "%s%s%s", limits, limits[0] && usual[0] ? ", " : "", usual);
}
