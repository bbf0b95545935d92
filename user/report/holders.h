/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who held the locks that slow calls waited for. The thread that ended a wait released the lock. If it had waited for a
 * lock itself for most of that time, it only passed the lock on, and the one that ended its wait counts instead. What
 * that thread did is the traced call that it was in at that moment, or had just ended: the exit of a synchronized method
 * comes before its lock is free.
 */
#ifndef USER_REPORT_HOLDERS_H
#define USER_REPORT_HOLDERS_H

#include "user/report/thread_waits.h"
#include "user/report/wait_kinds.h"

struct holders {
	struct held {
		uint32_t method; /* that waited, for the caller */
		uint32_t waker;	 /* number of the thread */
		int64_t start, end, duration;
		uint32_t name; /* of the method that held it; 0: unknown */
		int64_t distance;
	} *held;
	size_t count, capacity;
	uint64_t seen, stride; /* one of `stride` waits is kept */
};

void holders_release(struct holders *h);

/* A slow call of `method` waited. 0 or -ENOMEM. */
int holders_add(struct holders *h, uint32_t method, const struct joined_wait *w);

/* Call it after the last wait and before the first call. */
void holders_settle(struct holders *h, const struct thread_waits *waits, const struct wait_kinds *kinds);

/* A call of a thread; `name` is the number of its method. */
void holders_on_call(struct holders *h, uint32_t thread, uint32_t name, int64_t start, int64_t duration);

/* What is known of a wait, by its start and duration; NULL: it was none of a slow call, or for no lock. */
const struct held *holders_of_wait(const struct holders *h, int64_t start, int64_t duration);

/* Who held the locks for which calls of `method` waited. */
struct holder {
	int64_t total;	 /* ns of these waits */
	uint32_t name;	 /* the method that held them for most of that; 0: unknown */
	uint32_t thread; /* its thread, or one of them; 0: unknown */
	int64_t held;	 /* ns for which it did */
	bool threads;	 /* several threads */
};

/* Call it after the last call. */
void holders_find(const struct holders *h, uint32_t method, struct holder *out);

#endif
