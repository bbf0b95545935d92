// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/report.h"
#include "bpf/probes.h"
#include "user/capture/cost.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"
#include "user/segment/segment.h"
#include "user/record/losses.h"
#include "user/live/report_breakdown.h"
#include "user/text/java_name.h"
#include "user/text/shell_word.h"
#include "user/live/no_events.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_CLASSES 20
#define MAX_ACTIVE   12

static void report_append(char *to, size_t size, const char *text)
{
	size_t length = strlen(to);

	snprintf(to + length, size - length, "%s", text);
}

/* "com.acme.Cart.checkout(Order) · checkout(Order, boolean)" */
static void print_class(const struct segment *seg, uint32_t class_id, const struct frt_class *c, const char *class_name)
{
	char line[1024], loader[256], name[512], descriptor[4096], method[1024];
	const struct frt_method *m;
	bool first = true;

	snprintf(line, sizeof(line), "  %s.", class_name);
	for (uint32_t id = 1; (m = segment_method(seg, id)); id++) {
		if (m->class_id != class_id || !segment_is_hooked(seg, m))
			continue;
		segment_string(seg, m->name, name, sizeof(name));
		segment_string(seg, m->descriptor, descriptor, sizeof(descriptor));
		java_name_print(name, descriptor, method, sizeof(method));
		if (!first)
			report_append(line, sizeof(line), " · ");
		first = false;
		if (strlen(line) + strlen(method) > 400) {
			report_append(line, sizeof(line), "...");
			break;
		}
		report_append(line, sizeof(line), method);
	}
	segment_name_loader(seg, c->loader, loader, sizeof(loader));
	log_line("%s   loader %s", line, loader);
}

static void print_classes(const struct segment *seg)
{
	struct segment_classes traced;
	const struct frt_class *c;
	char name[1024];
	uint32_t shown = 0, more = 0;

	segment_hooked_classes(seg, &traced);
	for (uint32_t id = 1; (c = segment_class(seg, id)); id++) {
		if (!segment_classes_has(&traced, id))
			continue;
		if (shown++ >= MOST_CLASSES) {
			more++;
			continue;
		}
		segment_string(seg, c->name, name, sizeof(name));
		java_name_dots(name);
		print_class(seg, id, c, name);
	}
	if (more)
		log_line("  ... and %u more classes", more);
}

static const char *report_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static bool is_probed(const struct report *r)
{
	return r->settings->probe == SETTINGS_PROBE_HOTSPOT;
}

/* The source of stacks, for the start line. */
static const char *stack_source(const struct report *r)
{
	if (r->settings->no_stack)
		return "";
	if (!r->not_walked || !r->not_walked[0])
		return ", stacks walked";
	return r->settings->stacks == SETTINGS_STACKS_WALK ? ", no stacks" : ", stacks by JVMTI";
}

/* An age as people say it: "10 min" */
static const char *age_text(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{86400000000000, "d"}, {3600000000000, "h"}, {60000000000, "min"}};
	static char text[32];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns % units[i].ns)
			continue;
		snprintf(text, sizeof(text), "%llu %s", (unsigned long long)(ns / units[i].ns), units[i].name);
		return text;
	}
	return log_time(ns);
}

static const char *limits(const struct settings *s)
{
	static char text[96];

	if (!s->max_age_ns)
		return log_bytes(s->max_size);
	snprintf(text, sizeof(text), "%s or %s", log_bytes(s->max_size), age_text(s->max_age_ns));
	return text;
}

/* The cost of the kernel's tracepoints while the programs are loaded, for the start line. */
static const char *tracepoints(const struct report *r)
{
	static char text[128];
	int length;

	if (!r->settings->kernel || session_no_waits(r->session)[0])
		return "";
	length = snprintf(text, sizeof(text), ", about %.1f us a context switch", COST_SWITCH_US);
	if (r->settings->kernel == SETTINGS_KERNEL_FULL && !session_no_usage(r->session)[0])
		snprintf(text + length, sizeof(text) - length, ", %.1f us a system call or page fault",
			 COST_SYSTEM_CALL_US);
	return text;
}

/*
 * A launched JVM waits at its start: no class of the program is loaded yet, so no methods are counted. If -e has awaited
 * classes, it runs already.
 */
static void print_launched(const struct report *r)
{
	log_line("tracing %d %s (JDK %s) %s: start held up %.0f ms%s%s", (int)r->target->pid, r->target->name,
		 r->target->version[0] ? r->target->version : "unknown",
		 r->awaited ? "from now on, as the classes of -e are loaded" : "from its first class on",
		 session_cost(r->session)->attach_ms, stack_source(r), tracepoints(r));
}

static void print_attached(const struct report *r, uint32_t methods, uint32_t classes)
{
	const struct frt_header *h = segment_header(session_segment(r->session));
	const struct session_cost *cost = session_cost(r->session);

	if (is_probed(r)) {
		log_line("tracing %s %s of %s %s in %d %s (JDK %s) by HotSpot's own probes: attach %.0f ms, the JVM is "
			 "much slower: every call of every method traps",
			 log_count(methods), report_plural(methods, "method", "methods"), log_count(classes),
			 report_plural(classes, "class", "classes"), (int)r->target->pid, r->target->name,
			 r->target->version[0] ? r->target->version : "unknown", cost->attach_ms);
		return;
	}
	log_line("tracing %s %s of %s %s in %d %s (JDK %s): attach %.0f ms, pause %s%.1f ms, rings %.1f of %.1f MB%s%s",
		 log_count(methods), report_plural(methods, "method", "methods"), log_count(classes),
		 report_plural(classes, "class", "classes"), (int)r->target->pid, r->target->name,
		 r->target->version[0] ? r->target->version : "unknown", cost->attach_ms,
		 cost->pause_known ? "" : "at most ", cost->pause_ms, h->ring_used / 1048576.0, h->ring_cap / 1048576.0,
		 stack_source(r), tracepoints(r));
}

void report_active(const struct active_list *active, bool skipped)
{
	char names[4096] = "", more[40] = "";

	if (!active->count)
		return;
	for (unsigned int i = 0; i < active->count; i++) {
		const struct active_method *m = &active->method[i];
		char stacks[40] = "";

		if (m->stacks > 1)
			snprintf(stacks, sizeof(stacks), " (%u stacks)", m->stacks);
		log_detail("active: %s%s", m->name, stacks);
		if (i >= MAX_ACTIVE)
			continue;
		report_append(names, sizeof(names), i ? ", " : "");
		report_append(names, sizeof(names), m->name);
		report_append(names, sizeof(names), stacks);
	}
	if (active->count > MAX_ACTIVE)
		snprintf(more, sizeof(more), " and %u more (-v)", active->count - MAX_ACTIVE);
	if (skipped)
		log_line("active now, their classes are left alone: %s%s", names, more);
	else
		log_line("active now, interpreted until they return (--skip-active leaves their classes alone): %s%s",
			 names, more);
}

/* With -v the details precede the note. */
static void print_details(const char *details)
{
	for (const char *end; details && (end = strchr(details, '\n')); details = end + 1)
		log_detail("%.*s", (int)(end - details), details);
}

void report_notes(const struct notes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		print_details(n->note[i].details);
		if (n->note[i].line)
			log_line("  %s", n->note[i].line);
	}
}

static const char *destination(const struct report *r)
{
	return output_in_memory(r->output) ? "memory" : output_path(r->output);
}

/* ", at its end to shop.jfr" */
static const char *written_when(const struct report *r)
{
	static char text[PATH_MAX + 32];

	if (!output_in_memory(r->output))
		return "";
	if (output_path(r->output))
		snprintf(text, sizeof(text), ", at its end to %s", output_path(r->output));
	else
		snprintf(text, sizeof(text), ", to a file only by dump or stop -o");
	return text;
}

static void print_inside(const struct report *r)
{
	const struct filter_list *l = r->settings->filters;
	char names[4096] = "";

	for (size_t i = 0; i < filter_list_size(l); i++) {
		if (filter_list_kind(l, i) != FILTER_ROOT)
			continue;
		report_append(names, sizeof(names), names[0] ? ", " : "");
		report_append(names, sizeof(names), filter_list_text(l, i));
	}
	if (names[0])
		log_line("  recorded only inside of %s", names);
}

void report_start(const struct report *r, const struct notes *notes)
{
	const struct segment *seg = session_segment(r->session);
	uint32_t classes, methods = segment_count_hooked(seg, &classes);

	if (r->settings->program)
		print_launched(r);
	else
		print_attached(r, methods, classes);
	print_classes(seg);
	print_inside(r);
	report_notes(notes);
	log_line("to %s, at most %s%s, oldest goes first%s%s", destination(r), limits(r->settings),
		 output_is_stream(r->output) ? " until it is read" : "", written_when(r),
		 r->settings->background ? "" /* background_detach() says how to stop it */
		 : r->settings->program	 ? ".  Ctrl-C goes to the program"
		 : is_probed(r)		 ? ".  Ctrl-C stops"
					 : ".  Ctrl-C stops and restores the JVM");
}

/* Estimated share of the JVM's CPU time that the hooks took, in per cent. */
static double cost_percent(const struct report *r, const struct segment_totals *t)
{
	uint64_t cpu = target_cpu_ns(r->target);
	double hook_ns = cost_of_hooks(session_segment(r->session), r->clock);

	return cpu > r->cpu_before ? 100.0 * t->entered * hook_ns / (cpu - r->cpu_before) : 0;
}

/* Age of the oldest open call, ns. */
static int64_t open_for(const struct report *r, const struct segment_totals *t)
{
	clock_sample(r->clock);
	return clock_last(r->clock)->monotonic - clock_ns(r->clock, t->oldest_start);
}

static void open_text(const struct report *r, const struct segment_totals *t, char *out, size_t size)
{
	int64_t since;

	snprintf(out, size, "%s open", log_count(t->open));
	if (!t->open || !t->oldest_start)
		return;
	since = open_for(r, t);
	if (since > 0)
		report_append(out, size, ", oldest "), report_append(out, size, log_time(since));
}

static uint64_t sum_lost(const struct report *r)
{
	struct losses lost;

	losses_read(&lost, r->session, r->recorder);
	return lost.sum;
}

void report_progress(const struct report *r)
{
	int64_t seconds = (monotonic_ns() - r->begin_ns) / 1000000000;
	struct segment_totals t;
	char open[80];

	if (!log_is_live() || r->settings->program) /* the terminal is the program's */
		return;
	segment_totals(session_segment(r->session), &t);
	open_text(r, &t, open, sizeof(open));
	log_progress("%02d:%02d   %s calls   %s thrown   %s lost   %s   cost %.2f %% of the JVM's CPU",
		     (int)(seconds / 60), (int)(seconds % 60), log_count(t.exited), log_count(t.thrown),
		     log_count(sum_lost(r)), open, cost_percent(r, &t));
}

/* What is in memory includes the open chunk. */
static uint64_t report_bytes(const struct report *r)
{
	return output_size(r->output) + (output_in_memory(r->output) ? recorder_unwritten(r->recorder) : 0);
}

/* "72.4 KB in shop.jfr" */
static void file_text(const struct report *r, char *out, size_t size)
{
	const char *path = output_path(r->output);

	if (output_in_memory(r->output))
		snprintf(out, size, "%s in memory, back to %s ago", log_bytes(report_bytes(r)),
			 log_time(monotonic_ns() - output_since(r->output)));
	else if (output_is_stream(r->output))
		snprintf(out, size, "%s to %s", log_bytes(output_size(r->output)), path);
	else if (output_was_removed(r->output))
		snprintf(out, size, "but '%s' is gone: it was removed, renamed or replaced", path);
	else
		snprintf(out, size, "%s in %s", log_bytes(output_size(r->output)), path);
}

/* The same at the end, when what is in memory goes. */
static void end_text(const struct report *r, char *out, size_t size)
{
	if (!output_in_memory(r->output))
		file_text(r, out, size);
	else if (output_path(r->output))
		snprintf(out, size, "not written to %s", output_path(r->output));
	else
		snprintf(out, size, "not written: stop -o FILE would have done that");
}

void report_status(const struct report *r, char *out, size_t size)
{
	int64_t seconds = (monotonic_ns() - r->begin_ns) / 1000000000;
	struct segment_totals t;
	char file[PATH_MAX + 128], open[80], by[32] = "";

	segment_totals(session_segment(r->session), &t);
	open_text(r, &t, open, sizeof(open));
	file_text(r, file, sizeof(file));
	if (segment_is_shared(session_segment(r->session))) /* then only its own process names this recording */
		snprintf(by, sizeof(by), "   by %d", (int)getpid());
	snprintf(out, size, "%d %s%s   %02d:%02d:%02d   %s calls   %s thrown   %s lost   %s   %s", (int)r->target->pid,
		 r->target->name, by, (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60),
		 log_count(t.exited), log_count(t.thrown), log_count(sum_lost(r)), open, file);
}

void report_status_json(const struct report *r, FILE *to)
{
	struct segment_totals t;
	struct json j;

	segment_totals(session_segment(r->session), &t);
	json_init(&j, to);
	json_object(&j, NULL);
	json_signed(&j, "pid", r->target->pid);
	json_string(&j, "name", r->target->name);
	json_signed(&j, "elapsedNs", monotonic_ns() - r->begin_ns);
	json_unsigned(&j, "calls", t.exited);
	json_unsigned(&j, "thrown", t.thrown);
	json_unsigned(&j, "lost", sum_lost(r));
	json_unsigned(&j, "open", t.open);
	if (t.open && t.oldest_start)
		json_signed(&j, "oldestOpenNs", open_for(r, &t));
	json_signed(&j, "recorder", getpid());
	if (output_path(r->output))
		json_string(&j, "file", output_path(r->output));
	json_bool(&j, "inMemory", output_in_memory(r->output));
	json_signed(&j, "reachesBackNs", monotonic_ns() - output_since(r->output));
	json_unsigned(&j, "bytes", report_bytes(r));
	json_bool(&j, "fileGone", output_was_removed(r->output));
	json_end(&j);
}

static bool explain_no_events(const struct report *r, const struct segment_totals *t, char *why, size_t size)
{
	struct no_events s = {
		.settings = r->settings,
		.segment = session_segment(r->session),
		.clock = r->clock,
		.counts = recorder_counts(r->recorder),
		.begin_ns = r->begin_ns,
	};

	return no_events_explain(&s, t, why, size);
}

static void print_why_no_events(const struct report *r, const struct segment_totals *t)
{
	char why[256];

	if (explain_no_events(r, t, why, sizeof(why)))
		log_line("%s", why);
}

void report_no_events(const struct report *r)
{
	struct segment_totals t;
	char why[256];

	segment_totals(session_segment(r->session), &t);
	if (explain_no_events(r, &t, why, sizeof(why)))
		log_detail("  nothing is recorded so far: %s", why);
}

static void explain_losses(const struct report *r, const struct losses *lost)
{
	uint64_t drops[FRT_DROP_REASONS];

	if (lost->unwritten)
		log_line("  %s lost with the chunk that could not be written", log_count(lost->unwritten));
	if (lost->unrecorded && is_probed(r))
		log_line("  %s lost because the queue was full: frtrace fell behind", log_count(lost->unrecorded));
	else if (lost->unrecorded)
		log_line("  %s lost because the ring memory ran out (%s)", log_count(lost->unrecorded),
			 log_bytes(segment_header(session_segment(r->session))->ring_cap));
	if (lost->unslotted && is_probed(r))
		log_line("  %s lost that began while %u calls of their thread were open", log_count(lost->unslotted),
			 FRT_PROBE_DEPTH);
	else if (lost->unslotted)
		log_line("  %s lost on threads beyond %u", log_count(lost->unslotted), FRT_MAX_SLOTS);
	if (lost->overwritten)
		log_line("  %s lost in their rings: overwritten before frtrace read them",
			 log_count(lost->overwritten));
	if (lost->excess)
		log_line("  %s lost in roots that were not over: at most %s calls are held", log_count(lost->excess),
			 log_count(ROOTS_LIMIT));
	if (lost->torn)
		log_line("  %s lost with the end of their root: overwritten, or swallowed by a StackOverflowError",
			 log_count(lost->torn));
	if (lost->malformed)
		log_line("  %s lost: malformed records in rings or queue", log_count(lost->malformed));
	if (lost->natives)
		log_line("  %s of native methods lost: the queue was full, or their end was not seen",
			 log_count(lost->natives));
	if (lost->unread)
		log_line("  %s lost in the queue: a record was never complete, or a CPU went offline (--buffer=perf)",
			 log_count(lost->unread));
	if (lost->exits)
		log_line(
			"  %s ended without their exit hook (an exception out of super(), a StackOverflowError, a thread's end)",
			log_count(lost->exits));
	intake_drops(session_intake(r->session), drops);
	log_detail("  drains not done: %llu queue full, %llu nested, %llu unreadable, %llu no storage",
		   (unsigned long long)drops[FRT_DROP_QUEUE_FULL], (unsigned long long)drops[FRT_DROP_NESTED],
		   (unsigned long long)drops[FRT_DROP_UNREADABLE], (unsigned long long)drops[FRT_DROP_STORAGE]);
}

static bool is_throttled(const struct report *r)
{
	return r->throttle && throttle_methods(r->throttle);
}

static void print_throttled_calls(const struct report *r)
{
	size_t methods = is_throttled(r) ? throttle_methods(r->throttle) : 0;
	uint64_t calls = 0;

	if (!methods)
		return;
	for (size_t i = 0; i < methods; i++)
		calls += recorder_timed_calls(r->recorder, throttle_method(r->throttle, i));
	log_line("  %s %s throttled: %s %s counted and timed (jdk.MethodTiming)", log_count(methods),
		 report_plural(methods, "method was", "methods were"), log_count(calls),
		 report_plural(calls, "call is", "calls are"));
}

static void print_unhooked(const struct report *r)
{
	size_t methods = r->throttle ? throttle_unhooked(r->throttle) : 0;

	if (methods)
		log_line("  %s of these %s unhooked, and %s not counted to the end", log_count(methods),
			 report_plural(methods, "was", "were"), report_plural(methods, "is", "are"));
}

/* "  844 roots kept of 5,760, 12 more as a sample, 1 open" */
static void print_roots(const struct report *r)
{
	struct segment_roots roots;
	char samples[48] = "", open[48] = "";
	uint64_t ended;

	if (!settings_has_roots(r->settings))
		return;
	segment_roots(session_segment(r->session), &roots);
	ended = roots.kept + roots.samples + roots.dropped;
	if (roots.samples)
		snprintf(samples, sizeof(samples), ", %s more as a sample", log_count(roots.samples));
	if (roots.begun > ended + roots.lost)
		snprintf(open, sizeof(open), ", %s open", log_count(roots.begun - ended - roots.lost));
	log_line("  %s %s kept of %s%s%s", log_count(roots.kept), report_plural(roots.kept, "root", "roots"),
		 log_count(ended), samples, open);
}

static bool has_file(const struct report *r)
{
	return !output_in_memory(r->output) && !output_is_stream(r->output);
}

/* The recording as a word of a command; "" if it has no file. */
static const char *path_word(const struct report *r)
{
	static char word[SHELL_WORD_SIZE * PATH_MAX + SHELL_WORD_EXTRA];

	if (!has_file(r))
		return "";
	shell_word_write(word, sizeof(word), output_path(r->output));
	return word;
}

/* "  open for 42.1 s: com.acme.Cart.checkout(Order), and 2 more: frtrace view open FILE" */
static void print_open_calls(const struct report *r, const struct segment_totals *t)
{
	const struct segment *seg = session_segment(r->session);
	char name[2048] = "calls of virtual threads, or deeper than are listed", more[64] = "", since[80] = "";

	if (!t->open)
		return;
	if (t->oldest_start) {
		segment_name_method(seg, t->oldest_method, name, sizeof(name));
		snprintf(since, sizeof(since), " for %s", log_time(open_for(r, t)));
		if (t->open > 1)
			snprintf(more, sizeof(more), ", and %s more", log_count(t->open - 1));
	}
	log_line("  open%s: %s%s%s%s", since, name, more, has_file(r) ? ": frtrace view open " : "", path_word(r));
	if (r->no_open_dump)
		log_line("  open calls have %s", r->no_open_dump);
}

static void print_breakdown(const struct report *r)
{
	struct breakdown *where = recorder_breakdown(r->recorder);
	char text[512];

	if (where && report_breakdown_text(breakdown_running_sums(where), text, sizeof(text)))
		log_line("  %s%s%s", text, has_file(r) ? ": frtrace view slowest " : "", path_word(r));
}

static void print_next_steps(const struct report *r, uint64_t events)
{
	const char *path = path_word(r);

	if (events && settings_has_roots(r->settings))
		log_line("next: frtrace view tree %s", path);
	else if (events)
		log_line("next: frtrace view method-trace %s, or frtrace print %s", path, path);
	if (is_throttled(r) || (!events && filter_list_count(r->settings->filters, FILTER_TIMING)))
		log_line("next: frtrace view method-timing %s", path);
	if (output_is_directory(r->output) && output_size(r->output))
		log_line("next: frtrace merge -o FILE.jfr %s makes one file of it", path);
}

void report_end(const struct report *r, const struct notes *gaps, bool restored, bool target_ended)
{
	const struct recorder_counts *c = recorder_counts(r->recorder);
	struct losses lost;
	uint64_t calls;
	char file[PATH_MAX + 128];
	struct segment_totals t;
	bool timed, replaced = target_ended && target_replaced(r->target);
	/* even with -q, report that the file is gone */
	void (*print)(const char *format, ...) __attribute__((format(printf, 1, 2))) =
		output_was_removed(r->output) ? log_error : log_line;

	segment_totals(session_segment(r->session), &t);
	losses_read(&lost, r->session, r->recorder);
	print_why_no_events(r, &t);
	timed = !filter_list_count(r->settings->filters, FILTER_TRACE);
	calls = timed ? t.exited : c->events;
	end_text(r, file, sizeof(file));
	print("%s %s%s, %s thrown, %s lost, %s still open, %s. %s", log_count(calls),
	      report_plural(calls, "call", "calls"), timed ? " timed" : "", log_count(timed ? t.thrown : c->thrown),
	      log_count(lost.sum), log_count(t.open), file,
	      replaced	     ? "The JVM has become another program (exec)"
	      : target_ended ? "The JVM has ended"
	      : is_probed(r) ? "The JVM has no probes any more"
	      : restored     ? "The JVM runs its original code again"
			     : "The JVM restores its original code by itself within seconds");
	print_roots(r);
	print_open_calls(r, &t);
	if (lost.sum)
		explain_losses(r, &lost);
	print_throttled_calls(r);
	print_unhooked(r);
	print_breakdown(r);
	report_notes(gaps);
	if (recorder_forged(r->recorder))
		log_line("  the agent's tables are forged: times and counts of methods are wrong");
	if (output_dropped(r->output))
		log_line("  %s oldest chunks were dropped to stay below %s", log_count(output_dropped(r->output)),
			 limits(r->settings));
	if (has_file(r) && !output_was_removed(r->output))
		print_next_steps(r, c->events);
}
