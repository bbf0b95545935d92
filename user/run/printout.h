/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the reports of a recording on stderr: at its start, while it runs, and at its end. It does not change the
 * recording.
 */
#ifndef USER_RUN_PRINTOUT_H
#define USER_RUN_PRINTOUT_H

#include "user/jvm/active.h"
#include "user/run/notes.h"
#include "user/record/throttle.h"
#include "user/capture/clock.h"
#include "user/record/recorder.h"
#include "user/capture/session.h"

#include <stdio.h>

struct report {
	const struct settings *settings;
	const struct target *target;
	const struct session *session;
	const struct recorder *recorder;
	struct clock *clock;
	const struct output *output;
	const struct throttle *throttle; /* NULL: no throttling */
	const char *not_walked;		 /* why stacks are not walked; NULL or "": they are, or are not wanted */
	const char *no_open_dump;	 /* why open calls have no stacks; NULL: they have */
	bool awaited;			 /* the JVM has run while classes of -e were awaited */
	uint64_t cpu_before;		 /* the JVM's CPU time when tracing began, ns */
	int64_t begin_ns;		 /* CLOCK_MONOTONIC when tracing began */
};

/* "tracing N methods ...": the hooked methods and the notes of the start. */
void report_start(const struct report *r, const struct notes *notes);

/* Print, before the start, the traced methods that are on a stack. `skipped`: their classes are not hooked. */
void report_active(const struct active_list *active, bool skipped);

/* Print a line per note; with -v also its details. */
void report_notes(const struct notes *n);

/* Update the progress line. Prints nothing if stderr is no terminal. */
void report_progress(const struct report *r);

/* One line of status for `frtrace status`, as text or as a JSON object. */
void report_status(const struct report *r, char *out, size_t size);
void report_status_json(const struct report *r, FILE *to);

/* With -v: print why nothing has been recorded so far; prints nothing if something has. */
void report_no_events(const struct report *r);

/* Print "1,204 calls, ..." and the notes in `gaps`. `restored`: the JVM runs its original code again. */
void report_end(const struct report *r, const struct notes *gaps, bool restored, bool target_ended);

#endif
