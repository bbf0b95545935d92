/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened within single calls: the traced calls inside, waits, stacks, samples; the tasks that they handed over. */
#ifndef USER_PAGE_STORIES_H
#define USER_PAGE_STORIES_H

#include "user/trace/call.h"
#include "user/trace/holders.h"
#include "user/trace/texts.h"
#include "user/trace/threads.h"
#include "user/trace/method_names.h"
#include "user/trace/outermost.h"
#include "user/view/call_samples.h"

#define STORY_PARTS  16 /* of each kind */
#define STORY_FRAMES 40
#define STORY_HELD   6 /* the holder is looked for in that many of the longest waits */

enum story_kind { STORY_CALL, STORY_WAIT, STORY_RUN_QUEUE, STORY_TASK, STORY_KINDS };

/*
 * The meaning of `what` depends on the kind: number of a method; of a reason in `text`; nothing; of the class of a task in
 * `text`, whose span is from its submit to the end of its run.
 */
struct story_part {
	struct span span;
	uint32_t what, waker, stack, kernel_stack; /* number of a thread, of stacks; 0: unknown */
	uint32_t holder, held_in; /* number of the thread that held the lock, of a method; 0: unknown, or no lock */
	uint32_t woken_in;	  /* of the method in which the waker ended the wait; 0: unknown */
	uint32_t resource;	  /* what a wait was for, in `text`; 0: unknown */
	struct held_answer
		call;	/* what the waker had done, if that was no lock; method 0, or the longest call in a task */
	int64_t queued; /* of a task, ns in the queue */
	uint32_t thread, run; /* of a task: the name of the thread that ran it, in `text`; its place in the runs */
	bool thrown;
};

struct story {
	struct outermost_call place; /* `thread` is the number in struct threads */
	bool found;
	uint32_t method, caller;       /* numbers; 0: unknown */
	int64_t line;		       /* in the caller; -1: unknown */
	int64_t values;		       /* of an event of -e: number of "NAME: field = value, ..." in `text`; -1: none */
	bool thrown, known;	       /* known: the next three; ns */
	int64_t cpu, run_queue, pause; /* pause: INT64_MIN if unknown */
	int64_t system_calls, system_call_time, faults; /* INT64_MIN if unknown */
	struct story_parts {
		struct story_part part[STORY_PARTS]; /* longest first */
		unsigned int count;
		uint64_t all;  /* also those that are not kept */
		int64_t total; /* ns of all */
	} kind[STORY_KINDS];
	struct call_samples samples; /* of its thread */
};

struct stories {
	struct story *story; /* longest first */
	size_t count;
	struct story **by_place; /* by thread and start */
	int64_t *reach;		 /* the latest end of a story up to here, in the order of by_place */
	struct texts text;	 /* reasons and frames */
	struct stories_stack {
		uint32_t *frame; /* numbers of texts, the top first */
		unsigned int count;
	} *stack; /* by number - 1 */
	size_t stacks, stack_capacity;
	struct chunk_map stack_keys; /* -> number */
	struct story_longest {
		uint32_t method; /* 0: no call */
		int64_t duration;
	} *longest; /* of each run of a task, the longest call in it */
	/* borrowed */
	struct threads *threads;
	struct method_names *names;
	struct holders *holders; /* get the same calls */
	const struct task_runs *runs;
};

/* `wanted`: their place.thread is the number in `threads`. Out of memory ends the process. */
void stories_init(struct stories *s, const struct outermost_call *wanted, size_t count);
void stories_release(struct stories *s);

/* Add the tasks, all of which are settled, after the borrowed are set. */
void stories_add_tasks(struct stories *s);

/* Read the calls and waits, after holders_settle(); then find who held the locks. */
extern const struct trace_ops stories_ops;
void stories_end(struct stories *s);

#endif
