/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at processes that may never return. Whoever holds the lock of his memory map, or maps a file of a file system that
 * does not answer, holds all who read his mappings, his command line or his memory; not even SIGKILL ends that. So children
 * look. One does all the work as long as it answers. One that does not is put aside while another one goes on, and is left
 * behind if it shows no sign of life: it sleeps, and does not even wake up.
 */
#ifndef USER_PROCESS_APART_H
#define USER_PROCESS_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define APART_MOST	 64
#define APART_HANG_MS	 500  /* without a sign of life */
#define APART_STARVED_MS 5000 /* the same while the process waits for a CPU */

/* Looks of one kind, which may be on their way at the same time. */
struct apart {
	void (*look)(pid_t pid, void *result); /* in a child without descriptors, its standard streams included */
	size_t size;			       /* of a result, which is zeroed for `look`; 1 to 64 KB */
	/*
	 * Called once for each look, in any order. err 0: *result is as `look` left it. Otherwise there is none: -ETIMEDOUT: it
	 * hangs; -EIO: the child has crashed; -EBUSY: APART_MOST children hang; other -errno: no memory, or no process.
	 */
	void (*done)(pid_t pid, int err, const void *result, void *context);
	void *context;
	unsigned int pending; /* 0 at first */
};

/* Is one of these looks at that process on its way? */
bool apart_is_at(const struct apart *a, pid_t pid);

/* Look at a process. Returns when that is done, or hangs for some milliseconds; apart_collect() has the rest. */
void apart_begin(struct apart *a, pid_t pid);

/* Take the results that have come meanwhile, and give up the looks that hang. */
void apart_collect(struct apart *a);

/* Wait until none is pending. -EINTR: interrupted() (interrupt.h); what is pending is given up then, without a call of done(). */
int apart_finish(struct apart *a);

/* A single look. Returns 0, with *result, or -errno as above, -EINTR too. */
int apart_look(void (*look)(pid_t pid, void *result), pid_t pid, void *result, size_t size);

/*
 * Call it before this process gives up rights that its children keep. Those that have nothing to do are ended. With a `look`,
 * new ones wait for the looks of later, when none can be started any more (syscall_filter.h), and do no other look, whatever
 * they are asked for. One that hangs looks again once it has come back; -EBUSY: none has.
 */
void apart_settle(void (*look)(pid_t pid, void *result), size_t size);

#endif
