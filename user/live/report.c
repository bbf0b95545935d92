// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/report.h"
#include "user/capture/cost.h"
#include "user/record/kernel_symbols.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"
#include "user/capture/segment_names.h"
#include "user/live/report_breakdown.h"
#include "user/text/java_name.h"
#include "user/live/no_events.h"
#include "user/capture/skip_reason.h"
#include "user/record/wait_stacks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MOST_CLASSES 20
#define MOST_NAMES   4 /* of a group, on the terminal; -v shows all, the file has as many as fit in a text */
#define GROUP_TEXT   4096

uint32_t report_hooked(const struct segment *seg, uint32_t *classes)
{
	const struct frt_method *m;
	const struct frt_class *c;
	uint32_t n = 0;

	for (uint32_t id = 1; (m = segment_method(seg, id)); id++)
		n += !!(m->flags & FRT_METHOD_HOOKED);
	*classes = 0;
	for (uint32_t id = 1; (c = segment_class(seg, id)); id++)
		*classes += !!(c->flags & FRT_CLASS_REWRITTEN);
	return n;
}

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
		if (m->class_id != class_id || !(m->flags & FRT_METHOD_HOOKED))
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
	const struct frt_class *c;
	char name[1024];
	uint32_t shown = 0, more = 0;

	for (uint32_t id = 1; (c = segment_class(seg, id)); id++) {
		if (!(c->flags & FRT_CLASS_REWRITTEN))
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

/* What need not be said: abstract methods and bridges have nothing to trace, others were not asked for. */
static bool is_expected(uint32_t reason)
{
	return reason == FRT_SKIP_ABSTRACT || reason == FRT_SKIP_SYNTHETIC || reason == FRT_SKIP_OTHER;
}

/* Things of which the same is to be said, in one line on the terminal and one remark in the file. */
struct group {
	const char *kind, *why;
	uint32_t members;
	char shown[GROUP_TEXT], all[GROUP_TEXT];
};

static void report_aggregate_add(struct group *g, const char *name)
{
	g->members++;
	log_detail("  %s: %s: %s", g->kind, name, g->why);
	report_append(g->all, sizeof(g->all), g->members > 1 ? ", " : "");
	report_append(g->all, sizeof(g->all), name);
	if (g->members > MOST_NAMES + 1)
		return;
	report_append(g->shown, sizeof(g->shown), g->members > 1 ? ", " : "");
	report_append(g->shown, sizeof(g->shown), g->members > MOST_NAMES ? "..." : name);
}

static void group_print(const struct group *g, struct recorder *recorder)
{
	char text[GROUP_TEXT + 200];

	if (!g->members)
		return;
	snprintf(text, sizeof(text), "%s (%u): %s", g->why, g->members, g->all);
	recorder_remark(recorder, g->kind, text);
	if (g->members == 1)
		log_line("  %s: %s: %s", g->kind, g->shown, g->why);
	else
		log_line("  %s: %s %s: %s", g->kind, log_count(g->members), g->why, g->shown);
}

/* True: something that the user asked for is not traced. */
static bool print_skips(const struct report *r, const struct segment *seg)
{
	bool serious = false;

	for (uint32_t reason = 1; reason < FRT_SKIP_REASONS; reason++) {
		struct group g = {.kind = "not traced", .why = skip_reason(reason)};
		const struct frt_skip *s;
		char name[2048];

		for (uint32_t i = 0; !is_expected(reason) && (s = segment_skip(seg, i)); i++) {
			if (s->reason != reason)
				continue;
			segment_name_full(seg, s->class_name, s->method, s->descriptor, name, sizeof(name));
			report_aggregate_add(&g, name);
		}
		group_print(&g, r->recorder);
		serious |= g.members && reason != FRT_SKIP_NATIVE && reason != FRT_SKIP_FINALIZER;
	}
	return serious;
}

static bool any_native(const struct segment *seg)
{
	const struct frt_skip *s;

	for (uint32_t i = 0; (s = segment_skip(seg, i)); i++)
		if (s->reason == FRT_SKIP_NATIVE)
			return true;
	return false;
}

static void print_braked(const struct report *r, const struct throttle_finding *found)
{
	char why[256], name[2048];
	struct group g = {.kind = "braked", .why = why};
	double calls = 0, cpus = 0;

	for (size_t i = 0; i < found->methods; i++) {
		calls += found->load[i].calls;
		cpus += found->load[i].cpus;
	}
	snprintf(
		why, sizeof(why),
		"counted and timed only from %s after the start on; recording %s calls a second took %.0f %% of a CPU (--max-overhead=%u%%)",
		log_time(monotonic_ns() - r->begin_ns), log_count(calls), cpus * 100, r->settings->max_overhead);
	for (size_t i = 0; i < found->methods; i++) {
		segment_name_method(session_segment(r->session), found->load[i].method, name, sizeof(name));
		report_aggregate_add(&g, name);
	}
	group_print(&g, r->recorder);
	if (found->methods)
		recorder_add_timing(r->recorder);
}

static void print_hooks(const struct report *r, const struct throttle_finding *found)
{
	char text[256];

	if (found->hook_calls <= 0)
		return;
	snprintf(
		text, sizeof(text),
		"%s calls a second that are not recorded take %.0f %% of a CPU by their hooks alone; only fewer methods take less",
		log_count(found->hook_calls), found->hook_cpus * 100);
	recorder_remark(r->recorder, "hooks", text);
	log_line("  hooks: %s", text);
}

void report_brake(const struct report *r, const struct throttle_finding *found)
{
	print_braked(r, found);
	print_hooks(r, found);
}

static void print_lower_bounds(const struct report *r, const struct segment *seg)
{
	struct group g = {.kind = "lower bound",
			  .why = "intrinsics: the JIT may replace calls by machine code that no hook sees"};
	const struct frt_method *m;
	char name[2048];

	for (uint32_t id = 1; (m = segment_method(seg, id)); id++) {
		if (!(m->flags & FRT_METHOD_HOOKED) || !(m->flags & FRT_METHOD_LOWER_BOUND))
			continue;
		segment_name_method(seg, id, name, sizeof(name));
		report_aggregate_add(&g, name);
	}
	group_print(&g, r->recorder);
}

static const char *report_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static void print_missing(const struct report *r, const char *what, const char *why)
{
	if (!why || !why[0])
		return;
	recorder_remark(r->recorder, what, why);
	log_line("  %s: %s", what, why);
}

/* What the start line says of stacks. */
static const char *stack_source(const struct report *r)
{
	if (r->settings->no_stack)
		return "";
	if (!r->not_walked || !r->not_walked[0])
		return ", stacks walked";
	return r->settings->stacks == SETTINGS_STACKS_WALK ? ", no stacks" : ", stacks by JVMTI";
}

/* Why stacks are not walked, and what that costs. */
static void print_not_walked(const struct report *r)
{
	char text[1024];

	if (r->settings->stacks == SETTINGS_STACKS_WALK || !r->not_walked || !r->not_walked[0]) {
		print_missing(r, "no stacks", r->not_walked);
		return;
	}
	snprintf(text, sizeof(text), "JVMTI GetStackTrace, " COST_JVMTI ", frames without their type%s: %s",
		 r->settings->kernel ? ", waits without a Java stack" : "", r->not_walked);
	print_missing(r, "stacks", text);
}

static const char *limits(const struct settings *s)
{
	static char text[64];

	if (!s->max_age_ns)
		return log_bytes(s->max_size);
	snprintf(text, sizeof(text), "%s or %s", log_bytes(s->max_size), log_time(s->max_age_ns));
	return text;
}

/* What the kernel's tracepoints cost, while programs are there. */
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

/* How a JVM that has just been started waits for us: nothing of the program is loaded. */
static void print_launched(const struct report *r)
{
	log_line("tracing %d %s (JDK %s) from its first class on: start held up %.0f ms%s%s", (int)r->target->pid,
		 r->target->name, r->target->version[0] ? r->target->version : "unknown",
		 session_cost(r->session)->attach_ms, stack_source(r), tracepoints(r));
}

static void print_attached(const struct report *r, uint32_t methods, uint32_t classes)
{
	const struct frt_header *h = segment_header(session_segment(r->session));
	const struct session_cost *cost = session_cost(r->session);

	log_line("tracing %s %s of %s %s in %d %s (JDK %s): attach %.0f ms, pause %s%.1f ms, rings %.1f of %.1f MB%s%s",
		 log_count(methods), report_plural(methods, "method", "methods"), log_count(classes),
		 report_plural(classes, "class", "classes"), (int)r->target->pid, r->target->name,
		 r->target->version[0] ? r->target->version : "unknown", cost->attach_ms,
		 cost->pause_known ? "" : "at most ", cost->pause_ms, h->ring_used / 1048576.0, h->ring_cap / 1048576.0,
		 stack_source(r), tracepoints(r));
}

bool report_start(const struct report *r)
{
	const struct segment *seg = session_segment(r->session);
	uint32_t classes, methods = report_hooked(seg, &classes);
	bool skipped;

	if (r->settings->program)
		print_launched(r);
	else
		print_attached(r, methods, classes);
	print_classes(seg);
	skipped = print_skips(r, seg) || (!methods && any_native(seg));
	print_lower_bounds(r, seg);
	print_not_walked(r);
	print_missing(r, "no waits", session_no_waits(r->session));
	print_missing(r, "no pauses", session_no_pauses(r->session));
	if (r->settings->kernel && !session_no_waits(r->session)[0] && !r->settings->no_stack)
		print_missing(r, "no names of the kernel's functions", kernel_symbols_hidden());
	print_missing(r, "no system calls and page faults", session_no_usage(r->session));
	log_line("to %s, at most %s, oldest goes first.  Ctrl-C %s", output_path(r->output), limits(r->settings),
		 r->settings->program ? "goes to the program" : "stops and restores the JVM");
	return skipped;
}

uint64_t report_lost(const struct report *r)
{
	const struct streams *streams = session_streams(r->session);
	struct segment_totals t;

	segment_totals(session_segment(r->session), &t);
	return streams->lost + streams->malformed + t.unrecorded + t.unslotted + t.lost_exits +
	       recorder_counts(r->recorder)->unwritten;
}

/* Share of the JVM's CPU time that the hooks took, in per cent: an estimate. */
static double cost_percent(const struct report *r, const struct segment_totals *t)
{
	uint64_t cpu = target_cpu_ns(r->target);
	double hook_ns = cost_of_hooks(session_segment(r->session), r->clock);

	return cpu > r->cpu_before ? 100.0 * t->entered * hook_ns / (cpu - r->cpu_before) : 0;
}

/* How long the oldest open call has been that, ns. */
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

void report_progress(const struct report *r)
{
	int64_t seconds = (monotonic_ns() - r->begin_ns) / 1000000000;
	struct segment_totals t;
	char open[80];

	if (!log_is_live() || r->settings->program) /* whose terminal it is */
		return;
	segment_totals(session_segment(r->session), &t);
	open_text(r, &t, open, sizeof(open));
	log_progress("%02d:%02d   %s calls   %s thrown   %s lost   %s   cost %.2f %% of the JVM's CPU",
		     (int)(seconds / 60), (int)(seconds % 60), log_count(t.exited), log_count(t.thrown),
		     log_count(report_lost(r)), open, cost_percent(r, &t));
}

/* "72.4 KB in shop.jfr" */
static void file_text(const struct report *r, char *out, size_t size)
{
	const char *path = output_path(r->output);

	if (output_is_gone(r->output))
		snprintf(out, size, "but '%s' is gone: it was removed, renamed or replaced", path);
	else
		snprintf(out, size, "%s in %s", log_bytes(output_size(r->output)), path);
}

void report_status(const struct report *r, char *out, size_t size)
{
	int64_t seconds = (monotonic_ns() - r->begin_ns) / 1000000000;
	struct segment_totals t;
	char open[80];

	char file[PATH_MAX + 128];

	segment_totals(session_segment(r->session), &t);
	open_text(r, &t, open, sizeof(open));
	file_text(r, file, sizeof(file));
	snprintf(out, size, "%d %s   %02d:%02d:%02d   %s calls   %s thrown   %s lost   %s   %s", (int)r->target->pid,
		 r->target->name, (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60),
		 log_count(t.exited), log_count(t.thrown), log_count(report_lost(r)), open, file);
}

static bool is_silent(const struct report *r, const struct segment_totals *t, char *why, size_t size)
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

static void report_explain_silence(const struct report *r, const struct segment_totals *t)
{
	char why[256];

	if (is_silent(r, t, why, sizeof(why)))
		log_line("%s", why);
}

void report_silence(const struct report *r)
{
	struct segment_totals t;
	char why[256];

	segment_totals(session_segment(r->session), &t);
	if (is_silent(r, &t, why, sizeof(why)))
		log_detail("  nothing is recorded so far: %s", why);
}

static void explain_losses(const struct report *r, const struct segment_totals *t)
{
	uint64_t drops[FRT_DROP_REASONS];

	if (recorder_counts(r->recorder)->unwritten)
		log_line("  %s lost with the chunk that could not be written",
			 log_count(recorder_counts(r->recorder)->unwritten));
	if (t->unrecorded)
		log_line("  %s lost for want of ring memory (%s)", log_count(t->unrecorded),
			 log_bytes(segment_header(session_segment(r->session))->ring_cap));
	if (t->unslotted)
		log_line("  %s lost on threads beyond %u", log_count(t->unslotted), FRT_MAX_SLOTS);
	if (t->lost_exits)
		log_line(
			"  %s ended without their exit hook (an exception out of super(), a StackOverflowError, a thread's end)",
			log_count(t->lost_exits));
	session_drops(r->session, drops);
	log_detail("  drains not done: %llu queue full, %llu nested, %llu unreadable, %llu no storage",
		   (unsigned long long)drops[FRT_DROP_QUEUE_FULL], (unsigned long long)drops[FRT_DROP_NESTED],
		   (unsigned long long)drops[FRT_DROP_UNREADABLE], (unsigned long long)drops[FRT_DROP_STORAGE]);
}

/* "12 stacks are cut: ...", "1 stack is cut: ..." */
struct finding {
	uint64_t count;
	const char *one, *many, *why;
};

static const char *cut_text(unsigned int end)
{
	switch (end) {
	case FRT_WALK_CHUNK: return "the rest of a virtual thread's frames is in the heap";
	case FRT_WALK_UNREADABLE: return "a frame that could not be read";
	case FRT_WALK_CODE: return "code that frtrace cannot cross";
	case FRT_WALK_STUCK: return "a caller that is not above its callee";
	}
	return "a reason that is not known";
}

static const char *unknown_text(unsigned int why)
{
	switch (why) {
	case RESOLVE_CHANGED: return "their code was gone or redefined when it was looked at";
	case RESOLVE_UNREADABLE: return "the JVM's memory could not be read";
	case RESOLVE_CORRUPT: return "what was read is not what HotSpot writes";
	case RESOLVE_NO_SCOPE: return "compiled code without debug information";
	case RESOLVE_MEMORY: return "no memory left";
	}
	return "of a kind that is not known";
}

#define FINDINGS (FRT_WALK_ENDS + 1 + RESOLVE_FAILURES + 10)

static unsigned int find_gaps(const struct report *r, struct finding out[FINDINGS])
{
	const struct frt_header *h = segment_header(session_segment(r->session));
	const struct wait_stacks *waits = recorder_wait_stacks(r->recorder);
	bool full = r->settings->kernel == SETTINGS_KERNEL_FULL;
	struct frames_counts c;
	unsigned int n = 0;

	recorder_count_frames(r->recorder, &c);
	out[n++] = (struct finding){h->stacks_lost + c.behind, "call lost its stack", "calls lost their stacks",
				    "frtrace was behind"};
	out[n++] = (struct finding){c.missing, "call lost its stack", "calls lost their stacks", "overwritten"};
	out[n++] = (struct finding){c.forgotten, "stack is lost", "stacks are lost", "it was too long ago"};
	out[n++] = (struct finding){c.given_up, "stack was not finished", "stacks were not finished", "the JVM ended"};
	out[n++] = (struct finding){h->stacks_off, "call has no stack", "calls have no stack",
				    "where the stack of their thread lies is not known"};
	out[n++] = (struct finding){h->stacks_unasked, "call has an unknown stack", "calls have unknown stacks",
				    "code of the JDK on a carrier of virtual threads, where asking JVMTI can hang"};
	out[n++] = (struct finding){h->stacks_refused, "call has an unknown stack", "calls have unknown stacks",
				    "JVMTI did not tell it: the JVM begins or ends, or hides frames"};
	out[n++] = (struct finding){c.mismatched, "stack is unknown", "stacks are unknown",
				    "they do not begin with the traced method"};
	for (unsigned int i = 0; i < RESOLVE_FAILURES; i++)
		out[n++] = (struct finding){c.unknown[i], "frame is unknown", "frames are unknown", unknown_text(i)};
	for (unsigned int i = 0; i <= FRT_WALK_ENDS; i++)
		out[n++] = (struct finding){c.cut[i], "stack is cut", "stacks are cut", cut_text(i)};
	if (waits)
		out[n++] = (struct finding){wait_stacks_behind(waits), "wait lost its stack", "waits lost their stacks",
					    "frtrace was behind"};
	out[n++] = (struct finding){session_waits_lost(r->session), full ? "wait or count is lost" : "wait is lost",
				    full ? "waits and counts are lost" : "waits are lost",
				    "frtrace was behind; calls that were open then have no times but their duration"};
	return n;
}

/* With a recorder into the file, else onto the terminal. */
static void tell_gaps(const struct report *r, struct recorder *recorder)
{
	struct finding found[FINDINGS];
	unsigned int n = find_gaps(r, found);
	char text[256];

	for (unsigned int i = 0; i < n; i++) {
		const struct finding *f = &found[i];

		if (!f->count)
			continue;
		snprintf(text, sizeof(text), "%s %s: %s", log_count(f->count), report_plural(f->count, f->one, f->many),
			 f->why);
		if (recorder)
			recorder_remark(recorder, "gaps", text);
		else
			log_line("  %s", text);
	}
}

bool report_stacks(const struct report *r)
{
	struct frames_counts c;

	recorder_count_frames(r->recorder, &c);
	tell_gaps(r, r->recorder);
	return segment_header(session_segment(r->session))->stacks_lost || c.behind || c.missing || c.forgotten;
}

static bool is_braked(const struct report *r)
{
	return r->brake && throttle_methods(r->brake);
}

static void print_braked_calls(const struct report *r)
{
	size_t methods = is_braked(r) ? throttle_methods(r->brake) : 0;
	uint64_t calls = 0;

	if (!methods)
		return;
	for (size_t i = 0; i < methods; i++)
		calls += recorder_timed_calls(r->recorder, throttle_method(r->brake, i));
	log_line("  %s %s braked: %s %s counted and timed (jdk.MethodTiming)", log_count(methods),
		 report_plural(methods, "method was", "methods were"), log_count(calls),
		 report_plural(calls, "call is", "calls are"));
}

/* "  open for 42.1 s: com.acme.Cart.checkout(Order), and 2 more: jfr print --events OpenCall FILE" */
static void tell_open(const struct report *r, const struct segment_totals *t)
{
	const struct segment *seg = session_segment(r->session);
	char name[2048] = "calls of virtual threads", more[64] = "", since[80] = "";

	if (!t->open)
		return;
	if (t->oldest_start) {
		segment_name_method(seg, t->oldest_method, name, sizeof(name));
		snprintf(since, sizeof(since), " for %s", log_time(open_for(r, t)));
		if (t->open > 1)
			snprintf(more, sizeof(more), ", and %s more", log_count(t->open - 1));
	}
	log_line("  open%s: %s%s: jfr print --events OpenCall %s", since, name, more, output_path(r->output));
	if (r->no_open_dump)
		log_line("  open calls have %s", r->no_open_dump);
}

static void tell_where(const struct report *r)
{
	struct breakdown *where = recorder_where(r->recorder);
	char text[512];

	if (where && report_breakdown_text(breakdown_splits(where), text, sizeof(text)))
		log_line("  %s: frtrace view slowest %s", text, output_path(r->output));
}

static void tell_what_next(const struct report *r, uint64_t events)
{
	const char *path = output_path(r->output);

	if (output_is_directory(r->output))
		log_line("next: jfr assemble %s FILE.jfr makes one file of it", path);
	else if (events)
		log_line("next: jfr view MethodTrace %s   (JDK 21 on), or jfr print --events MethodTrace %s", path,
			 path);
	if (!output_is_directory(r->output) &&
	    (is_braked(r) || (!events && filter_list_count(r->settings->filters, FILTER_TIMING))))
		log_line("next: jfr view method-timing %s   (JDK 25 on), or jfr print --events MethodTiming %s", path,
			 path);
}

void report_end(const struct report *r, bool restored, bool target_ended)
{
	const struct recorder_counts *c = recorder_counts(r->recorder);
	uint64_t lost = report_lost(r), calls;
	char file[PATH_MAX + 128];
	struct segment_totals t;
	bool timed;
	/* -q does not hide that the file is gone */
	void (*print)(const char *format, ...) __attribute__((format(printf, 1, 2))) =
		output_is_gone(r->output) ? log_error : log_line;

	segment_totals(session_segment(r->session), &t);
	report_explain_silence(r, &t);
	timed = !filter_list_count(r->settings->filters, FILTER_TRACE);
	calls = timed ? t.exited : c->events;
	file_text(r, file, sizeof(file));
	print("%s %s%s, %s thrown, %s lost, %s still open, %s. %s", log_count(calls),
	      report_plural(calls, "call", "calls"), timed ? " timed" : "", log_count(timed ? t.thrown : c->thrown),
	      log_count(lost), log_count(t.open), file,
	      target_ended ? "The JVM has ended"
	      : restored   ? "The JVM runs its original code again"
			   : "The JVM restores its original code by itself within seconds");
	tell_open(r, &t);
	if (lost)
		explain_losses(r, &t);
	print_braked_calls(r);
	tell_where(r);
	tell_gaps(r, NULL);
	if (recorder_forged(r->recorder))
		log_line("  the agent's tables are forged: times and counts of methods are wrong");
	if (output_dropped(r->output))
		log_line("  %s oldest chunks were dropped to stay below %s", log_count(output_dropped(r->output)),
			 limits(r->settings));
	if (!output_is_gone(r->output))
		tell_what_next(r, c->events);
}
