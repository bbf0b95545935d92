/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording with known contents: its calls and how they nest, their waits, the call that each wait belongs to, and the
 * holder of each lock. It has the same cases in each of several rounds. For CMocka programs.
 */
#ifndef TESTS_LIB_PLANTED_H
#define TESTS_LIB_PLANTED_H

#include "format/bytes.h"
#include "tests/lib/claims.h"

#include <stdbool.h>

#define PLANTED_ROUNDS 8 /* diff compares medians from 6 calls on */
#define PLANTED_START  1700000000000000000ll

/*
 * The rules. A call is in another one of its thread if it begins in it and ends at most this much after it: the ends of
 * both are rounded. Of calls that begin together the longer one is around the other, of equal ones the later one in the
 * file. A wait is in the calls that its middle lies in. Who held a lock: see user/trace/holders.h.
 */
#define PLANTED_TOLERANCE 2 /* ns */

struct planted_call {
	const char *method; /* "Cart.pay" stands for shop.Cart.pay() */
	const char *thread;
	int64_t start, duration; /* ns; from the start of the round */
	int64_t blocked;	 /* PLANTED_UNKNOWN: where the time went is not known */
	int in;			 /* distance in rows to the call around it, which stands below; < 0: above; 0: none */
	bool thrown;
	bool later; /* in the chunk after its waits */
};
#define PLANTED_UNKNOWN (-1)

enum planted_stack { NO_STACK, MONITOR, LOCK, CONDITION, FUTURE };

struct planted_wait {
	const char *reason, *thread;
	int64_t start, duration;
	const char *in; /* the innermost call that it is in; NULL: none */
	enum planted_stack stack;
	const char *waker, *woken_in; /* thread, and the method on its stack; NULL: none */
	const char *holder, *held_in; /* of the lock */
	const char *call;	      /* if it was no lock, what the waker had done: "after Cart.pay"; NULL: unknown */
};

#define PLANTED_RESOURCE "10.0.0.7:5432" /* what waits without a stack are for; for the others it is unknown */

extern const struct planted_call planted_calls[];
extern const struct planted_wait planted_waits[];
extern const size_t planted_call_count, planted_wait_count;

/* The recording. */
struct bytes planted_recording(void);

/* When a round begins, ns from the start of the recording. */
int64_t planted_base(int round);

/* The call around one; NULL: none. */
const struct planted_call *planted_around(const struct planted_call *c);

/* The innermost call that a wait is in; NULL: none. */
const struct planted_call *planted_call_of(const struct planted_wait *w);

/* The outermost call around one. */
const struct planted_call *planted_root(const struct planted_call *c);

/* Where the time of a call went, in ns; each PLANTED_UNKNOWN if that is unknown. */
int64_t planted_cpu(const struct planted_call *c);
int64_t planted_run_queue(const struct planted_call *c);

/* Truths about all rounds: which call is in which; the sums of methods; those of waits in all calls around them. */
void planted_nesting(struct claims *f);
void planted_sums(struct sums *s);
void planted_reason_sums(struct sums *s, bool (*counts)(const struct planted_call *c));

/* Say that a call is in another one, or in none; NULL. */
void claim_nesting(struct claims *f, const char *around, const char *method);

/* Add one or more calls to the sums of their method. A time that is unknown is negative. */
void sum_calls(struct sums *s, const char *method, int64_t calls, int64_t thrown, int64_t time);
void sum_parts(struct sums *s, const char *method, int64_t cpu, int64_t run_queue, int64_t blocked);
void sum_wait(struct sums *s, const char *reason, const char *method, int64_t time);

/* "Cart.pay" from "shop.Cart.pay(int):17"; others as they are. Valid until the fourth next call. */
const char *planted_name(const char *text);

#endif
