// SPDX-License-Identifier: BSD-2-Clause
/* The end of a recording, and why nothing has been recorded. */
#include "user/run/printout.h"
#include "bpf/probes.h"
#include "user/segment/segment_names.h"
#include "user/run/slowest.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/shell_word.h"
#include "user/text/skip_reason.h"

#include <string.h>

/* ---- why there is nothing */

/* None of the calls that ended was recorded. */
static void put_why_no_call(struct bytes *out, const struct recording *r, const struct segment_totals *t)
{
	const struct settings *s = r->settings;
	const char *most = log_time(clock_ns_of_ticks(r->clock, t->longest));

	bytes_printf(out, "%s %s", log_count(t->exited), plural(t->exited, "call", "calls"));
	if (settings_has_roots(s))
		bytes_printf(out, " in roots, but no root was kept (max %s)", most);
	else if (s->thrown && !t->thrown)
		put_text(out, ", none of them ended by an exception");
	else if (s->threshold_ns)
		bytes_printf(out, ", all below %s (max %s)", log_time(s->threshold_ns), most);
	else
		bytes_printf(out, ", all below their thresholds (max %s)", most);
}

struct matched {
	uint32_t methods, lower_bounds;
};

/*
 * Count the methods hooked in this recording. The method table covers all recordings of the process, the rules only
 * this one.
 */
static struct matched count_matched(const struct segment *s)
{
	struct matched found = {0};
	const struct frt_method *m;

	for (uint32_t id = 1; (m = segment_method(s, id)); id++) {
		if (*segment_rule(s, id) == FRT_RULE_UNTRACED)
			continue;
		found.methods++;
		found.lower_bounds += !!(m->flags & FRT_METHOD_LOWER_BOUND);
	}
	return found;
}

/* Why a method that filters select was refused, rather none that has no code of its own; NULL: none was refused. */
static const char *why_refused(const struct segment *s)
{
	const struct frt_skip *skip;
	const char *why = NULL;

	for (uint32_t i = 0; (skip = segment_skip(s, i)); i++) {
		if (skip->reason == FRT_SKIP_OTHER)
			continue;
		why = skip_reason(skip->reason);
		if (skip->reason != FRT_SKIP_ABSTRACT && skip->reason != FRT_SKIP_SYNTHETIC)
			break;
	}
	return why;
}

static void put_why_no_end(struct bytes *out, const struct recording *r, const struct run_facts *f)
{
	struct matched found = count_matched(r->segment);
	const char *time = log_time(f->now_ns - r->begin_ns), *refused = why_refused(r->segment);

	put_text(out, "0 calls");
	if (f->totals.open)
		bytes_printf(out, " have ended in %s, %s %s open", time, log_count(f->totals.open),
			     plural(f->totals.open, "is", "are"));
	else if (!found.methods && refused)
		bytes_printf(out, ": what matched is not traced: %s", refused);
	else if (!found.methods)
		put_text(out, ": no class that was loaded matched");
	else if (found.lower_bounds == found.methods)
		bytes_printf(
			out,
			": matched, never called in %s but perhaps by compiled code, where the JIT puts its own in their place",
			time);
	else
		bytes_printf(out, ": matched, never called in %s", time);
}

/*
 * "1,204 calls, all below 100.0 ms (max 31.0 ms)", "0 calls: matched, never called in 10.0 s". Nothing if calls have been
 * recorded, or all methods are timed only and have calls.
 */
static void put_why_nothing(struct bytes *out, const struct recording *r, const struct run_facts *f)
{
	const struct recorder_counts *c = recorder_counts(r->recorder);

	if (c->events || c->unwritten)
		return;
	if (!f->totals.exited)
		put_why_no_end(out, r, f);
	else if (filter_list_count(r->settings->filters, FILTER_TRACE))
		put_why_no_call(out, r, &f->totals);
}

void printout_no_events(const struct recording *r, const struct run_facts *f)
{
	struct bytes why = {.size = 0};

	put_why_nothing(&why, r, f);
	if (why.size)
		log_detail("  nothing is recorded so far: %s", bytes_text(&why));
	bytes_release(&why);
}

/* ---- the end */

static void print_loss(uint64_t n, const char *why)
{
	if (n)
		log_line("  %s %s", log_count(n), why);
}

static void print_losses(const struct recording *r, const struct run_facts *f)
{
	const uint64_t *lost = f->lost.of;
	bool probed = recording_is_probed(r);

	print_loss(lost[LOSS_UNWRITTEN], "lost with the chunk that could not be written");
	if (probed)
		print_loss(lost[LOSS_UNRECORDED], "lost because the queue was full: frtrace fell behind");
	else if (lost[LOSS_UNRECORDED])
		log_line("  %s lost because the ring memory ran out (%s)", log_count(lost[LOSS_UNRECORDED]),
			 log_bytes(segment_header(r->segment)->ring_cap));
	if (lost[LOSS_UNSLOTTED] && probed)
		log_line("  %s lost that began while %u calls of their thread were open",
			 log_count(lost[LOSS_UNSLOTTED]), FRT_PROBE_DEPTH);
	else if (lost[LOSS_UNSLOTTED])
		log_line("  %s lost on threads beyond %u", log_count(lost[LOSS_UNSLOTTED]), FRT_MAX_SLOTS);
	print_loss(lost[LOSS_OVERWRITTEN], "lost in their rings: overwritten before frtrace read them");
	if (lost[LOSS_EXCESS])
		log_line("  %s lost in roots that were not over: at most %s calls are held",
			 log_count(lost[LOSS_EXCESS]), log_count(ROOTS_LIMIT));
	print_loss(lost[LOSS_TORN],
		   "lost with the end of their root: overwritten, or swallowed by a StackOverflowError");
	print_loss(lost[LOSS_MALFORMED], "lost: malformed records in rings or queue");
	print_loss(lost[LOSS_NATIVES], "of native methods lost: the queue was full, or their end was not seen");
	print_loss(lost[LOSS_TASKS], "are tasks: too many, or of an object that stood in several queues (--tasks)");
	print_loss(lost[LOSS_UNREAD],
		   "lost in the queue: a record was never complete, or a CPU went offline (--buffer=perf)");
	print_loss(lost[LOSS_EXITS],
		   "ended without their exit hook (an exception out of super(), a StackOverflowError, a thread's end)");
	log_detail("  drains not done: %llu queue full, %llu nested, %llu unreadable, %llu no storage",
		   (unsigned long long)f->drops[FRT_DROP_QUEUE_FULL], (unsigned long long)f->drops[FRT_DROP_NESTED],
		   (unsigned long long)f->drops[FRT_DROP_UNREADABLE], (unsigned long long)f->drops[FRT_DROP_STORAGE]);
}

static bool calls_were_held_up(const struct recording *r)
{
	return r->settings->lossless_ns && segment_header(r->segment)->held_up;
}

/* "  1,204 times a call waited for frtrace, 380 ms in all" */
static void print_held_up(const struct recording *r)
{
	const struct frt_header *h = segment_header(r->segment);

	if (calls_were_held_up(r))
		log_line("  %s %s a call waited for frtrace, %s in all", log_count(h->held_up),
			 plural(h->held_up, "time", "times"), log_time(clock_ns_of_ticks(r->clock, h->held_up_ticks)));
}

/* The method with most recorded calls; 0: there is none. */
static uint32_t busiest_method(const struct segment *s, const struct breakdown_sums *sums)
{
	uint32_t found = 0;
	uint64_t most = 0;

	for (uint32_t id = 1; segment_method(s, id) && id < FRT_MAX_METHODS; id++) {
		uint64_t calls = breakdown_sums_of(sums, id)->calls;

		found = calls > most ? id : found;
		most = calls > most ? calls : most;
	}
	return found;
}

#define TOO_MANY 1000000 /* calls of a method in a second */

/*
 * "  12.5 million calls a second, of 9 ns each, were recorded of com.acme.Cart.total(int): -M counts and times them all, and
 * loses none"
 */
static void print_too_small(const struct recording *r, const struct run_facts *f)
{
	struct breakdown *where = recorder_breakdown(r->recorder);
	double seconds = (f->now_ns - r->begin_ns) / 1e9;
	struct bytes line = {.size = 0};
	const struct breakdown_sum *sum;
	uint32_t id;

	if (!where || seconds <= 0 || (!f->lost.of[LOSS_OVERWRITTEN] && !calls_were_held_up(r)))
		return;
	id = busiest_method(r->segment, breakdown_running_sums(where));
	sum = breakdown_sums_of(breakdown_running_sums(where), id);
	if (!id || sum->calls / seconds < TOO_MANY)
		return;
	bytes_printf(&line, "%.1f million calls a second, of %s each, were recorded of ", sum->calls / seconds / 1e6,
		     log_time(breakdown_sum_cpu(sum) / sum->calls));
	segment_put_method(&line, r->segment, id);
	log_line("  %s: -M counts and times them all, and loses none", bytes_text(&line));
	bytes_release(&line);
}

static void print_throttled(const struct recording *r)
{
	size_t methods = r->throttle ? throttle_methods(r->throttle) : 0;
	size_t unhooked = r->throttle ? throttle_unhooked(r->throttle) : 0;
	uint64_t calls = 0;

	for (size_t i = 0; i < methods; i++)
		calls += recorder_timed_calls(r->recorder, throttle_method(r->throttle, i));
	if (methods)
		log_line("  %s %s throttled: %s %s counted and timed (jdk.MethodTiming)", log_count(methods),
			 plural(methods, "method was", "methods were"), log_count(calls),
			 plural(calls, "call is", "calls are"));
	if (unhooked)
		log_line("  %s of these %s unhooked, and %s not counted to the end", log_count(unhooked),
			 plural(unhooked, "was", "were"), plural(unhooked, "is", "are"));
}

/* "  844 roots kept of 5,760, 12 more as a sample, 1 open" */
static void print_roots(const struct recording *r)
{
	struct bytes line = {.size = 0};
	struct segment_roots roots;
	uint64_t ended;

	if (!settings_has_roots(r->settings))
		return;
	segment_roots(r->segment, &roots);
	ended = roots.kept + roots.samples + roots.dropped;
	bytes_printf(&line, "%s %s kept of %s", log_count(roots.kept), plural(roots.kept, "root", "roots"),
		     log_count(ended));
	if (roots.samples)
		bytes_printf(&line, ", %s more as a sample", log_count(roots.samples));
	if (roots.begun > ended + roots.lost)
		bytes_printf(&line, ", %s open", log_count(roots.begun - ended - roots.lost));
	log_line("  %s", bytes_text(&line));
	bytes_release(&line);
}

static bool has_file(const struct recording *r)
{
	return !output_in_memory(r->output) && !output_is_stream(r->output);
}

/* Append ": frtrace view VIEW FILE" where there is a file. */
static void put_view(struct bytes *out, const struct recording *r, const char *view)
{
	if (!has_file(r))
		return;
	bytes_printf(out, ": frtrace view %s ", view);
	put_shell_word(out, output_path(r->output));
}

/* "  open for 42.1 s: com.acme.Cart.checkout(Order), and 2 more: frtrace view open FILE" */
static void print_open_calls(const struct recording *r, const struct run_facts *f)
{
	const struct segment_totals *t = &f->totals;
	struct bytes line = {.size = 0};

	if (!t->open)
		return;
	if (t->oldest_start) {
		bytes_printf(&line, " for %s: ", log_time(printout_open_for(r, f)));
		segment_put_method(&line, r->segment, t->oldest_method);
		if (t->open > 1)
			bytes_printf(&line, ", and %s more", log_count(t->open - 1));
	} else {
		put_text(&line, ": calls of virtual threads, or deeper than are listed");
	}
	put_view(&line, r, "open");
	log_line("  open%s", bytes_text(&line));
	bytes_release(&line);
	if (f->no_open_dump)
		log_line("  open calls have %s", f->no_open_dump);
}

static void print_slowest(const struct recording *r)
{
	struct breakdown *where = recorder_breakdown(r->recorder);
	struct bytes line = {.size = 0};

	if (where)
		put_slowest(&line, breakdown_running_sums(where));
	if (line.size) {
		put_view(&line, r, "slowest");
		log_line("  %s", bytes_text(&line));
	}
	bytes_release(&line);
}

/* The first event between two calls, which views of calls do not show. NULL: there is none. */
static const char *first_between(const struct event_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->event[i].from)
			return l->event[i].name;
	return NULL;
}

static void print_next_steps(const struct recording *r, uint64_t events)
{
	const char *between = events ? first_between(&r->settings->events) : NULL;
	struct bytes word = {.size = 0};
	const char *path;

	if (!has_file(r) || output_was_removed(r->output))
		return;
	put_shell_word(&word, output_path(r->output));
	path = bytes_text(&word);
	if (events && r->settings->by_entries)
		log_line("next: frtrace view slowest %s, or frtrace report %s for a page", path, path);
	else if (events && settings_has_roots(r->settings))
		log_line("next: frtrace view tree %s", path);
	else if (between)
		log_line("next: frtrace view events %s %s", between, path);
	else if (events)
		log_line("next: frtrace view method-trace %s, or frtrace print %s", path, path);
	if ((r->throttle && throttle_methods(r->throttle)) ||
	    (!events && filter_list_count(r->settings->filters, FILTER_TIMING)))
		log_line("next: frtrace view method-timing %s", path);
	if (output_is_directory(r->output) && output_size(r->output))
		log_line("next: frtrace merge -o FILE.jfr %s makes one file of it", path);
	bytes_release(&word);
}

/* What is in memory goes with the recording. */
static void put_end_of_file(struct bytes *out, const struct recording *r, const struct run_facts *f)
{
	if (!output_in_memory(r->output))
		put_file(out, r, f);
	else if (output_path(r->output))
		bytes_printf(out, "not written to %s", output_path(r->output));
	else
		put_text(out, "not written: stop -o FILE would have done that");
}

static const char *how_it_ended(const struct recording *r, bool restored, bool target_ended)
{
	if (target_ended)
		return target_replaced(&r->target) ? "The JVM has become another program (exec)" : "The JVM has ended";
	if (recording_is_probed(r))
		return "The JVM has no probes any more";
	return restored ? "The JVM runs its original code again"
			: "The JVM restores its original code by itself within seconds";
}

static void print_end(const struct recording *r, const struct run_facts *f, bool restored, bool target_ended)
{
	const struct recorder_counts *c = recorder_counts(r->recorder);
	bool timed = !filter_list_count(r->settings->filters, FILTER_TRACE);
	uint64_t calls = timed ? f->totals.exited : c->events;
	struct bytes file = {.size = 0};
	/* even with -q, report that the file is gone */
	void (*print)(const char *format, ...) __attribute__((format(printf, 1, 2))) =
		output_was_removed(r->output) ? log_error : log_line;

	put_end_of_file(&file, r, f);
	print("%s %s%s, %s thrown, %s lost, %s still open, %s. %s", log_count(calls), plural(calls, "call", "calls"),
	      timed ? " timed" : "", log_count(timed ? f->totals.thrown : c->thrown), log_count(f->lost.sum),
	      log_count(f->totals.open), bytes_text(&file), how_it_ended(r, restored, target_ended));
	bytes_release(&file);
}

void printout_end(const struct recording *r, const struct run_facts *f, const struct notes *gaps, bool restored,
		  bool target_ended)
{
	struct bytes text = {.size = 0};

	put_why_nothing(&text, r, f);
	if (text.size)
		log_line("%s", bytes_text(&text));
	print_end(r, f, restored, target_ended);
	print_roots(r);
	print_open_calls(r, f);
	if (f->lost.sum)
		print_losses(r, f);
	print_held_up(r);
	print_too_small(r, f);
	print_throttled(r);
	print_slowest(r);
	printout_notes(gaps);
	if (recorder_forged(r->recorder))
		log_line("  the agent's tables are forged: times and counts of methods are wrong");
	bytes_clear(&text);
	put_limits(&text, r->settings);
	if (output_dropped(r->output))
		log_line("  %s oldest chunks were dropped to stay below %s", log_count(output_dropped(r->output)),
			 bytes_text(&text));
	bytes_release(&text);
	print_next_steps(r, recorder_counts(r->recorder)->events);
}
