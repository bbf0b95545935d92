// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/notes.h"
#include "format/bytes.h"
#include "user/capture/cost.h"
#include "user/jvm/metaspace.h"
#include "user/capture/natives.h"
#include "user/segment/segment.h"
#include "user/text/skip_reason.h"
#include "user/stacks/kernel_symbols.h"
#include "user/stacks/copied_stacks.h"
#include "user/text/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES  4 /* names per group on the terminal; -v shows all, the file as many as fit */
#define GROUP_TEXT 4096

void notes_release(struct notes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		free(n->note[i].remark);
		free(n->note[i].line);
		free(n->note[i].details);
	}
	n->count = 0;
}

static __attribute__((format(printf, 1, 2))) char *notes_print(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

static struct note *notes_add(struct notes *n, const char *kind)
{
	if (n->count == NOTES_MAX)
		return NULL;
	n->note[n->count] = (struct note){.kind = kind};
	return &n->note[n->count++];
}

static void notes_append(char *to, size_t size, const char *text)
{
	size_t length = strlen(to);

	snprintf(to + length, size - length, "%s", text);
}

/* Reasons that are not worth a note: nothing to trace (abstract methods, bridges), or not asked for. */
static bool is_expected(uint32_t reason)
{
	return reason == FRT_SKIP_ABSTRACT || reason == FRT_SKIP_SYNTHETIC || reason == FRT_SKIP_OTHER;
}

static bool notes_is_native(uint32_t reason)
{
	return reason == FRT_SKIP_NATIVE || reason == FRT_SKIP_NATIVE_INTRINSIC || reason == FRT_SKIP_NATIVE_ROOT;
}

/* Items with the same explanation share one note. */
struct group {
	const char *kind, *why;
	uint32_t members;
	char shown[GROUP_TEXT], all[GROUP_TEXT];
	struct bytes details;
};

static void group_add_detail(struct group *g, const char *name)
{
	char *line = notes_print("  %s: %s: %s\n", g->kind, name, g->why);

	if (line)
		bytes_put(&g->details, line, strlen(line));
	free(line);
}

static void group_add(struct group *g, const char *name)
{
	g->members++;
	group_add_detail(g, name);
	notes_append(g->all, sizeof(g->all), g->members > 1 ? ", " : "");
	notes_append(g->all, sizeof(g->all), name);
	if (g->members > MAX_NAMES + 1)
		return;
	notes_append(g->shown, sizeof(g->shown), g->members > 1 ? ", " : "");
	notes_append(g->shown, sizeof(g->shown), g->members > MAX_NAMES ? "..." : name);
}

/* Add the note of the group and release its details. */
static void group_note(struct group *g, struct notes *n)
{
	struct note *note = g->members ? notes_add(n, g->kind) : NULL;

	if (note) {
		note->remark = notes_print("%s (%u): %s", g->why, g->members, g->all);
		note->line = g->members == 1
				     ? notes_print("%s: %s: %s", g->kind, g->shown, g->why)
				     : notes_print("%s: %s %s: %s", g->kind, log_count(g->members), g->why, g->shown);
		bytes_put_u8(&g->details, 0);
		note->details = g->details.failed ? NULL : strdup((const char *)g->details.data);
	}
	bytes_release(&g->details);
}

#define WHY_TEXT 512

/* Why something is not traced, with numbers where they say what to do. */
static const char *notes_why(uint32_t reason, const struct session *s, char text[WHY_TEXT])
{
	char use[METASPACE_TEXT];

	if (reason != FRT_SKIP_METASPACE)
		return skip_reason(reason);
	metaspace_text(session_metaspace(s), use);
	snprintf(
		text, WHY_TEXT,
		"%s: it has %s, hooks take some going in and coming out, and a tenth is left to the program; raise the "
		"limit, or name fewer classes",
		skip_reason(reason), use);
	return text;
}

/* Those from row `first` on. True: something that the user asked for is not traced. */
static bool notes_add_skips(struct notes *n, const struct session *session, uint32_t first)
{
	const struct segment *seg = session_segment(session);
	bool serious = false;
	char why[WHY_TEXT];

	for (uint32_t reason = 1; reason < FRT_SKIP_REASONS; reason++) {
		struct group g = {.kind = "not traced", .why = notes_why(reason, session, why)};
		const struct frt_skip *s;
		char name[2048];

		for (uint32_t i = first; !is_expected(reason) && (s = segment_skip(seg, i)); i++) {
			if (s->reason != reason)
				continue;
			segment_name_full(seg, s->class_name, s->method, s->descriptor, name, sizeof(name));
			group_add(&g, name);
		}
		serious |= g.members && !notes_is_native(reason) && reason != FRT_SKIP_FINALIZER;
		group_note(&g, n);
	}
	return serious;
}

static bool any_native(const struct segment *seg)
{
	const struct frt_skip *s;

	for (uint32_t i = 0; (s = segment_skip(seg, i)); i++)
		if (notes_is_native(s->reason))
			return true;
	return false;
}

/* Native methods without a probe: a note for each reason. True: there are some that no later call can give one. */
static bool notes_add_natives(struct notes *n, const struct session *s)
{
	const struct natives *natives = session_natives(s);
	const char *why, *other;
	uint32_t method;
	char name[2048];

	for (size_t i = 0; (why = natives_problem(natives, i, &method)); i++) {
		struct group g = {.kind = "native", .why = why};
		bool first = why[0];

		for (size_t k = 0; k < i && first; k++)
			first = strcmp(natives_problem(natives, k, &method), why);
		for (size_t k = i; first && (other = natives_problem(natives, k, &method)); k++) {
			if (strcmp(other, why))
				continue;
			segment_name_method(session_segment(s), method, name, sizeof(name));
			group_add(&g, name);
		}
		group_note(&g, n);
	}
	return natives_fail(natives);
}

static void notes_add_lower_bounds(struct notes *n, const struct segment *seg)
{
	struct group g = {.kind = "lower bound",
			  .why = "intrinsics: the JIT may replace calls by machine code that no hook sees"};
	const struct frt_method *m;
	char name[2048];

	for (uint32_t id = 1; (m = segment_method(seg, id)); id++) {
		if (!segment_is_hooked(seg, m) || !(m->flags & FRT_METHOD_LOWER_BOUND))
			continue;
		segment_name_method(seg, id, name, sizeof(name));
		group_add(&g, name);
	}
	group_note(&g, n);
}

static void notes_add_missing(struct notes *n, const char *what, const char *why)
{
	struct note *note = why && why[0] ? notes_add(n, what) : NULL;

	if (!note)
		return;
	note->remark = notes_print("%s", why);
	note->line = notes_print("%s: %s", what, why);
}

/* Why stacks are not walked, and the consequences. */
static void notes_add_not_walked(struct notes *n, const struct settings *settings, const char *not_walked)
{
	char text[1024];

	if (settings->stacks == SETTINGS_STACKS_WALK || !not_walked || !not_walked[0]) {
		notes_add_missing(n, "no stacks", not_walked);
		return;
	}
	snprintf(text, sizeof(text), "JVMTI GetStackTrace, " COST_JVMTI ", frames without their type%s: %s",
		 settings->kernel ? ", waits without a Java stack" : "", not_walked);
	notes_add_missing(n, "stacks", text);
}

bool notes_at_start(struct notes *n, const struct settings *settings, const struct session *s, const char *not_walked)
{
	const struct segment *seg = session_segment(s);
	uint32_t classes;
	bool skipped = notes_add_skips(n, s, 0) || (!segment_count_hooked(seg, &classes) && any_native(seg));

	skipped |= notes_add_natives(n, s);
	notes_add_lower_bounds(n, seg);
	notes_add_not_walked(n, settings, not_walked);
	if (settings->probe == SETTINGS_PROBE_HOTSPOT)
		notes_add_missing(n, "HotSpot's own probes",
				  "callers are unknown where a call is inlined, exceptions that end calls in compiled "
				  "code may not be seen, and calls of virtual threads are shown on their carriers");
	notes_add_missing(n, "no waits", session_no_waits(s));
	notes_add_missing(n, "no pauses", session_no_pauses(s));
	if (settings->kernel && !session_no_waits(s)[0] && !settings->no_stack)
		notes_add_missing(n, "no names of the kernel's functions", kernel_symbols_hidden());
	notes_add_missing(n, "no system calls and page faults", session_no_usage(s));
	return skipped;
}

static void notes_add_throttled(struct notes *n, const struct settings *settings, const struct segment *seg,
				const struct throttle_finding *found, int64_t after_ns)
{
	char why[256], name[2048];
	struct group g = {.kind = "throttled", .why = why};
	double calls = 0, cpus = 0;

	for (size_t i = 0; i < found->methods; i++) {
		calls += found->load[i].calls;
		cpus += found->load[i].cpus;
	}
	snprintf(
		why, sizeof(why),
		"counted and timed only from %s after the start on; recording %s calls a second took %.0f %% of a CPU (--max-overhead=%u%%)",
		log_time(after_ns), log_count(calls), cpus * 100, settings->max_overhead);
	for (size_t i = 0; i < found->methods; i++) {
		segment_name_method(seg, found->load[i].method, name, sizeof(name));
		group_add(&g, name);
	}
	group_note(&g, n);
}

static void notes_add_hooks(struct notes *n, const struct throttle_finding *found)
{
	char text[256];

	if (found->hook_calls <= 0)
		return;
	snprintf(
		text, sizeof(text),
		"%s calls a second that are not recorded take %.0f %% of a CPU by their hooks alone; only fewer methods take less",
		log_count(found->hook_calls), found->hook_cpus * 100);
	notes_add_missing(n, "hooks", text);
}

static void notes_add_unhooked(struct notes *n, const struct settings *settings, const struct segment *seg,
			       const struct throttle_finding *found, int64_t after_ns)
{
	char why[256], name[2048 + 64], *called;
	struct group g = {.kind = "unhooked", .why = why};
	double cpus = 0;

	for (size_t i = 0; i < found->unhooks; i++)
		cpus += found->unhook[i].cpus;
	snprintf(
		why, sizeof(why),
		"no longer counted from %s after the start on; calls as short as these took %.0f %% of a CPU by their hooks alone (--auto-unhook=%s)",
		log_time(after_ns), cpus * 100, log_time(settings_unhook_ns(settings)));
	for (size_t i = 0; i < found->unhooks; i++) {
		segment_name_method(seg, found->unhook[i].method, name, sizeof(name));
		called = notes_print("%s, %s calls so far", name, log_count(found->unhook[i].calls));
		group_add(&g, called ? called : name);
		free(called);
	}
	group_note(&g, n);
}

void notes_of_throttle(struct notes *n, const struct settings *settings, const struct segment *seg,
		       const struct throttle_finding *found, int64_t after_ns)
{
	notes_add_throttled(n, settings, seg, found, after_ns);
	notes_add_unhooked(n, settings, seg, found, after_ns);
	notes_add_hooks(n, found);
}

/* "12 stacks are cut: ...", "1 stack is cut: ...". */
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

#define FINDINGS (FRT_WALK_ENDS + 1 + RESOLVE_FAILURES + 14)

_Static_assert(FINDINGS + FRT_SKIP_REASONS < NOTES_MAX, "a note for each");

static unsigned int find_gaps(const struct settings *settings, const struct session *s, const struct recorder *r,
			      struct finding out[FINDINGS])
{
	struct segment_stacks lost = segment_stacks(session_segment(s));
	const struct copied_stacks *waits = recorder_copied_stacks(r);
	bool full = settings->kernel == SETTINGS_KERNEL_FULL;
	struct frames_counts c;
	unsigned int n = 0;

	recorder_count_frames(r, &c);
	out[n++] = (struct finding){lost.lost + c.behind, "call lost its stack", "calls lost their stacks",
				    "frtrace was behind"};
	out[n++] = (struct finding){c.missing, "call lost its stack", "calls lost their stacks", "overwritten"};
	out[n++] = (struct finding){c.forgotten, "stack is lost", "stacks are lost", "it was too long ago"};
	out[n++] = (struct finding){c.given_up, "stack was not finished", "stacks were not finished", "the JVM ended"};
	out[n++] = (struct finding){lost.off, "call has no stack", "calls have no stack",
				    "where the stack of their thread lies is not known"};
	out[n++] = (struct finding){lost.unasked, "call has an unknown stack", "calls have unknown stacks",
				    "code of the JDK on a carrier of virtual threads, where asking JVMTI can hang"};
	out[n++] = (struct finding){lost.refused, "call has an unknown stack", "calls have unknown stacks",
				    "JVMTI did not tell it: the JVM begins or ends, or hides frames"};
	out[n++] = (struct finding){c.mismatched, "stack is unknown", "stacks are unknown",
				    "they do not begin with the traced method"};
	for (unsigned int i = 0; i < RESOLVE_FAILURES; i++)
		out[n++] = (struct finding){c.unknown[i], "frame is unknown", "frames are unknown", unknown_text(i)};
	for (unsigned int i = 0; i <= FRT_WALK_ENDS; i++)
		out[n++] = (struct finding){c.cut[i], "stack is cut", "stacks are cut", cut_text(i)};
	if (waits)
		out[n++] = (struct finding){copied_stacks_behind(waits), "wait lost its stack",
					    "waits lost their stacks", "frtrace was behind"};
	out[n++] =
		(struct finding){intake_waits_lost(session_intake(s)), full ? "wait or count is lost" : "wait is lost",
				 full ? "waits and counts are lost" : "waits are lost",
				 "frtrace was behind; calls that were open then have no times but their duration"};
	out[n++] = (struct finding){natives_counts(session_natives(s)).unnamed, "call has no thread",
				    "calls have no thread", "the queue was full when their thread began"};
	out[n++] = (struct finding){session_missed(s), "call at most was missed", "calls at most were missed",
				    "a class that was loaded meanwhile, and that frtrace had not looked at yet"};
	out[n++] = (struct finding){
		session_unseen(s), "duration is uncertain", "durations are uncertain",
		"no probe told the end: an exception in code of the C1 compiler, or a virtual thread that left its carrier"};
	out[n++] = (struct finding){intake_streams(session_intake(s))->torn, "event lacks values", "events lack values",
				    "their thread ended in between, or had no stack left"};
	return n;
}

bool notes_of_skips(struct notes *n, const struct session *s, uint32_t first)
{
	return notes_add_skips(n, s, first);
}

static void on_event_gap(const char *text, void *context)
{
	struct note *note = notes_add(context, "events");

	if (!note)
		return;
	note->remark = strdup(text);
	note->line = strdup(text);
}

void notes_of_gaps(struct notes *n, const struct settings *settings, const struct session *s, const struct recorder *r)
{
	struct finding found[FINDINGS];
	unsigned int count = find_gaps(settings, s, r, found);

	for (unsigned int i = 0; i < count; i++) {
		const struct finding *f = &found[i];
		struct note *note = f->count ? notes_add(n, "gaps") : NULL;

		if (!note)
			continue;
		note->remark = notes_print("%s %s: %s", log_count(f->count), f->count == 1 ? f->one : f->many, f->why);
		note->line = note->remark ? strdup(note->remark) : NULL;
	}
	recorder_event_gaps(r, on_event_gap, n);
	if (session_ran_early(s))
		notes_add_missing(n, "first calls may be missing",
				  "the JVM had stopped waiting when it was told to run");
}

void notes_put(const struct notes *n, struct recorder *to)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->note[i].remark)
			recorder_remark(to, n->note[i].kind, n->note[i].remark);
}
