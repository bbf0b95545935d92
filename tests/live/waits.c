// SPDX-License-Identifier: BSD-2-Clause
/*
 * A frtrace that also writes each record from the kernel as a line into the file that FRTRACE_WAITS names:
 *
 *   wait THREAD OFF WAKE ON REASON CALL WAKER WAKER_PROCESS WAKER_NAME
 *   pause WHAT BEGIN END NAME
 *   usage THREAD AT CALLS SYSCALL_NS MAJOR_FAULTS MINOR_FAULTS
 *   lost
 *
 * or, with FRTRACE_WAITS_COUNTED, only the numbers of records when it ends, which is as fast as frtrace itself:
 *
 *   count THREAD N
 *
 * THREAD is the name that the agent stored. FRTRACE_WITHOUT names a tracepoint that the kernel shall appear to lack.
 * Linked with -Wl,--wrap=session_take_waits,--wrap=session_start,--wrap=btf__find_by_name_kind.
 */
#include "user/capture/session.h"
#include "tests/lib/wrap.h"

#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static const struct session *session;
static struct kernel_sink next;

static const char *name_of(uint32_t serial)
{
	static char name[sizeof(((struct frt_thread *)0)->name) + 1];
	struct frt_thread t;

	if (!segment_thread(session_segment(session), serial, &t))
		return "?";
	snprintf(name, sizeof(name), "%.*s", t.name_length, t.name);
	return name;
}

#define COUNTED 64

static bool counted;
static struct count {
	char *name;
	uint64_t waits;
} counts[COUNTED]; /* by serial */

static void count_wait(const struct frt_wait *w)
{
	if (w->thread >= COUNTED || (w->flags & FRT_WAIT_ONGOING))
		return;
	if (!counts[w->thread].waits++)
		counts[w->thread].name = strdup(name_of(w->thread));
}

static void write_counts(void)
{
	for (int i = 0; i < COUNTED; i++)
		if (counts[i].waits)
			fprintf(out, "count %s %" PRIu64 "\n", counts[i].name, counts[i].waits);
}

static void write_wait(const struct frt_wait *w)
{
	fprintf(out, "wait %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %u %u %.16s\n", name_of(w->thread), w->off,
		w->wake, w->on, w->reason, w->syscall, w->waker, w->waker_origin,
		w->waker_name[0] ? w->waker_name : "-");
}

static void on_wait(void *context, const struct frt_wait *w, const struct wait_stack_ids *stacks)
{
	if (counted)
		count_wait(w);
	else
		write_wait(w);
	if (next.wait)
		next.wait(next.context, w, stacks);
}

static void on_pause(void *context, const struct frt_pause *p)
{
	fprintf(out, "pause %u %" PRIu64 " %" PRIu64 " %.40s\n", p->what, p->begin, p->end, p->name);
	if (next.pause)
		next.pause(next.context, p);
}

static void on_usage(void *context, const struct frt_thread_usage *u)
{
	fprintf(out, "usage %s %" PRIu64 " %u %" PRIu64 " %u %u\n", name_of(u->thread), u->at, u->syscalls,
		u->syscall_ns, u->major_faults, u->minor_faults);
	if (next.usage)
		next.usage(next.context, u);
}

static void on_lost(void *context)
{
	fprintf(out, "lost\n");
	if (next.lost)
		next.lost(next.context);
}

WRAP(void, session_take_waits, struct session *s, const struct kernel_sink *sink)
{
	next = *sink;
}

WRAP(int, session_start, struct session *s, const struct stream_sink *sink, struct diag *d)
{
	const char *path = getenv("FRTRACE_WAITS");
	struct kernel_sink ours = next;

	ours.wait = on_wait;
	ours.pause = on_pause;
	ours.usage = on_usage;
	ours.lost = on_lost;
	session = s;
	out = path ? fopen(path, "w") : stderr;
	if (!out)
		return diag_set(d, 2, "cannot write '%s'", path);
	counted = getenv("FRTRACE_WAITS_COUNTED") && !atexit(write_counts);
	__real_session_take_waits(s, &ours);
	return __real_session_start(s, sink, d);
}

WRAP(int, btf__find_by_name_kind, const struct btf *btf, const char *name, uint32_t kind)
{
	const char *without = getenv("FRTRACE_WITHOUT");

	if (without && strncmp(name, "btf_trace_", 10) == 0 && strcmp(name + 10, without) == 0)
		return -ENOENT;
	return __real_btf__find_by_name_kind(btf, name, kind);
}
