/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traced native methods: the agent enters those that filters name; here their C functions are found and get uprobes. Their
 * calls arrive in the queue and become spans like those of other calls. The programs are loaded with the first one, or
 * when one is expected.
 */
#ifndef USER_CAPTURE_NATIVES_H
#define USER_CAPTURE_NATIVES_H

#include "user/capture/clock.h"
#include "user/stacks/copied_stacks.h"
#include "user/segment/segment.h"
#include "user/process/dump.h"
#include "user/capture/stream_sink.h"
#include "user/options/settings.h"

struct frtrace_bpf;
struct natives;
struct roots;

struct natives_setup {
	const struct settings *settings;
	const struct target *target;
	struct segment *segment; /* gets rows of threads and sums */
	struct clock *clock;
	struct frtrace_bpf *bpf;	    /* loaded */
	const struct frt_layout *layout;    /* of the stacks that are taken; .jdk_version 0: none are */
	struct copied_stacks *stacks;	    /* takes those of calls; NULL: there are none */
	const struct java_threads *threads; /* that were there before the recording */
	struct stream_sink sink;	    /* receives the spans */
};

/* What the pointers in *setup point to is borrowed. NULL: no memory. */
struct natives *natives_new(const struct natives_setup *setup);
void natives_free(struct natives *n); /* removes the probes */

/* --inside: only calls in roots are recorded, and go there. NULL: all are. Before the first natives_tick(). */
void natives_keep_in(struct natives *n, struct roots *roots);

/*
 * Load the programs if a class that a filter names is not loaded yet, and may have native methods: later this process
 * has given up the right to. Call after the first natives_tick().
 */
void natives_expect(struct natives *n);

/*
 * True if functions that are found later will be probed by perf events, which takes CAP_SYS_ADMIN or CAP_PERFMON. `n` may
 * be NULL. Call after natives_expect().
 */
bool natives_may_probe(const struct natives *n);

/*
 * Trace what the agent has entered since, and look again for functions that were not there. Rules may have changed, and
 * sums are read. Call at each sweep.
 */
void natives_tick(struct natives *n);

/* Remove the probes: no calls follow, and no natives_tick(), which might put new ones. */
void natives_stop(struct natives *n);

/* Read the sums a last time, when the queue has been consumed. */
void natives_finish(struct natives *n);

/* Have the kernel emit records of the calls that are open. They replace those of the last time. */
void natives_dump(struct natives *n);

/* Records of the queue. False: malformed. */
bool natives_on_thread(struct natives *n, const struct frt_native_thread *r, size_t size);
bool natives_on_call(struct natives *n, const struct frt_native_call *r, size_t size);
bool natives_on_open(struct natives *n, const struct frt_native_open *r, size_t size);

struct natives_counts {
	/* calls that should be recorded: their record did not fit into the queue, or it is unknown whose they are */
	uint64_t lost;
	uint64_t missed;  /* calls whose end was not seen, or in more than 32 others */
	uint64_t unnamed; /* calls of threads that the queue had no room to tell of */
	uint64_t strange; /* calls of another method, which shares the function */
};
struct natives_counts natives_counts(const struct natives *n);

/* What keeps the i-th native method from being traced; "": nothing. NULL: no more. */
const char *natives_problem(const struct natives *n, size_t i, uint32_t *method);

/* True if some cannot be traced, whatever happens. */
bool natives_fail(const struct natives *n);

#endif
