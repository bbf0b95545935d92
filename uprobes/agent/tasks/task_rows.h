/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that have been handed over and have not ended, by the hash of their object. Whether an object is the one that is
 * meant, task_class.c knows. No locks.
 *
 * An object may stand in several queues at once. Its runs cannot be told apart then. If all of it was handed over by one
 * call, that makes no difference; otherwise, and if one of it is in no row, its rows are in doubt, and none of them may be
 * taken for a certain run.
 */
#ifndef AGENT_TASK_ROWS_H
#define AGENT_TASK_ROWS_H

#include "uprobes/agent/inside.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/tasks/task_code.h"

enum row_state { ROW_FREE, ROW_HELD, ROW_WAITS, ROW_RUNS };

struct task_row {
	uint64_t state; /* handle << 2 | enum row_state; a handle is the time when it was given, and the row */
	uint64_t submitted, begun;
	uint64_t from;	/* the call that hands it over, or the task: other ones of the same thread have others */
	uint64_t outer; /* the task that the thread was in before this one */
	uint64_t
		alone; /* the handle of the task, once it is known that no other run of its object waits without a row */
	struct task_class_name *name; /* NULL: unknown */
	uint32_t submitter, method, stack,
		hash;  /* submitter: FRT_NO_THREAD: no traced call, or it is not to be recorded */
	uint32_t word; /* in the table by hash */
	uint32_t runner, runner_slot;
	jint place;
	bool doubt;
	bool again;    /* the object may be handed over again before it has begun */
	bool switched; /* the thread is in `root` because of the task, and goes back to `outer_root` */
	struct inside_root root, outer_root; /* --inside */
};

extern struct task_row task_rows[TASK_ROWS];

/* How many wait. */
static inline uint32_t task_rows_waiting(void)
{
	return load_relaxed(&inside_busy);
}

static inline struct task_row *task_row_of(uint64_t handle)
{
	return &task_rows[TASK_ROW(handle)];
}

/* Forget all that is in doubt without a row. */
void task_rows_begin(void);

/*
 * A free row, which is held now; *next says where to try first: at the last one, because a row that was used just now is in
 * the cache. -1: there is none near.
 */
int64_t task_row_hold(uint32_t first, uint32_t *next);
void task_row_release(struct task_row *row);

/* The held row waits from now on; `submitted` and `again` are set. Returns its handle; 0: there are too many with such a hash. */
uint64_t task_row_put(struct task_row *row, uint32_t hash);

/* The held row runs from now on, and has not waited. Returns its handle. */
uint64_t task_row_run(struct task_row *row);

/* True if others with the same hash wait. */
bool task_row_has_twins(const struct task_row *row);

/* The row waits for another run of the same object as `other`: are both in doubt? */
void task_row_doubt(struct task_row *row, uint64_t other);

/* The handle of the oldest waiting task with that hash behind `after`, or 0. */
uint64_t task_row_find(uint32_t hash, uint64_t after);

/* Change the state if it is still the one of that task. From ROW_WAITS: it can be found no more. */
bool task_row_change(uint64_t handle, enum row_state from, enum row_state to);

/* An object with that hash is in a queue, and in no row. It is in doubt for TASK_DOUBT_SECONDS at least. */
void task_hash_doubt(uint32_t hash);

/* True if it is not certain that the run is the one for which the row of that handle, which has been taken, has waited. */
bool task_row_is_in_doubt(uint64_t handle);

#define TASK_DOUBT_SECONDS 600u

/* On the agent's thread, each TASK_DOUBT_SECONDS. */
void task_rows_age(void);

#endif
