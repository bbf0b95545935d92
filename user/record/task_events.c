// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/task_events.h"
#include "user/capture/clock.h"

#include <string.h>

/* As in docs/recording.md. */
static const char *const outcomes[FRT_TASK_ENDS] = {
	[FRT_TASK_RAN] = "ran",		  [FRT_TASK_RUNS] = "running",
	[FRT_TASK_CALLER] = "caller",	  [FRT_TASK_CANCELLED] = "cancelled",
	[FRT_TASK_REJECTED] = "rejected", [FRT_TASK_DISCARDED] = "discarded",
	[FRT_TASK_UNSEEN] = "not seen",
};

static bool has_run(uint16_t end)
{
	return end == FRT_TASK_RAN || end == FRT_TASK_RUNS || end == FRT_TASK_CALLER;
}

static uint64_t submitter_key(const struct task_events *e, uint32_t submitter)
{
	if (submitter & FRT_VIRTUAL_KEY)
		return thread_keys_of_virtual_waker(e->threads, submitter & ~FRT_VIRTUAL_KEY);
	return thread_keys_of(e->threads, submitter, NULL);
}

void task_events_put(struct task_events *e, const struct frt_span *s, const struct frt_field *values, size_t n,
		     const struct stream_vthread *v)
{
	int64_t submitted, begun;
	struct jfr_task event;
	struct frt_task t;

	if (!n || values[0].number != FRT_FIELD_TASK || values[0].form != FRT_FORM_TASK) {
		e->torn++;
		return;
	}
	memcpy(&t, values[0].data, sizeof(t));
	if (t.submitted > s->start || t.end >= FRT_TASK_ENDS) {
		e->torn++;
		return;
	}
	submitted = clock_ns(e->clock, t.submitted);
	begun = clock_ns(e->clock, s->start);
	event = (struct jfr_task){
		.start = submitted + e->ticks_offset,
		.duration = begun - submitted,
		.thread = s->thread ? thread_keys_of(e->threads, s->thread, v) : 0,
		.stack = s->stack ? frames_key(e->frames, FRAMES_AGENTS, s->stack, FRT_NO_METHOD) : 0,
		.submitter = submitter_key(e, t.submitter),
		.method = t.method ? method_keys_traced(e->methods, t.method) : 0,
		.task_class = t.class_name ? method_keys_class(e->methods, t.class_name) : 0,
		.outcome = outcomes[t.end],
		.run_time = has_run(t.end) ? clock_ns(e->clock, s->start + s->duration) - begun : JFR_MISSING,
	};
	jfr_task(e->writer, &event);
	if (e->paths && has_run(t.end))
		paths_add_task(e->paths, &(struct path_task){.vthread = v,
							     .thread = s->thread,
							     .class_name = t.class_name,
							     .begin = begun,
							     .end = clock_ns(e->clock, s->start + s->duration)});
}
