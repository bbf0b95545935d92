/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording prints on stderr: at its start, while it runs, at its end. It changes nothing of the recording. */
#ifndef USER_LIVE_REPORT_H
#define USER_LIVE_REPORT_H

#include "user/jvm/active.h"
#include "user/live/notes.h"
#include "user/record/throttle.h"
#include "user/capture/clock.h"
#include "user/record/recorder.h"
#include "user/capture/session.h"

struct report {
	const struct settings *settings;
	const struct target *target;
	const struct session *session;
	const struct recorder *recorder;
	struct clock *clock;
	const struct output *output;
	const struct throttle *brake; /* NULL: none */
	const char *not_walked;	      /* why stacks are not; NULL or "": they are, or nobody wants them */
	const char *no_open_dump;     /* why open calls have no stacks; NULL: they have */
	uint64_t cpu_before;	      /* the JVM's CPU time when tracing began, ns */
	int64_t begin_ns;	      /* CLOCK_MONOTONIC when tracing began */
};

/* "tracing N methods ...": what was hooked, and the notes of the start. */
void report_start(const struct report *r, const struct notes *notes);

/* Before the start: methods that are on a stack. `skipped`: their classes are left alone. */
void report_active(const struct active_list *active, bool skipped);

/* A line for each; with -v their details, too. */
void report_notes(const struct notes *n);

/* The live line; overwrites itself, nothing when stderr is no terminal. */
void report_progress(const struct report *r);

/* One line of where the recording is. */
void report_status(const struct report *r, char *out, size_t size);

/* With -v: why nothing has been recorded so far, if so it is. */
void report_silence(const struct report *r);

/* "1,204 calls, ...", with the notes of gaps. `restored`: the JVM runs its original code again. */
void report_end(const struct report *r, const struct notes *gaps, bool restored, bool target_ended);

#endif
