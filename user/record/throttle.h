/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The throttle (--max-overhead). A method is throttled when recording its calls takes, over one second, more than the
 * given share of a CPU per thread that calls it. If the sum over all methods exceeds the limit, the busiest methods
 * are throttled until it does not. For the rest of the recording a throttled method's calls are counted and timed but
 * not recorded. The agent reads a method's rule once per call, at its end, so each call is either recorded or
 * counted.
 *
 * A throttled method that is as short as its hooks are dear loses them (--auto-unhook), unless -M wants its counts: its
 * calls are recorded, then counted, then left alone.
 *
 * Calls that are not recorded because of their threshold, or because they are only timed, are left alone: they cost
 * only their hooks, and throttling could not save anything. Those that are recorded and dropped with their root (--inside)
 * count like any others.
 */
#ifndef USER_RECORD_THROTTLE_H
#define USER_RECORD_THROTTLE_H

#include "format/diag.h"
#include "user/capture/clock.h"
#include "user/capture/call_rates.h"
#include "user/segment/segment.h"

/* The cost of recording a method's calls. */
struct throttle_load {
	uint32_t method;
	unsigned int threads; /* that call it; 0 counts as 1 */
	double calls;	      /* per second */
	double cpus;	      /* CPU seconds per second */
	bool drop;	      /* result: this method exceeds the limit */
};

struct throttle_limit {
	double share; /* of a CPU per thread; threads beyond `cpus` do not count */
	double cpus;
	unsigned int threads; /* that call any of the methods */
};

/* Mark the methods to throttle and sort them to the front, busiest first. Returns their number. */
size_t throttle_choose(struct throttle_load *load, size_t n, const struct throttle_limit *limit);

struct throttle;

struct throttle_setup {
	const struct segment *segment;
	const struct clock *clock;
	double share;	    /* --max-overhead */
	double cpus;	    /* CPUs available to the target */
	uint64_t unhook_ns; /* --auto-unhook: methods whose calls take less, on average; 0: none */
};

/* Returns 0, or -errno with *out set to NULL. */
int throttle_new(struct throttle **out, const struct throttle_setup *setup, struct diag *d);
void throttle_free(struct throttle *t);

/* The counters that the recorder increments. */
struct call_rates *throttle_rates(struct throttle *t);

/* A throttled method whose hooks are to go. */
struct throttle_unhooked {
	uint32_t method;
	uint64_t calls;	      /* so far */
	double mean_ns, cpus; /* over the last second: of a call; of the hooks */
};

/* Result of a check. */
struct throttle_finding {
	const struct throttle_load *load; /* methods throttled by this check; valid until the next one */
	size_t methods;
	double all_cpus; /* of recording calls of all methods, which may be the reason; CPU seconds per second */
	/* Load by the hooks alone of calls that are not recorded, when it exceeds the limit; reported once, else 0. */
	double hook_calls, hook_cpus;
	/* Methods that are to lose their hooks, with the load of these. Their rules say so; the agent must be told. */
	const struct throttle_unhooked *unhook;
	size_t unhooks;
};

/*
 * Call a few times a second; `now` is in ns. True: `out` contains something to report. The rules of the methods in it
 * have been changed already.
 */
bool throttle_check(struct throttle *t, int64_t now, struct throttle_finding *out);

/* Number of throttled methods so far, and the i-th. */
size_t throttle_methods(const struct throttle *t);
uint32_t throttle_method(const struct throttle *t, size_t i);

/* Number of methods that lost their hooks. */
size_t throttle_unhooked(const struct throttle *t);

#endif
