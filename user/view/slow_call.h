/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breaks down the time of one slow call, printed as lines:
 *
 *     [12.0ms = 0.4 cpu + 0.1 runq + 11.5 blocked (futex 11.4, read 0.1)] demo.Cart.checkout()  <- demo.Shop.serve():17
 *         20:08:35.749  "main"
 *         10.2ms at the end of the chain: "pool-1-thread-1", socket 10.0.0.7:5432 in demo.Rates.fetch()
 *             sun.nio.ch.SocketDispatcher.read0(FileDescriptor, long, int)
 *             ...
 *             demo.Rates.fetch():77
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

/*
 * Append the lines. Those of more than `columns` columns are broken, and names are shortened as by name_fit(). `whole`: the
 * stacks of waits have all their frames, with the kernel's entry.
 */
void slow_call_put(struct bytes *out, struct slow_call *s, const struct holders *holders, const struct texts *texts,
		   int64_t utc_offset, unsigned int columns, bool whole);

#endif
