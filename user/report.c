// SPDX-License-Identifier: BSD-2-Clause
#include "user/report.h"
#include "user/log.h"
#include "user/signature.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MOST_CLASSES 20
#define MOST_SKIPS   20

static int64_t monotonic_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

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

static void loader_name(const struct segment *seg, uint32_t number, char *out, size_t size)
{
	const struct frt_loader *l = segment_loader(seg, number);

	snprintf(out, size, "boot");
	if (!l || number == FRT_BOOT_LOADER)
		return;
	if (!segment_string(seg, l->name, out, size)) {
		segment_string(seg, l->type, out, size);
		signature_dots(out);
	}
}

static void append(char *to, size_t size, const char *text)
{
	size_t length = strlen(to);

	snprintf(to + length, size - length, "%s", text);
}

/* "com.acme.Cart.checkout(Order) · checkout(Order, boolean)" */
static void print_class(const struct segment *seg, uint32_t class_id, const char *class_name)
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
		signature_print(name, descriptor, method, sizeof(method));
		if (!first)
			append(line, sizeof(line), " · ");
		first = false;
		if (strlen(line) + strlen(method) > 400) {
			append(line, sizeof(line), "...");
			break;
		}
		append(line, sizeof(line), method);
	}
	loader_name(seg, segment_class(seg, class_id)->loader, loader, sizeof(loader));
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
		signature_dots(name);
		print_class(seg, id, name);
	}
	if (more)
		log_line("  ... and %u more classes", more);
}

static const char *reason_text(uint32_t reason)
{
	static const char *const texts[FRT_SKIP_REASONS] = {
		[FRT_SKIP_NATIVE] = "native: it has no bytecode",
		[FRT_SKIP_ABSTRACT] = "abstract: it has no code",
		[FRT_SKIP_SYNTHETIC] = "made by the compiler",
		[FRT_SKIP_TOO_LARGE] = "with hooks it would pass 64 KiB",
		[FRT_SKIP_HUGE_METHOD] = "with hooks it would pass the 8000 bytes that HotSpot compiles",
		[FRT_SKIP_JSR] = "an old class file with jsr/ret",
		[FRT_SKIP_RESERVED_STACK] = "it has @ReservedStackAccess: tracing it could leave locks locked",
		[FRT_SKIP_LOCKS] = "java.util.concurrent.locks: tracing it could leave locks locked",
		[FRT_SKIP_CONTINUATION] = "part of the virtual threads' machinery",
		[FRT_SKIP_JFR] = "a JFR event class, which JFR rewrites itself",
		[FRT_SKIP_HIDDEN] = "a hidden class",
		[FRT_SKIP_UNMODIFIABLE] = "the JVM does not let it be changed",
		[FRT_SKIP_LOADER] = "its class loader does not find the helper class",
		[FRT_SKIP_VERIFY] = "the JVM refused the rewritten class",
		[FRT_SKIP_MALFORMED] = "a class file that frtrace does not understand",
		[FRT_SKIP_TABLE_FULL] = "too many methods",
		[FRT_SKIP_ACTIVE] = "on a stack now",
	};

	return reason < FRT_SKIP_REASONS && texts[reason] ? texts[reason] : "unknown reason";
}

/* What a class filter need not say: abstract methods and bridges have nothing to trace. */
static bool is_expected(uint32_t reason)
{
	return reason == FRT_SKIP_ABSTRACT || reason == FRT_SKIP_SYNTHETIC;
}

static void skip_text(const struct segment *seg, const struct frt_skip *s, char *out, size_t size)
{
	char class_name[1024], name[512], descriptor[4096], method[1024] = "";

	segment_string(seg, s->class_name, class_name, sizeof(class_name));
	signature_dots(class_name);
	if (segment_string(seg, s->method, name, sizeof(name))) {
		segment_string(seg, s->descriptor, descriptor, sizeof(descriptor));
		signature_print(name, descriptor, method, sizeof(method));
	}
	snprintf(out, size, "%s%s%s: %s", class_name, *method ? "." : "", method, reason_text(s->reason));
}

/* True: something that the user asked for is not traced. */
static bool print_skips(const struct report *r, const struct segment *seg)
{
	const struct frt_skip *s;
	char text[2048];
	uint32_t shown = 0, more = 0;

	for (uint32_t i = 0; (s = segment_skip(seg, i)); i++) {
		skip_text(seg, s, text, sizeof(text));
		if (is_expected(s->reason)) {
			log_detail("  not traced: %s", text);
			continue;
		}
		recorder_remark(r->recorder, "not traced", text);
		if (shown++ < MOST_SKIPS)
			log_line("  not traced: %s", text);
		else
			more++;
	}
	if (more)
		log_line("  ... and %u more", more);
	return shown;
}

static void print_lower_bounds(const struct report *r, const struct segment *seg)
{
	char class_name[1024], name[512], descriptor[4096], method[1024], text[2200];
	const struct frt_method *m;
	uint32_t shown = 0;

	for (uint32_t id = 1; (m = segment_method(seg, id)); id++) {
		const struct frt_class *c = segment_class(seg, m->class_id);

		if (!(m->flags & FRT_METHOD_HOOKED) || !(m->flags & FRT_METHOD_LOWER_BOUND) || !c)
			continue;
		segment_string(seg, c->name, class_name, sizeof(class_name));
		signature_dots(class_name);
		segment_string(seg, m->name, name, sizeof(name));
		segment_string(seg, m->descriptor, descriptor, sizeof(descriptor));
		signature_print(name, descriptor, method, sizeof(method));
		snprintf(text, sizeof(text), "%s.%s: the JIT may replace calls by machine code that no hook sees", class_name,
			 method);
		recorder_remark(r->recorder, "lower bound", text);
		if (shown++ < MOST_SKIPS)
			log_line("  lower bound: %s", text);
	}
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

bool report_start(const struct report *r)
{
	const struct segment *seg = session_segment(r->session);
	const struct frt_header *h = segment_header(seg);
	const struct session_cost *cost = session_cost(r->session);
	uint32_t classes, methods = report_hooked(seg, &classes);
	bool skipped;

	log_line("tracing %s %s of %s %s in %d %s (JDK %s): attach %.0f ms, pause %s%.1f ms, rings %.1f of %.1f MB",
		 log_count(methods), plural(methods, "method", "methods"), log_count(classes),
		 plural(classes, "class", "classes"), (int)r->target->pid, r->target->name,
		 r->target->version[0] ? r->target->version : "unknown", cost->attach_ms, cost->pause_known ? "" : "at most ",
		 cost->pause_ms, h->ring_used / 1048576.0, h->ring_cap / 1048576.0);
	print_classes(seg);
	skipped = print_skips(r, seg);
	print_lower_bounds(r, seg);
	log_line("to %s, at most %s, oldest goes first.  Ctrl-C stops and restores the JVM", output_path(r->output),
		 log_bytes(r->settings->max_size));
	return skipped;
}

uint64_t report_lost(const struct report *r)
{
	const struct streams *streams = session_streams(r->session);
	struct segment_totals t;

	segment_totals(session_segment(r->session), &t);
	return streams->lost + streams->malformed + t.unrecorded + t.unslotted + t.lost_exits;
}

/* Share of the JVM's CPU time that the hooks took, in per cent: an estimate from the cost of two stamps. */
static double cost_percent(const struct report *r, const struct segment_totals *t)
{
	uint64_t cpu = target_cpu_ns(r->target);
	double hook_ns = clock_ns_of_ticks(r->clock, segment_header(session_segment(r->session))->hook_ticks) + 5.0;

	return cpu > r->cpu_before ? 100.0 * t->entered * hook_ns / (cpu - r->cpu_before) : 0;
}

static void open_text(const struct report *r, const struct segment_totals *t, char *out, size_t size)
{
	int64_t since;

	snprintf(out, size, "%s open", log_count(t->open));
	if (!t->open || !t->oldest_start)
		return;
	clock_sample(r->clock);
	since = clock_last(r->clock)->monotonic - clock_ns(r->clock, t->oldest_start);
	if (since > 0)
		append(out, size, ", oldest "), append(out, size, log_time(since));
}

void report_progress(const struct report *r)
{
	int64_t seconds = (monotonic_now() - r->begin_ns) / 1000000000;
	struct segment_totals t;
	char open[80];

	if (!log_is_live())
		return;
	segment_totals(session_segment(r->session), &t);
	open_text(r, &t, open, sizeof(open));
	log_progress("%02d:%02d   %s calls   %s thrown   %s lost   %s   cost %.2f %% of the JVM's CPU", (int)(seconds / 60),
		     (int)(seconds % 60), log_count(t.exited), log_count(t.thrown), log_count(report_lost(r)), open,
		     cost_percent(r, &t));
}

static void explain_silence(const struct report *r, const struct segment_totals *t)
{
	uint32_t classes, methods = report_hooked(session_segment(r->session), &classes);

	if (recorder_counts(r->recorder)->events)
		return;
	if (t->exited)
		log_line("%s %s, all below %s (max %s)", log_count(t->exited), plural(t->exited, "call", "calls"),
			 log_time(r->settings->threshold_ns), log_time(clock_ns_of_ticks(r->clock, t->longest)));
	else if (methods || segment_header(session_segment(r->session))->methods)
		log_line("0 calls: matched, never called in %s", log_time(monotonic_now() - r->begin_ns));
	else
		log_line("0 calls: no class that was loaded matched");
}

static void explain_losses(const struct report *r, const struct segment_totals *t)
{
	uint64_t drops[FRT_DROP_REASONS];

	if (t->unrecorded)
		log_line("  %s lost for want of ring memory (%s)", log_count(t->unrecorded),
			 log_bytes(segment_header(session_segment(r->session))->ring_cap));
	if (t->unslotted)
		log_line("  %s lost on threads beyond %u", log_count(t->unslotted), FRT_MAX_SLOTS);
	if (t->lost_exits)
		log_line("  %s ended without their exit hook (StackOverflowError, or a thread's end)", log_count(t->lost_exits));
	session_drops(r->session, drops);
	log_detail("  drains not done: %llu queue full, %llu nested, %llu unreadable, %llu no storage",
		   (unsigned long long)drops[FRT_DROP_QUEUE_FULL], (unsigned long long)drops[FRT_DROP_NESTED],
		   (unsigned long long)drops[FRT_DROP_UNREADABLE], (unsigned long long)drops[FRT_DROP_STORAGE]);
}

void report_end(const struct report *r, bool restored, bool target_ended)
{
	const struct recorder_counts *c = recorder_counts(r->recorder);
	uint64_t lost = report_lost(r);
	struct segment_totals t;

	segment_totals(session_segment(r->session), &t);
	explain_silence(r, &t);
	log_line("%s %s, %s thrown, %s lost, %s still open, %s in %s. %s", log_count(c->events),
		 plural(c->events, "call", "calls"), log_count(c->thrown), log_count(lost), log_count(t.open),
		 log_bytes(output_size(r->output)), output_path(r->output),
		 target_ended ? "The JVM has ended" :
		 restored     ? "The JVM runs its original code again" :
				"The JVM restores its original code by itself within seconds");
	if (lost)
		explain_losses(r, &t);
	if (output_dropped(r->output))
		log_line("  %s oldest chunks were dropped to stay below %s", log_count(output_dropped(r->output)),
			 log_bytes(r->settings->max_size));
	if (c->events)
		log_line("next: jfr view MethodTrace %s   (JDK 21 on), or jfr print --events MethodTrace %s",
			 output_path(r->output), output_path(r->output));
}
