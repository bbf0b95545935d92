// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/printout.h"
#include "bpf/probes.h"
#include "user/capture/cost.h"
#include "user/segment/segment_names.h"
#include "user/text/java_number.h"
#include "user/text/json.h"
#include "user/text/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_CLASSES 20
#define MOST_ACTIVE  12
#define MOST_METHODS 400 /* bytes of a line with methods of a class */

/* Print what was put together, and release it. */
static void print_line(struct bytes *line)
{
	log_line("%s", bytes_text(line));
	bytes_release(line);
}

/* "com.acme.Cart.checkout(Order) · checkout(Order, boolean)   loader app" */
static void print_class(const struct segment *seg, uint32_t class_id, const struct frt_class *c)
{
	struct bytes line = {.size = 0};
	const struct frt_method *m;
	const char *before = "";

	put_text(&line, "  ");
	segment_put_name(&line, seg, c->name, 0, 0);
	put_text(&line, ".");
	for (uint32_t id = 1; (m = segment_method(seg, id)); id++) {
		size_t complete;

		if (m->class_id != class_id || !segment_is_hooked(seg, m))
			continue;
		put_text(&line, before);
		complete = line.size;
		segment_put_signature(&line, seg, m);
		before = " · ";
		if (line.size > MOST_METHODS) {
			line.size = complete;
			put_text(&line, "...");
			break;
		}
	}
	put_text(&line, "   loader ");
	segment_put_loader(&line, seg, c->loader);
	print_line(&line);
}

static void print_classes(const struct segment *seg)
{
	struct segment_classes traced;
	const struct frt_class *c;
	uint32_t found = 0;

	segment_hooked_classes(seg, &traced);
	for (uint32_t id = 1; (c = segment_class(seg, id)); id++)
		if (segment_classes_has(&traced, id) && found++ < MOST_CLASSES)
			print_class(seg, id, c);
	if (found > MOST_CLASSES)
		log_line("  ... and %u more classes", found - MOST_CLASSES);
}

/* The source of stacks, for the start line. */
static const char *stack_source(const struct recording *r)
{
	if (r->settings->no_stack)
		return "";
	if (!r->not_walked.text[0])
		return ", stacks walked";
	return r->settings->stacks == SETTINGS_STACKS_WALK ? ", no stacks" : ", stacks by JVMTI";
}

/* An age as people say it: "10 min" */
static void put_age_limit(struct bytes *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{86400000000000, "d"}, {3600000000000, "h"}, {60000000000, "min"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ns % units[i].ns == 0) {
			bytes_printf(out, "%llu %s", (unsigned long long)(ns / units[i].ns), units[i].name);
			return;
		}
	put_text(out, log_time(ns));
}

void put_limits(struct bytes *out, const struct settings *s)
{
	put_text(out, log_bytes(s->max_size));
	if (!s->max_age_ns)
		return;
	put_text(out, " or ");
	put_age_limit(out, s->max_age_ns);
}

/* The cost of the kernel's tracepoints while the programs are loaded, for the start line. */
static void put_tracepoints(struct bytes *out, const struct recording *r, const struct run_facts *f)
{
	if (!r->settings->kernel || f->session.no_waits[0])
		return;
	bytes_printf(out, ", about %.1f us a context switch", COST_SWITCH_US);
	if (r->settings->kernel == SETTINGS_KERNEL_FULL && !f->session.no_usage[0])
		bytes_printf(out, ", %.1f us a system call or page fault", COST_SYSTEM_CALL_US);
}

/*
 * A launched JVM waits at its start: no class of the program is loaded yet, so no methods are counted. If -e has awaited
 * classes, it runs already.
 */
static void print_tracing(const struct recording *r, const struct run_facts *f)
{
	const struct frt_header *h = segment_header(r->segment);
	uint32_t classes, methods = segment_count_hooked(r->segment, &classes);
	const char *version = r->target.version[0] ? r->target.version : "unknown";
	struct bytes line = {.size = 0};

	put_text(&line, "tracing ");
	if (!r->settings->program)
		bytes_printf(&line, "%s %s of %s %s in ", log_count(methods), plural(methods, "method", "methods"),
			     log_count(classes), plural(classes, "class", "classes"));
	bytes_printf(&line, "%d %s (JDK %s)", (int)r->target.pid, r->target.name, version);
	if (r->settings->program && r->awaited)
		put_text(&line, " from now on, as the classes of -e are loaded");
	else if (r->settings->program)
		bytes_printf(&line, " from its first class on: start held up %.0f ms", f->session.cost.attach_ms);
	else if (recording_is_probed(r))
		bytes_printf(&line,
			     " by HotSpot's own probes: attach %.0f ms, the JVM is much slower: every call of every "
			     "method traps",
			     f->session.cost.attach_ms);
	else
		bytes_printf(&line, ": attach %.0f ms, pause %s%.1f ms, rings %.1f of %.1f MB",
			     f->session.cost.attach_ms, f->session.cost.pause_known ? "" : "at most ",
			     f->session.cost.pause_ms, h->ring_used / 1048576.0, h->ring_cap / 1048576.0);
	if (!recording_is_probed(r)) {
		put_text(&line, stack_source(r));
		put_tracepoints(&line, r, f);
	}
	print_line(&line);
}

void printout_active(const struct active_list *active, bool skipped)
{
	struct bytes names = {.size = 0};

	if (!active->count)
		return;
	for (unsigned int i = 0; i < active->count; i++) {
		const struct active_method *m = &active->method[i];
		char stacks[40] = "";

		if (m->stacks > 1)
			snprintf(stacks, sizeof(stacks), " (%u stacks)", m->stacks);
		log_detail("active: %s%s", m->name, stacks);
		if (i < MOST_ACTIVE)
			bytes_printf(&names, "%s%s%s", i ? ", " : "", m->name, stacks);
	}
	if (active->count > MOST_ACTIVE)
		bytes_printf(&names, " and %u more (-v)", active->count - MOST_ACTIVE);
	log_line("active now, %s: %s",
		 skipped ? "their classes are left alone"
			 : "not recorded and interpreted until they return (--skip-active leaves their classes alone)",
		 bytes_text(&names));
	bytes_release(&names);
}

/* With -v the details precede the note. */
static void print_details(const char *details)
{
	for (const char *end; details && (end = strchr(details, '\n')); details = end + 1)
		log_detail("%.*s", (int)(end - details), details);
}

void printout_notes(const struct notes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		print_details(n->note[i].details);
		if (n->note[i].line)
			log_line("  %s", n->note[i].line);
	}
}

static void print_inside(const struct settings *s)
{
	const struct filter_list *l = s->filters;
	struct bytes names = {.size = 0};

	for (size_t i = 0; s->by_entries && i < filter_list_size(l); i++)
		if (filter_list_kind(l, i) == FILTER_ROOT) {
			log_line(
				"  recorded: requests of %s or more, and in them statements, calls of other services and tasks",
				strrchr(filter_list_text(l, i), ':') + 1);
			return;
		}
	for (size_t i = 0; i < filter_list_size(l); i++)
		if (filter_list_kind(l, i) == FILTER_ROOT)
			bytes_printf(&names, "%s%s", names.size ? ", " : "", filter_list_text(l, i));
	if (names.size)
		log_line("  recorded only inside of %s", bytes_text(&names));
	bytes_release(&names);
}

static const char *how_to_stop(const struct recording *r)
{
	if (r->settings->background)
		return ""; /* background_detach() says it */
	if (r->settings->program)
		return ".  Ctrl-C goes to the program";
	return recording_is_probed(r) ? ".  Ctrl-C stops" : ".  Ctrl-C stops and restores the JVM";
}

/* "to shop.jfr, at most 1.0 GB, oldest goes first.  Ctrl-C stops and restores the JVM" */
static void print_destination(const struct recording *r)
{
	const char *path = output_path(r->output);
	bool in_memory = output_in_memory(r->output);
	struct bytes line = {.size = 0};

	bytes_printf(&line, "to %s, at most ", in_memory ? "memory" : path);
	put_limits(&line, r->settings);
	bytes_printf(&line, "%s, oldest goes first", output_is_stream(r->output) ? " until it is read" : "");
	if (in_memory && path)
		bytes_printf(&line, ", at its end to %s", path);
	else if (in_memory)
		put_text(&line, ", to a file only by dump or stop -o");
	put_text(&line, how_to_stop(r));
	print_line(&line);
}

void printout_start(const struct recording *r, const struct run_facts *f, const struct notes *notes)
{
	print_tracing(r, f);
	print_classes(r->segment);
	print_inside(r->settings);
	printout_notes(notes);
	print_destination(r);
}

/* Estimated share of the JVM's CPU time that the hooks took, in per cent. */
static double cost_percent(const struct recording *r, const struct run_facts *f)
{
	double hook_ns = cost_of_hooks(r->segment, r->clock);

	return f->cpu_ns > r->cpu_before ? 100.0 * f->totals.entered * hook_ns / (f->cpu_ns - r->cpu_before) : 0;
}

int64_t printout_open_for(const struct recording *r, const struct run_facts *f)
{
	clock_sample(r->clock);
	return clock_last(r->clock)->monotonic - clock_ns(r->clock, f->totals.oldest_start);
}

static void put_open(struct bytes *out, const struct recording *r, const struct run_facts *f)
{
	int64_t since = f->totals.open && f->totals.oldest_start ? printout_open_for(r, f) : 0;

	bytes_printf(out, "%s open", log_count(f->totals.open));
	if (since > 0)
		bytes_printf(out, ", oldest %s", log_time(since));
}

void printout_progress(const struct recording *r, const struct run_facts *f)
{
	int64_t seconds = (f->now_ns - r->begin_ns) / 1000000000;
	struct bytes open = {.size = 0};

	put_open(&open, r, f);
	log_progress("%02d:%02d   %s calls   %s thrown   %s lost   %s   cost %.2f %% of the JVM's CPU",
		     (int)(seconds / 60), (int)(seconds % 60), log_count(f->totals.exited), log_count(f->totals.thrown),
		     log_count(f->lost.sum), bytes_text(&open), cost_percent(r, f));
	bytes_release(&open);
}

/* What is in memory includes the open chunk. */
static uint64_t bytes_so_far(const struct recording *r)
{
	return output_size(r->output) + (output_in_memory(r->output) ? recorder_unwritten(r->recorder) : 0);
}

void put_file(struct bytes *out, const struct recording *r, const struct run_facts *f)
{
	const char *path = output_path(r->output), *size = log_bytes(bytes_so_far(r));

	if (output_in_memory(r->output))
		bytes_printf(out, "%s in memory, back to %s ago", size, log_time(f->now_ns - output_since(r->output)));
	else if (output_is_stream(r->output))
		bytes_printf(out, "%s to %s", size, path);
	else if (output_was_removed(r->output))
		bytes_printf(out, "but '%s' is gone: it was removed, renamed or replaced", path);
	else
		bytes_printf(out, "%s in %s", size, path);
}

void printout_status(const struct recording *r, const struct run_facts *f, FILE *to)
{
	int64_t seconds = (f->now_ns - r->begin_ns) / 1000000000;
	struct bytes line = {.size = 0};

	bytes_printf(&line, "%d %s", (int)r->target.pid, r->target.name);
	if (segment_is_shared(r->segment)) /* then only its own process names this recording */
		bytes_printf(&line, "   by %d", (int)getpid());
	bytes_printf(&line, "   %02d:%02d:%02d   %s calls   %s thrown   %s lost   ", (int)(seconds / 3600),
		     (int)(seconds / 60 % 60), (int)(seconds % 60), log_count(f->totals.exited),
		     log_count(f->totals.thrown), log_count(f->lost.sum));
	put_open(&line, r, f);
	put_text(&line, "   ");
	put_file(&line, r, f);
	fprintf(to, "%s\n", bytes_text(&line));
	bytes_release(&line);
}

void printout_status_json(const struct recording *r, const struct run_facts *f, FILE *to)
{
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	json_signed(&j, "pid", r->target.pid);
	json_string(&j, "name", r->target.name);
	json_signed(&j, "elapsedNs", f->now_ns - r->begin_ns);
	json_unsigned(&j, "calls", f->totals.exited);
	json_unsigned(&j, "thrown", f->totals.thrown);
	json_unsigned(&j, "lost", f->lost.sum);
	json_unsigned(&j, "open", f->totals.open);
	if (f->totals.open && f->totals.oldest_start)
		json_signed(&j, "oldestOpenNs", printout_open_for(r, f));
	json_signed(&j, "recorder", getpid());
	if (output_path(r->output))
		json_string(&j, "file", output_path(r->output));
	json_bool(&j, "inMemory", output_in_memory(r->output));
	json_signed(&j, "reachesBackNs", f->now_ns - output_since(r->output));
	json_unsigned(&j, "bytes", bytes_so_far(r));
	json_bool(&j, "fileGone", output_was_removed(r->output));
	json_end(&j);
}
