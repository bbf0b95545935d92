/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who held the locks that slow calls waited for, by the rule of user/trace/held_time.h, and who ended their waits for what
 * is no lock: a queue, a future, a park.
 */
#ifndef USER_REPORT_HOLDERS_H
#define USER_REPORT_HOLDERS_H

#include "user/trace/held_time.h"
#include "user/trace/thread_waits.h"
#include "user/report/wait_kinds.h"

struct holders {
	struct held {
		uint32_t method; /* that waited, for the caller */
		uint32_t waker;	 /* number of the thread */
		bool lock;	 /* else a wait for something else */
		int64_t start, duration;
		struct held_time time;
		uint32_t name; /* of the method that the thread was in; 0: unknown */
	} *held;
	size_t count, capacity;
	uint64_t seen, stride; /* one of `stride` waits is kept */
};

void holders_release(struct holders *h);

/* A slow call of `method` waited. 0 or -ENOMEM. */
int holders_add(struct holders *h, uint32_t method, const struct joined_wait *w, bool lock);

/* Call it after the last wait and before the first call. */
void holders_settle(struct holders *h, const struct thread_waits *waits, const struct wait_kinds *kinds);

/* A call of a thread; `name` is the number of its method. */
void holders_on_call(struct holders *h, uint32_t thread, uint32_t name, int64_t start, int64_t duration);

/* What is known of a wait for a lock, by its start and duration; NULL: it was none of a slow call. */
const struct held *holders_of_wait(const struct holders *h, int64_t start, int64_t duration);

/* The method that the holder of a lock, or the thread that ended another wait, was in; 0: unknown. */
uint32_t held_name(const struct held *held);

/* Who ended the waits of calls of `method`, and so held the locks if that is what they waited for. */
struct holder {
	int64_t total;	 /* ns of these waits */
	uint32_t name;	 /* the method that ended most of that; 0: unknown */
	uint32_t thread; /* its thread, or one of them; 0: unknown */
	int64_t ended;	 /* ns of those that it ended */
	int64_t within;	 /* ns of these in which it was open; all of it if it is unknown */
	bool lock;
	bool threads; /* several threads */
};

/* Of the waits for locks, or of the others: of those that took longer. Call it after the last call. */
void holders_find(const struct holders *h, uint32_t method, struct holder *out);

#endif
