/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the longest calls that lie in no other call of their thread: a request, not also what the request called.
 *
 * Calls come in the order of their ends, so whether one is the outermost is known only at the end of the recording. But
 * a call is at least as long as those inside it, also without the waits that frtrace caused: among the longest calls of a
 * recording, whatever their number, one that lies in no other of them lies in none at all.
 *
 * A call in a task is a part of the call that handed the task over, if that one is among those that are found.
 */
#ifndef USER_TRACE_OUTERMOST_H
#define USER_TRACE_OUTERMOST_H

#include "user/trace/own_waits.h"
#include "user/trace/task_runs.h"
#include "user/trace/trace.h"

#define OUTERMOST_MOST (1u << 20) /* calls that are looked at, and can be found */

struct outermost_call {
	struct span span;
	uint64_t thread; /* thread_number() */
	int64_t charged; /* the duration without waits that frtrace caused; of a request, until it was over */
};

struct outermost {
	struct outermost_call *call; /* those that are charged most first; from outermost_settle() on */
	size_t count;
	/* private: a heap with the shortest one on top */
	size_t wanted, limit, capacity;
	bool dropped; /* some passed and are not in the heap */
	struct task_runs *runs;
	bool has_runs; /* all of them */
	struct own_waits own;
};

/*
 * Find at most `wanted` of the calls that pass the filter; the longest are those that are charged most. Reads the file
 * once or, if few of the longest calls are outermost ones, several times. `runs`, which are empty at first and have to stay,
 * get all runs of tasks, and are settled. Read errors are in file->fault.
 */
void outermost_find(struct outermost *o, struct task_runs *runs, struct jfr_file *file, struct call_filter *filter,
		    size_t wanted);

/*
 * The same as a part of a pass with other readers: outermost_init(), the ops in the pass, outermost_settle(). If that is
 * false, another pass has to follow.
 */
void outermost_init(struct outermost *o, struct task_runs *runs, size_t wanted);
extern const struct trace_ops outermost_ops;
bool outermost_settle(struct outermost *o);
void outermost_release(struct outermost *o); /* also takes a zeroed one */

/* For qsort(): by thread; there a call before those inside it. */
int outermost_compare_places(const void *a, const void *b);

#endif
