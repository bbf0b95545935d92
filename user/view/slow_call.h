/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breaks down the time of one slow call, printed as lines:
 *
 *     [12.0ms = 0.4 cpu + 0.1 runq + 11.5 blocked (futex 11.4, read 0.1)] demo.Cart.checkout()  <- demo.Shop.serve():17
 *         20:08:35.749  "main"
 *         10.2ms at the end of the chain: "pool-1-thread-1", socket 10.0.0.7:5432 in demo.Rates.fetch()
 *         > 11.6ms demo.Cart.pay(int)
 *           > 11.5ms demo.Bank.lock()
 *         11.4ms futex, woken by "worker-2"
 *         held by "worker-2": demo.Bank.settle() 15.0 ms
 *             java.lang.Object.wait(long):366
 *             ...
 *
 * Lines with '>' are the longest traced calls inside it. Behind them stand the longest tasks that it handed to threads:
 *
 *         handed over: 210 ms on "pool-1-thread-2" after 41.0 ms in the queue, demo.PriceTask
 *
 * Samples say what its own thread did on the CPU: call_samples_put().
 */
#ifndef USER_VIEW_SLOW_CALL_H
#define USER_VIEW_SLOW_CALL_H

#include "user/trace/call.h"
#include "user/trace/holders.h"
#include "user/trace/outermost.h"
#include "user/trace/task_runs.h"
#include "user/trace/wait.h"
#include "user/view/call_samples.h"
#include "user/view/path_part.h"

#define SLOW_REASONS 8
#define SLOW_WAITS   3
#define SLOW_INSIDE  8
#define SLOW_TASKS   4

struct slow_call {
	struct outermost_call place;
	struct call call; /* holds a reference to its chunk; chunk NULL: not found yet */
	struct {
		char *name; /* NULL: end of the list */
		int64_t total;
	} reason[SLOW_REASONS];
	/* Longest first, each with a reference to its chunk. chunk NULL: end of the list. */
	struct slow_call_wait {
		struct thread_wait wait;
		uint32_t number; /* of holders_add() */
	} wait[SLOW_WAITS];
	struct call inside[SLOW_INSIDE];	 /* likewise */
	uint64_t insides;			 /* number of all calls inside */
	const struct task_run *task[SLOW_TASKS]; /* longest first, with the time in the queue; NULL: end of the list */
	uint64_t tasks;				 /* number of all */
	struct call_samples samples;
	struct chain_end chain; /* of --path */
};

void slow_call_init(struct slow_call *s, const struct outermost_call *place);
void slow_call_release(struct slow_call *s);

/* Set the call, or add one that is inside it. `thread`: its thread_number(). Takes a reference to the call's chunk. */
void slow_call_take(struct slow_call *s, const struct call *call, uint64_t thread);

/* Add a task if it was handed over by the call's thread during the call. The run must stay. */
void slow_call_add_task(struct slow_call *s, const struct task_run *run);

/*
 * Add a wait if it belongs to the call. `thread`: thread_number() of the waiting thread; `number`: that of
 * holders_add().
 */
void slow_call_add(struct slow_call *s, const struct thread_wait *wait, uint64_t thread, uint32_t number);

/* Add a sample of a thread if it belongs to the call. `method`: what ran, as for call_samples_add(). */
void slow_call_add_sample(struct slow_call *s, uint64_t thread, int64_t moment, uint32_t method);

/* Add a part of a critical path, if it is the call's. `thread`: thread_number() of the thread of the part's call. */
void slow_call_add_part(struct slow_call *s, const struct path_part *part, uint64_t thread, struct texts *texts);

/*
 * Append the lines. Those of more than `columns` columns are broken, and names are shortened as by name_fit(). `whole`: the
 * stacks of waits have all their frames, with the kernel's entry.
 */
void slow_call_put(struct bytes *out, struct slow_call *s, const struct holders *holders, const struct texts *texts,
		   int64_t utc_offset, unsigned int columns, bool whole);

#endif
