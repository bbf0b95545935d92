/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The brake (--max-overhead). A method is braked when recording its calls takes, over a second, more than a share of a
 * CPU for each thread that calls it; when the sum over all methods is more
 * than that, the busiest are, until it is not. From then on its calls are
 * counted and timed, none is recorded any more, as long as the recording lasts. The agent reads a
 * method's rule once for each call, at its end: so each call is either recorded or counted.
 *
 * Calls that are not recorded, for their threshold or because they are only timed, are left alone: they
 * cost their hooks, and the brake has nothing to take from them.
 */
#ifndef USER_RECORD_THROTTLE_H
#define USER_RECORD_THROTTLE_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/capture/call_rates.h"
#include "user/capture/segment.h"

/* What recording the calls of a method takes. */
struct throttle_load {
	uint32_t method;
	unsigned int threads; /* that call it, 0 counts as 1 */
	double calls;	      /* a second */
	double cpus;	      /* seconds of CPU a second */
	bool drop;	      /* out: it is too much */
};

struct throttle_limit {
	double share; /* of a CPU for each thread; `cpus` for all of them at most */
	double cpus;
	unsigned int threads; /* that call any of the methods */
};

/* Mark those that must drop. Sorts them to the front, the busiest first, and returns how many there are. */
size_t throttle_choose(struct throttle_load *load, size_t n, const struct throttle_limit *limit);

struct throttle;

struct throttle_setup {
	const struct segment *segment;
	const struct clock *clock;
	double share; /* --max-overhead */
	double cpus;  /* that the target may use */
};

/* 0 or -errno; then *out is NULL. */
int throttle_new(struct throttle **out, const struct throttle_setup *setup, struct diag *d);
void throttle_free(struct throttle *b);

/* Into which the recorder counts. */
struct call_rates *throttle_rates(struct throttle *b);

/* What a look has found. */
struct throttle_finding {
	const struct throttle_load *load; /* methods that were braked now; good until the next look */
	size_t methods;
	/* Where the hooks of calls that are not recorded take too much by themselves, which is found once; else 0. */
	double hook_calls, hook_cpus;
};

/*
 * To be called some times a second; `now` is in ns. True: there is something to be said. The rules of the
 * methods in it are changed already.
 */
bool throttle_check(struct throttle *b, int64_t now, struct throttle_finding *out);

/* How many methods have been braked, and the i-th. */
size_t throttle_methods(const struct throttle *b);
uint32_t throttle_method(const struct throttle *b, size_t i);

#endif
