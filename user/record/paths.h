/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The critical paths of recorded calls, as events frtrace.PathSegment (--path). A path is computed some time after its call
 * has been recorded, when the waits of the other threads up to its end have arrived, too.
 */
#ifndef USER_RECORD_PATHS_H
#define USER_RECORD_PATHS_H

#include "user/record/resources.h"
#include "user/record/thread_keys.h"
#include "user/record/wait_join.h"
#include "user/stacks/method_keys.h"

struct paths;

struct paths_setup {
	struct jfr_writer *writer;
	struct thread_keys *threads;
	struct method_keys *methods;
	struct frames *frames; /* of the waits' stacks; NULL: they have none */
	const struct wait_join *join;
	const struct resources *resources;
	const struct segment *segment; /* where open calls are */
	bool roots;		       /* --inside: only roots have paths */
	bool named_ends;	       /* and --until names the calls that end them */
	struct clock *clock;
	int64_t ticks_offset; /* the target's CLOCK_MONOTONIC minus ours, ns */
};

/* The pointers in *setup are borrowed. NULL: no memory. */
struct paths *paths_new(const struct paths_setup *setup);
void paths_free(struct paths *p);

/*
 * A thread, which others know as a waker, and whose waits are those of o->thread in struct wait_join: if it has a slot, or
 * is new, all from o->at on, else from its first one on.
 */
void paths_note_thread(struct paths *p, const struct frt_slot_owner *o);

struct path_call {
	const struct stream_vthread *vthread; /* NULL: of a platform thread */
	uint32_t thread, key;		      /* serial; of its waits, FRT_NO_THREAD: they are unknown */
	uint32_t method;
	bool root;	    /* it is that of a root (--inside), and not in one */
	int64_t start, end; /* CLOCK_MONOTONIC, ns */
	int64_t tasks_end;  /* --until: when a root was over, if that is after `end`; else 0 */
};

/* A call that has been recorded. Those of a thread come in the order of their ends. */
void paths_add(struct paths *p, const struct path_call *call);

/* A task that a thread has run. */
struct path_task {
	const struct stream_vthread *vthread; /* NULL: it ran in a platform thread */
	uint32_t thread, class_name;	      /* serial; as in struct frt_task */
	int64_t begin, end;
};

void paths_add_task(struct paths *p, const struct path_task *task);

/*
 * Call at each tick, with an open chunk: writes the paths of the calls that have been there at the last one already, because
 * the queue has been read since. `all`: all of them.
 */
void paths_tick(struct paths *p, bool all);

/* Are there calls whose paths are to be written at one of the next ticks? All waits until now must have been added by then. */
bool paths_are_due(const struct paths *p);

/* Number of calls without a path, because there were too many between two ticks. */
uint64_t paths_left_out(const struct paths *p);

#endif
