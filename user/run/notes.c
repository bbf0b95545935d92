// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/notes.h"
#include "filters/java_type.h"
#include "format/bytes.h"
#include "format/vec.h"
#include "user/capture/cost.h"
#include "user/jvm/metaspace.h"
#include "user/capture/natives.h"
#include "user/segment/segment_names.h"
#include "user/text/skip_reason.h"
#include "user/stacks/kernel_symbols.h"
#include "user/stacks/copied_stacks.h"
#include "user/text/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 4    /* names per group on the terminal; -v shows all */
#define MAX_TEXT  4000 /* bytes of names per group in the file, which has them in each chunk */

void notes_release(struct notes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		free(n->note[i].remark);
		free(n->note[i].line);
		free(n->note[i].details);
	}
	free(n->note);
	*n = (struct notes){.count = 0};
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
	if (vec_reserve(&n->note, &n->capacity, n->count + 1))
		return NULL;
	n->note[n->count] = (struct note){.kind = kind};
	return &n->note[n->count++];
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

/* Items with the same explanation share one note. A zeroed one is empty. */
struct group {
	const char *kind, *why;
	uint32_t members;
	bool full; /* of names for the file */
	struct bytes name, shown, all, details;
};

/* Where to put the name of the next one, before group_add(). */
static struct bytes *group_name(struct group *g)
{
	bytes_clear(&g->name);
	return &g->name;
}

static void group_add(struct group *g)
{
	const char *name = bytes_text(&g->name), *before = g->members ? ", " : "";

	g->members++;
	bytes_printf(&g->details, "  %s: %s: %s\n", g->kind, name, g->why);
	if (g->members <= MAX_NAMES + 1)
		bytes_printf(&g->shown, "%s%s", before, g->members > MAX_NAMES ? "..." : name);
	if (g->full)
		return;
	g->full = g->all.size + g->name.size > MAX_TEXT;
	bytes_printf(&g->all, "%s%s", before, g->full ? "..." : name);
}

/* Add the note of the group and release it. */
static void group_note(struct group *g, struct notes *n)
{
	struct note *note = g->members ? notes_add(n, g->kind) : NULL;
	const char *shown = bytes_text(&g->shown);

	if (note) {
		note->remark = notes_print("%s (%u): %s", g->why, g->members, bytes_text(&g->all));
		note->line = g->members == 1
				     ? notes_print("%s: %s: %s", g->kind, shown, g->why)
				     : notes_print("%s: %s %s: %s", g->kind, log_count(g->members), g->why, shown);
		note->details = bytes_steal_text(&g->details);
	}
	bytes_release(&g->name);
	bytes_release(&g->shown);
	bytes_release(&g->all);
	bytes_release(&g->details);
}

/* Why something is not traced, with numbers where they say what to do. */
static void notes_put_why(struct bytes *to, uint32_t reason, const struct metaspace *m)
{
	char use[METASPACE_TEXT];

	bytes_clear(to);
	bytes_printf(to, "%s", skip_reason(reason));
	if (reason != FRT_SKIP_METASPACE)
		return;
	metaspace_text(m, use);
	bytes_printf(
		to,
		": it has %s, hooks take some going in and coming out, and a tenth is left to the program; raise the limit, or name fewer classes",
		use);
}

bool notes_of_skips(struct notes *n, const struct segment *seg, const struct metaspace *metaspace, uint32_t first)
{
	struct bytes why = {.size = 0};
	bool serious = false;

	for (uint32_t reason = 1; reason < FRT_SKIP_REASONS; reason++) {
		struct group g = {.kind = "not traced"};
		const struct frt_skip *s;

		if (is_expected(reason))
			continue;
		notes_put_why(&why, reason, metaspace);
		g.why = bytes_text(&why);
		for (uint32_t i = first; (s = segment_skip(seg, i)); i++) {
			if (s->reason != reason)
				continue;
			segment_put_name(group_name(&g), seg, s->class_name, s->method, s->descriptor);
			group_add(&g);
		}
		serious |= g.members && !notes_is_native(reason) && reason != FRT_SKIP_FINALIZER;
		group_note(&g, n);
	}
	bytes_release(&why);
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
static bool notes_add_natives(struct notes *n, const struct segment *seg, const struct natives *natives)
{
	const char *why, *other;
	uint32_t method;

	for (size_t i = 0; (why = natives_problem(natives, i, &method)); i++) {
		struct group g = {.kind = "native", .why = why};
		bool first = why[0];

		for (size_t k = 0; k < i && first; k++)
			first = strcmp(natives_problem(natives, k, &method), why);
		for (size_t k = i; first && (other = natives_problem(natives, k, &method)); k++) {
			if (strcmp(other, why))
				continue;
			segment_put_method(group_name(&g), seg, method);
			group_add(&g);
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

	for (uint32_t id = 1; (m = segment_method(seg, id)); id++) {
		if (!segment_is_hooked(seg, m) || !(m->flags & FRT_METHOD_LOWER_BOUND))
			continue;
		segment_put_method(group_name(&g), seg, id);
		group_add(&g);
	}
	group_note(&g, n);
}

/* A note with the same text for both; nothing where the text is NULL or "". */
static void notes_add_text(struct notes *n, const char *kind, const char *text)
{
	struct note *note = text && text[0] ? notes_add(n, kind) : NULL;

	if (!note)
		return;
	note->remark = strdup(text);
	note->line = strdup(text);
}

/* The same, where the terminal names the kind, too. */
static void notes_add_missing(struct notes *n, const char *what, const char *why)
{
	struct note *note = why && why[0] ? notes_add(n, what) : NULL;

	if (!note)
		return;
	note->remark = strdup(why);
	note->line = notes_print("%s: %s", what, why);
}

/* Why stacks are not walked, and the consequences. */
static void notes_add_not_walked(struct notes *n, const struct settings *settings, const char *not_walked)
{
	char *text;

	if (settings->stacks == SETTINGS_STACKS_WALK || !not_walked[0]) {
		notes_add_missing(n, "no stacks", not_walked);
		return;
	}
	text = notes_print("JVMTI GetStackTrace, " COST_JVMTI ", frames without their type%s: %s",
			   settings->kernel ? ", waits without a Java stack" : "", not_walked);
	notes_add_missing(n, "stacks", text);
	free(text);
}

bool notes_at_start(struct notes *n, const struct recording *r, const struct run_facts *f)
{
	const struct settings *settings = r->settings;
	uint32_t classes;
	bool skipped = notes_of_skips(n, r->segment, f->session.metaspace, 0) ||
		       (!segment_count_hooked(r->segment, &classes) && any_native(r->segment));

	skipped |= notes_add_natives(n, r->segment, f->session.natives);
	notes_add_lower_bounds(n, r->segment);
	notes_add_not_walked(n, settings, r->not_walked.text);
	notes_add_missing(n, "no allocated bytes", r->not_counted.text);
	if (settings->source == SETTINGS_SOURCE_HOTSPOT)
		notes_add_missing(n, "HotSpot's own probes",
				  "callers are unknown where a call is inlined, exceptions that end calls in compiled "
				  "code may not be seen, and calls of virtual threads are shown on their carriers");
	notes_add_missing(n, "no waits", f->session.no_waits);
	notes_add_missing(n, "no pauses", f->session.no_pauses);
	if (settings->kernel && !f->session.no_waits[0] && !settings->no_stack)
		notes_add_missing(n, "no names of the kernel's functions", kernel_symbols_hidden());
	notes_add_missing(n, "no system calls and page faults", f->session.no_usage);
	notes_add_missing(n, "no samples", f->session.no_samples);
	return skipped;
}

static void notes_add_throttled(struct notes *n, const struct recording *r, const struct throttle_finding *found,
				int64_t after_ns)
{
	struct group g = {.kind = "throttled"};
	double calls = 0, cpus = 0;
	char *why, *all = NULL;

	for (size_t i = 0; i < found->methods; i++) {
		calls += found->load[i].calls;
		cpus += found->load[i].cpus;
	}
	if (found->all_cpus >= cpus + 0.005)
		all = notes_print(", all methods together %.0f %%", found->all_cpus * 100);
	why = notes_print(
		"counted and timed only from %s after the start on; recording %s calls a second took %.0f %% of a CPU%s (--max-overhead=%u%%)",
		log_time(after_ns), log_count(calls), cpus * 100, all ?: "", settings_max_overhead(r->settings));
	free(all);
	g.why = why ?: "";
	for (size_t i = 0; i < found->methods; i++) {
		segment_put_method(group_name(&g), r->segment, found->load[i].method);
		group_add(&g);
	}
	group_note(&g, n);
	free(why);
}

static void notes_add_hooks(struct notes *n, const struct throttle_finding *found)
{
	char *text = NULL;

	if (found->hook_calls > 0)
		text = notes_print(
			"%s calls a second that are not recorded take %.0f %% of a CPU by their hooks alone; only fewer methods take less",
			log_count(found->hook_calls), found->hook_cpus * 100);
	notes_add_missing(n, "hooks", text);
	free(text);
}

static void notes_add_unhooked(struct notes *n, const struct recording *r, const struct throttle_finding *found,
			       int64_t after_ns)
{
	struct group g = {.kind = "unhooked"};
	double cpus = 0;
	char *why;

	for (size_t i = 0; i < found->unhooks; i++)
		cpus += found->unhook[i].cpus;
	why = notes_print(
		"no longer counted from %s after the start on; calls as short as these took %.0f %% of a CPU by their hooks alone (--auto-unhook=%s)",
		log_time(after_ns), cpus * 100, log_time(settings_unhook_ns(r->settings)));
	g.why = why ?: "";
	for (size_t i = 0; i < found->unhooks; i++) {
		segment_put_method(group_name(&g), r->segment, found->unhook[i].method);
		bytes_printf(&g.name, ", %s calls so far", log_count(found->unhook[i].calls));
		group_add(&g);
	}
	group_note(&g, n);
	free(why);
}

void notes_of_throttle(struct notes *n, const struct recording *r, const struct throttle_finding *found,
		       int64_t after_ns)
{
	notes_add_throttled(n, r, found, after_ns);
	notes_add_unhooked(n, r, found, after_ns);
	notes_add_hooks(n, found);
}

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

/* "12 stacks are cut: ...", "1 stack is cut: ...". */
static void notes_add_gap(struct notes *n, uint64_t count, const char *one, const char *many, const char *why)
{
	char *text = count ? notes_print("%s %s: %s", log_count(count), count == 1 ? one : many, why) : NULL;

	notes_add_text(n, "gaps", text);
	free(text);
}

static void notes_add_stack_gaps(struct notes *n, const struct recording *r)
{
	static const char lost_one[] = "call lost its stack", lost[] = "calls lost their stacks";
	static const char unknown_one[] = "call has an unknown stack", unknown[] = "calls have unknown stacks";
	struct segment_stacks of_agent = segment_stacks(r->segment);
	struct frames_counts c;

	recorder_count_frames(r->recorder, &c);
	notes_add_gap(n, of_agent.lost + c.behind, lost_one, lost, "frtrace was behind");
	notes_add_gap(n, c.missing, lost_one, lost, "overwritten");
	notes_add_gap(n, c.forgotten, "stack is lost", "stacks are lost", "it was too long ago");
	notes_add_gap(n, c.given_up, "stack was not finished", "stacks were not finished", "the JVM ended");
	notes_add_gap(n, of_agent.off, "call has no stack", "calls have no stack",
		      "where the stack of their thread lies is not known");
	notes_add_gap(n, of_agent.unasked, unknown_one, unknown,
		      "code of the JDK on a carrier of virtual threads, where asking JVMTI can hang");
	notes_add_gap(n, of_agent.refused, unknown_one, unknown,
		      "JVMTI did not tell it: the JVM begins or ends, or hides frames");
	notes_add_gap(n, recorder_counts(r->recorder)->untaken, unknown_one, unknown,
		      "short calls, while it was not known whether their root is kept (--inside)");
	notes_add_gap(n, c.mismatched, "stack is unknown", "stacks are unknown",
		      "they do not begin with the traced method");
	for (unsigned int i = 0; i < RESOLVE_FAILURES; i++)
		notes_add_gap(n, c.unknown[i], "frame is unknown", "frames are unknown", unknown_text(i));
	for (unsigned int i = 0; i <= FRT_WALK_ENDS; i++)
		notes_add_gap(n, c.cut[i], "stack is cut", "stacks are cut", cut_text(i));
}

static void notes_add_wait_gaps(struct notes *n, const struct recording *r, uint64_t lost)
{
	const struct copied_stacks *waits = recorder_copied_stacks(r->recorder);
	bool full = r->settings->kernel == SETTINGS_KERNEL_FULL;

	if (waits)
		notes_add_gap(n, copied_stacks_behind(waits), "wait lost its stack", "waits lost their stacks",
			      "frtrace was behind");
	notes_add_gap(n, lost, full ? "wait or count is lost" : "wait is lost",
		      full ? "waits and counts are lost" : "waits are lost",
		      "frtrace was behind; calls that were open then have no times but their duration");
}

static void on_event_gap(const char *text, void *context)
{
	notes_add_text(context, "events", text);
}

/* Methods of --handoff in which no hook could be put. */
static void notes_add_handoffs(struct notes *n, const struct recording *r)
{
	const struct handoff_list *l = &r->settings->handoffs;
	uint64_t hooked = segment_recording(r->segment)->places_hooked;

	for (unsigned int i = 0; i < l->count; i++) {
		char class_name[sizeof(l->place[i].class_name)], text[512];

		if (hooked >> i & 1)
			continue;
		memcpy(class_name, l->place[i].class_name, sizeof(class_name));
		java_name_dots(class_name);
		snprintf(text, sizeof(text), "%s::%s", class_name, l->place[i].method);
		notes_add_missing(n, text,
				  "no class that was loaded has such a method with such an object (--handoff)");
	}
}

/* First calls of events between two calls that no second one could find. */
static void notes_add_begun(struct notes *n, const struct frt_recording *row)
{
	notes_add_gap(n, row->begun_again, "event begun is not ended", "events begun are not ended",
		      "another first call with the object came before the second one");
	notes_add_gap(n, row->begun_collected, "event begun is not ended", "events begun are not ended",
		      "the JVM has collected the object: no second call can come");
	notes_add_gap(n, row->begun_forgotten, "event begun is not ended", "events begun are not ended",
		      "there were too many at a time: it was forgotten");
}

void notes_of_gaps(struct notes *n, const struct recording *r, const struct run_facts *f)
{
	notes_add_stack_gaps(n, r);
	notes_add_wait_gaps(n, r, f->waits_lost);
	notes_add_handoffs(n, r);
	notes_add_gap(n, f->calls_unnamed, "call has no thread", "calls have no thread",
		      "the queue was full when their thread began");
	notes_add_gap(n, f->session.samples_lost, "sample is missing", "samples are missing",
		      "the queue was filling up");
	notes_add_gap(n, f->session.missed, "call at most was missed", "calls at most were missed",
		      "a class that was loaded meanwhile, and that frtrace had not looked at yet");
	notes_add_gap(
		n, f->session.unseen, "duration is uncertain", "durations are uncertain",
		"no probe told the end: an exception in code of the C1 compiler, or a virtual thread that left its carrier");
	notes_add_gap(n, f->values_torn, "event lacks values", "events lack values",
		      "their thread ended in between, or had no stack left");
	recorder_event_gaps(r->recorder, on_event_gap, n);
	notes_add_begun(n, segment_recording(r->segment));
	if (f->session.ran_early)
		notes_add_missing(n, "first calls may be missing",
				  "the JVM had stopped waiting when it was told to run");
}

void notes_put(const struct notes *n, struct recorder *to)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->note[i].remark)
			recorder_remark(to, n->note[i].kind, n->note[i].remark);
}
