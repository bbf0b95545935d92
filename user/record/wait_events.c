// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/wait_events.h"
#include "user/record/pauses.h"

#include <stdio.h>
#include <string.h>

const char *wait_reason(unsigned int reason)
{
	static const char *const names[FRT_WAIT_REASONS] = {
		[FRT_WAIT_PREEMPTED] = "preempted",
		[FRT_WAIT_FUTEX] = "futex",
		[FRT_WAIT_POLL] = "poll",
		[FRT_WAIT_SOCKET] = "socket",
		[FRT_WAIT_DISK] = "disk",
		[FRT_WAIT_PAGE_FAULT] = "page fault",
		[FRT_WAIT_SLEEP] = "sleep",
		[FRT_WAIT_PIPE] = "pipe",
		[FRT_WAIT_GC] = "gc",
		[FRT_WAIT_SAFEPOINT] = "safepoint",
		[FRT_WAIT_PARKED] = "parked",
		[FRT_WAIT_CARRIER] = "carrier",
		[FRT_WAIT_TRACER] = "frtrace",
		[FRT_WAIT_JIT] = "jit",
		[FRT_WAIT_CLASS] = "class",
		[FRT_WAIT_JVM] = "jvm",
		[FRT_WAIT_OTHER] = "other",
	};

	return reason < FRT_WAIT_REASONS && names[reason] ? names[reason] : names[FRT_WAIT_OTHER];
}

const char *wait_name(unsigned int reason, unsigned int syscall, char text[SYSCALL_NAME_TEXT])
{
	const char *name = wait_reason(reason);

	return strcmp(name, "other") || syscall == FRT_NO_SYSCALL ? name : syscall_name(syscall, text);
}

static uint64_t wait_stack_key(const struct wait_events *e, enum frames_source source, uint32_t stack)
{
	return stack ? frames_key(e->frames, source, stack, FRT_NO_METHOD) : 0;
}

/* NULL: unknown. */
static const char *wait_woken_by(const struct wait *w)
{
	if (w->by_interrupt)
		return "interrupt";
	return w->waker || w->stacks.waker_virtual ? "thread" : w->waker_origin ? "process" : NULL;
}

static int64_t wait_woken_after(const struct wait *w)
{
	int64_t woken = (int64_t)w->stacks.woken;

	return woken >= w->off && woken <= w->wake ? woken - w->off : JFR_MISSING;
}

static uint64_t waker_key(const struct wait_events *e, const struct wait *w)
{
	bool carrier;
	uint64_t key;

	if (w->stacks.waker_virtual)
		return thread_keys_of_virtual_waker(e->threads, w->stacks.waker_virtual);
	key = thread_keys_of_waker(e->threads, w->waker, w->waker_origin, w->waker_name, &carrier);
	return carrier && !w->stacks.waker_exact ? 0 : key; /* it may have carried the waker */
}

void wait_events_name_waker(const struct wait_events *e, const struct wait *w, char out[WAKER_NAME])
{
	bool carrier = false;

	if (w->stacks.waker_virtual)
		thread_keys_name_virtual_waker(e->threads, w->stacks.waker_virtual, out);
	else
		thread_keys_name_waker(e->threads, w->waker, w->waker_origin, w->waker_name, out, &carrier);
	if (carrier && !w->stacks.waker_exact)
		out[0] = 0;
}

static void put_blocked(const struct wait_events *e, uint64_t thread, const struct wait *w)
{
	struct resource_names names = resources_names(e->resources, w->resource);
	char name[SYSCALL_NAME_TEXT];
	struct jfr_thread_wait event = {
		.start = w->off + e->ticks_offset,
		.duration = w->wake - w->off,
		.thread = thread,
		.stack = wait_stack_key(e, w->stacks.agents ? FRAMES_AGENTS : FRAMES_OURS, w->stacks.java),
		.native_stack = wait_stack_key(e, FRAMES_OURS, w->stacks.native),
		.kernel_stack = wait_stack_key(e, FRAMES_OURS, w->stacks.kernel),
		.waker = waker_key(e, w),
		.waker_stack = wait_stack_key(e, FRAMES_OURS, w->stacks.waker_java),
		.waker_kernel_stack = wait_stack_key(e, FRAMES_OURS, w->stacks.waker_kernel),
		.waker_kind = wait_woken_by(w),
		.woken_after = wait_woken_after(w),
		.reason = wait_reason(w->reason),
		.ongoing = w->ongoing && w->wake == w->on,
		.system_call = w->syscall == FRT_NO_SYSCALL ? NULL : syscall_name(w->syscall, name),
		.resource = names.resource,
		.service = names.service,
		.process = names.process,
		.container = names.container,
	};

	jfr_thread_wait(e->writer, &event);
}

void wait_events_put(const struct wait_events *e, uint32_t thread, const struct stream_vthread *v, const struct wait *w)
{
	uint64_t key = thread_keys_of(e->threads, thread, v);

	if (w->wake > w->off)
		put_blocked(e, key, w);
	if (w->on > w->wake)
		jfr_run_queue(e->writer, w->wake + e->ticks_offset, w->on - w->wake, key);
}

void wait_events_put_sample(const struct wait_events *e, uint32_t thread, const struct stream_vthread *v,
			    const struct wait *sample)
{
	jfr_execution_sample(
		e->writer, &(struct jfr_execution_sample){.start = sample->off + e->ticks_offset,
							  .thread = thread_keys_of(e->threads, thread, v),
							  .stack = wait_stack_key(e, FRAMES_OURS, sample->stacks.java),
							  .state = JFR_STATE_RUNNABLE});
}

void wait_events_put_pause(const struct wait_events *e, const struct frt_pause *p)
{
	char name[sizeof(p->name) + 1];
	struct jfr_vm_pause event = {.start = p->begin + e->ticks_offset,
				     .duration = p->end - p->begin,
				     .what = p->what == FRT_PAUSE_GC ? "GC" : "safepoint",
				     .name = name,
				     .own = pauses_is_own(p)};

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(p->name), p->name);
	if (!name[0])
		event.name = NULL;
	jfr_vm_pause(e->writer, &event);
}
