// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/cli.h"
#include "filters/redact.h"
#include "user/process/find.h"

#include <errno.h>

#include <string.h>

/* Options of the output during the recording. */
static int check_printing(const struct settings *s, struct diag *d)
{
	if (s->interval_ns && s->lines)
		return diag_usage(d, "--interval and --lines do not go together: a table or a line for each call");
	if (s->otlp && strcmp(s->otlp, "-") != 0)
		return diag_usage(d, "wrong --otlp '%s': it has to be '-', standard output", s->otlp);
	if (s->otlp && (s->interval_ns || s->lines))
		return diag_usage(d, "--otlp and %s do not go together: both print on standard output",
				  s->lines ? "--lines" : "--interval");
	if (s->top && !s->interval_ns)
		return diag_usage(d, "--top is of the table that --interval prints, as in -i 5s");
	if (s->json && !s->interval_ns && !s->lines)
		return diag_usage(
			d, "--json needs --interval or --lines: a recording prints nothing else on standard output");
	if ((s->lines || s->otlp) && !filter_list_count(s->filters, FILTER_TRACE) && !s->events.count)
		return diag_usage(
			d,
			"--%s prints recorded calls, and -M records none: choose methods with -m, or a table with -i",
			s->otlp ? "otlp" : "lines");
	return 0;
}

/* Options that do not go together with a recording in memory. */
static int check_in_memory(const struct settings *s, struct diag *d)
{
	size_t length = s->output ? strlen(s->output) : 0;

	if (!s->in_memory)
		return 0;
	if (s->max_size != SETTINGS_MAX_SIZE)
		return diag_usage(d,
				  "--max-size is of files: --in-memory=SIZE says how much memory a recording may take");
	if (length && s->output[length - 1] == '/')
		return diag_usage(d, "--in-memory writes one file at the end: name it with -o, or leave -o out");
	if (s->with_jfr)
		return diag_usage(d,
				  "--with-jfr and --in-memory do not go together: the JVM's own recording is a file");
	return 0;
}

/* Options that do not go together with a recording to standard output. */
static int check_stream(const struct settings *s, struct diag *d)
{
	const char *other = s->interval_ns ? "--interval"
			    : s->lines	   ? "--lines"
			    : s->otlp	   ? "--otlp"
			    : s->in_memory ? "--in-memory"
			    : s->with_jfr  ? "--with-jfr"
			    : s->report	   ? "--report"
					   : NULL;

	if (!settings_to_stdout(s))
		return 0;
	if (s->background)
		return diag_usage(d, "-o - is for a recording in the foreground: one in the background has no standard "
				     "output");
	if (s->program)
		return diag_usage(d, "-o - and a program do not go together: standard output is the program's");
	if (other)
		return diag_usage(d, "-o - and %s do not go together", other);
	return 0;
}

/* Would two recordings have the same name? */
static bool same_name_for_all(const char *output)
{
	return output && output[strlen(output) - 1] != '/' && !strstr(output, "%p");
}

/* What --follow does for many JVMs cannot have what there is once: a target, a terminal, a file. */
static int check_follow(const struct settings *s, struct diag *d)
{
	const char *part;
	const char *other = s->target	     ? "-p"
			    : s->program     ? "a program behind --"
			    : s->wait	     ? "--wait"
			    : s->interval_ns ? "--interval"
			    : s->lines	     ? "--lines"
			    : s->otlp	     ? "--otlp"
			    : s->metrics     ? "--metrics"
			    : s->report	     ? "--report=FILE"
			    : s->in_memory   ? "--in-memory"
					     : NULL;

	if (s->max_total && (!s->follow || !s->output || s->output[strlen(s->output) - 1] != '/'))
		return diag_usage(d,
				  "--max-total is of all recordings of --follow in a directory: --follow=... -o DIR/");
	if (!s->follow)
		return 0;
	target_spec_of(s->follow, &part);
	if (!*part)
		return diag_usage(d, "--follow needs a part of the main class or jar, container:ID or cgroup:NAME");
	if (s->background)
		return diag_usage(d,
				  "--follow is for a recording in the foreground, such as a service: 'frtrace start' "
				  "records one JVM");
	if (other)
		return diag_usage(d, "--follow and %s do not go together: it traces many JVMs", other);
	if (settings_to_stdout(s) || same_name_for_all(s->output))
		return diag_usage(d, "--follow makes a recording for each JVM: -o DIR/, or a name with %%p, as in -o "
				     "'shop-%%p-%%t.jfr'");
	return 0;
}

/* The data to record, and the JVM. */
static int check_recording(const struct settings *s, struct diag *d)
{
	if (!s->target && !s->program && !s->follow)
		return diag_usage(d, "no target: say which JVM with -p, a pid or a part of its main class or jar name, "
				     "or start one with -- java ...");
	if (s->target && s->program && !s->target[strspn(s->target, "0123456789")])
		return diag_usage(d,
				  "a program that is started ('-- %s') has no pid yet: -p names one of its JVMs by a "
				  "part of its main class or jar",
				  s->program[0]);
	if (s->wait && (s->program || (s->target && !s->target[strspn(s->target, "0123456789")])))
		return diag_usage(
			d, "--wait is for a JVM that somebody else starts: name it with -p, by a part of its main "
			   "class or jar");
	if (s->user && !s->program)
		return diag_usage(d, "--user is for a program that is started, as in --user=%s -- java ...", s->user);
	if (s->context && !s->with_jfr)
		return diag_usage(d, "--context is for events of the JVM's own recording: give --with-jfr, too");
	if (s->with_jfr && s->program)
		return diag_usage(
			d, "--with-jfr is for a JVM that runs: give one that is started -XX:StartFlightRecording, "
			   "and put the two files together with 'frtrace merge'");
	if (s->report && (strlen(s->report) < 6 || strcmp(s->report + strlen(s->report) - 5, ".html") != 0))
		return diag_usage(d, "wrong --report '%s': the page needs a name that ends in .html", s->report);
	if (s->metrics && (strlen(s->metrics) < 6 || strcmp(s->metrics + strlen(s->metrics) - 5, ".prom") != 0))
		return diag_usage(d, "wrong --metrics '%s': the file needs a name that ends in .prom", s->metrics);
	if (s->background && (s->program || settings_show_calls(s)))
		return diag_usage(
			d,
			"'frtrace start' goes into the background: it starts no program and prints no table or lines");
	if (filter_list_size(s->filters) == 0 && !s->events.count)
		return diag_usage(d, "no filter: say which methods with -m, as in -m 'com.acme.Cart::checkout'");
	if (settings_has_roots(s) && !filter_list_count(s->filters, FILTER_TRACE) && !s->events.count)
		return diag_usage(d, "--inside needs -m or -e: which calls inside of it are recorded");
	if (s->cpu_ns && (!s->kernel || s->no_stack || s->stacks == SETTINGS_STACKS_JVMTI))
		return diag_usage(d, "--cpu does not go with --kernel=off, --no-stack or --stacks=jvmti");
	if (s->cpu_ns && s->source == SETTINGS_SOURCE_HOTSPOT)
		return diag_usage(d, "--cpu does not go with --source=hotspot");
	if (s->alloc && s->source == SETTINGS_SOURCE_HOTSPOT)
		return diag_usage(d, "--alloc does not go with --source=hotspot");
	if (s->alloc && s->fields == SETTINGS_FIELDS_JDK)
		return diag_usage(d, "--alloc is a field that JEP 520 does not have: leave out --fields=jdk");
	if (s->tasks == SETTINGS_TASKS_ON && s->source == SETTINGS_SOURCE_HOTSPOT)
		return diag_usage(d, "--tasks=on does not go with --source=hotspot");
	if (s->lossless_ns && s->buffer == SETTINGS_BUFFER_PERF)
		return diag_usage(d, "--lossless does not go with --buffer=perf: calls cannot wait for such buffers");
	if (s->path && !settings_has_roots(s) && !filter_list_threshold(s->filters, s->threshold_ns))
		return diag_usage(d, "--path needs -t, as in -t 10ms, or --inside");
	if (s->path && s->kernel == SETTINGS_KERNEL_OFF)
		return diag_usage(d, "--path does not go with --kernel=off");
	if (s->keep && !settings_has_roots(s))
		return diag_usage(d,
				  "--keep is of the calls that --inside leaves out, as in --inside='Cart::pay:50ms'");
	if (s->until != SETTINGS_UNTIL_CALL && (!settings_has_roots(s) || !settings_has_tasks(s)))
		return diag_usage(d, "--until is about the tasks of --inside, as in --inside='Cart::pay:50ms'; it "
				     "does not go with --tasks=off");
	if (s->until != SETTINGS_UNTIL_NAMED && filter_list_count(s->filters, FILTER_UNTIL))
		return diag_usage(d, "--until has one meaning: call, tasks, or filters");
	if (s->handoffs.count && !settings_has_tasks(s))
		return diag_usage(d, "--handoff is about tasks: use it with --inside or --tasks=on");
	if (s->dump_when.count && !s->background)
		return diag_usage(d, "--dump-when is for a recording in the background: frtrace start ...");
	if (s->dump_when.count && !filter_list_count(s->filters, FILTER_TRACE) && !s->events.count)
		return diag_usage(d,
				  "--dump-when is about recorded calls, and -M records none: choose methods with -m");
	if (s->redact_key && redact_check(s->redact_key, d))
		return -EINVAL;
	return check_follow(s, d) ?: check_in_memory(s, d) ?: check_printing(s, d) ?: check_stream(s, d);
}

int cli_check(const struct command_line *c, struct diag *d)
{
	const struct settings *s = &c->settings;

	if (s->quiet && s->verbose)
		return diag_usage(d, "--quiet and --verbose do not go together");
	if (s->security_context && s->json)
		return diag_usage(d, "--security-context prints YAML, and --json JSON: choose one");
	if (c->verb->id == VERB_METHODS && (!s->target || filter_list_size(s->filters) == 0))
		return diag_usage(
			d,
			"'frtrace methods' takes a target and a filter, as in frtrace methods shop.jar 'com.acme.Cart::checkout'");
	if (c->verb->id != VERB_DIFF && condition_list_check_absolute(&c->conditions, d))
		return -EINVAL;
	if (c->verb->id == VERB_START && c->conditions.count)
		return diag_usage(d,
				  "'frtrace start' goes into the background: judge its file later, with 'frtrace view "
				  "--fail-if=...'");
	if (s->follow && c->conditions.count)
		return diag_usage(d, "--follow and --fail-if do not go together: judge the files, with 'frtrace view "
				     "--fail-if=...'");
	if (settings_to_stdout(s) && c->conditions.count)
		return diag_usage(
			d, "-o - and --fail-if do not go together: judge the file, with 'frtrace view --fail-if=...'");
	return VERB_BIT(c->verb->id) & VERBS_RECORDING ? check_recording(s, d) : 0;
}
