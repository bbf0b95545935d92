/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is printed of a recording on stderr: at its start, while it runs, and at its end. It does not change the
 * recording.
 */
#ifndef USER_RUN_PRINTOUT_H
#define USER_RUN_PRINTOUT_H

#include "user/jvm/active.h"
#include "user/run/facts.h"
#include "user/run/notes.h"

#include <stdio.h>

/* "tracing N methods ...": the hooked methods and the notes of the start. */
void printout_start(const struct recording *r, const struct run_facts *f, const struct notes *notes);

/* Print, before the start, the traced methods that are on a stack. `skipped`: their classes are not hooked. */
void printout_active(const struct active_list *active, bool skipped);

/* Print a line per note; with -v also its details. */
void printout_notes(const struct notes *n);

/* Update the progress line. Prints nothing if stderr is no terminal. */
void printout_progress(const struct recording *r, const struct run_facts *f);

/* One line of status for `frtrace status`, as text or as a JSON object. */
void printout_status(const struct recording *r, const struct run_facts *f, FILE *to);
void printout_status_json(const struct recording *r, const struct run_facts *f, FILE *to);

/* With -v: print why nothing has been recorded so far; prints nothing if something has. */
void printout_no_events(const struct recording *r, const struct run_facts *f);

/* Append what two of these say. */
void put_limits(struct bytes *out, const struct settings *s);				/* "1.0 GB or 10 min" */
void put_file(struct bytes *out, const struct recording *r, const struct run_facts *f); /* "72.4 KB in shop.jfr" */
int64_t printout_open_for(const struct recording *r, const struct run_facts *f); /* age of the oldest open call, ns */

/* Print "1,204 calls, ..." and the notes in `gaps`. `restored`: the JVM runs its original code again. */
void printout_end(const struct recording *r, const struct run_facts *f, const struct notes *gaps, bool restored,
		  bool target_ended);

#endif
