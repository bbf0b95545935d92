/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says on stderr: at its start, while it runs, at its end. */
#ifndef USER_LIVE_REPORT_H
#define USER_LIVE_REPORT_H

#include "user/record/throttle.h"
#include "user/capture/clock.h"
#include "user/record/recorder.h"
#include "user/capture/session.h"

struct report {
	const struct settings *settings;
	const struct target *target;
	const struct session *session;
	struct recorder *recorder;
	struct clock *clock;
	const struct output *output;
	const struct throttle *brake; /* NULL: none */
	const char *not_walked;	      /* why stacks are not; NULL or "": they are, or nobody wants them */
	const char *no_open_dump;     /* why open calls have no stacks; NULL: they have */
	uint64_t cpu_before;	      /* the JVM's CPU time when tracing began, ns */
	int64_t begin_ns;	      /* CLOCK_MONOTONIC when tracing began */
};

/* "tracing N methods ...": what was hooked, what was not and why. Remarks go into the file too. True: something could not be traced. */
bool report_start(const struct report *r);

/* The live line; overwrites itself, nothing when stderr is no terminal. */
void report_progress(const struct report *r);

/* One line of where the recording is. */
void report_status(const struct report *r, char *out, size_t size);

/* With -v: why nothing has been recorded so far, if so it is. */
void report_silence(const struct report *r);

/* What the brake has done, into the file too; what was braked is timed there from here on. */
void report_brake(const struct report *r, const struct throttle_finding *found);

/*
 * What is to be said of stacks, and of waits that were lost, goes into the file; report_end() says the same. When all stacks have been
 * read, before the file is finished. True: stacks were lost.
 */
bool report_stacks(const struct report *r);

/* "1,204 calls, ...". `restored`: the JVM runs its original code again. */
void report_end(const struct report *r, bool restored, bool target_ended);

/* Spans that should be in the file and are not. */
uint64_t report_lost(const struct report *r);

/* How many methods have hooks now. */
uint32_t report_hooked(const struct segment *seg, uint32_t *classes);

#endif
