/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the thread that held a lock was doing while another one waited for it: its traced call that covers most of the
 * wait, by the rule of user/trace/held_time.h.
 *
 * Use: lock_holders_add() for each wait of the file, lock_holders_want() for those that are shown, lock_holders_read(),
 * lock_holders_put().
 */
#ifndef USER_TRACE_LOCK_HOLDERS_H
#define USER_TRACE_LOCK_HOLDERS_H

#include "user/trace/held_time.h"
#include "user/trace/wait.h"

#include <stddef.h>

struct lock_holders {
	struct lock_wait *wait; /* in the order of the file */
	uint32_t *by_end;	/* indexes, by thread and end */
	size_t count, capacity;
	struct held_lock *held; /* the wanted ones; by holder from lock_holders_read() on */
	size_t wanted, held_capacity;
};

void lock_holders_release(struct lock_holders *h); /* takes a zeroed one, too */

/* Note a wait. Sets *number, 0 if it was not for a contended lock or its waker is unknown. 0 or -ENOMEM. */
int lock_holders_add(struct lock_holders *h, const struct thread_wait *wait, uint32_t *number);

/* This wait will be shown. Of more than some thousand, the last ones have no holder. 0 or -ENOMEM. */
int lock_holders_want(struct lock_holders *h, uint32_t number);

/* Find the calls in the file, which stays where it is. 0 or -ENOMEM; read errors are in file->fault. */
int lock_holders_read(struct lock_holders *h, struct jfr_file *file);

/*
 * Append `held by "main": a.Report.write() 812 ms`, the method shortened to fit into `width` columns from here on.
 * False: no such call is known.
 */
bool lock_holders_put(const struct lock_holders *h, uint32_t number, struct bytes *out, size_t width);

#endif
