/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes that a reader of the recording needs. Each becomes a remark in the file (notes_put()) and a line on the
 * terminal (printout_notes()); both have the same text, except that the terminal abbreviates long lists of names.
 */
#ifndef USER_RUN_NOTES_H
#define USER_RUN_NOTES_H

#include "user/run/facts.h"

struct note {
	const char *kind; /* kind of the remark: "not traced", ... */
	char *remark;	  /* for the file; this and the others are NULL if memory ran out */
	char *line;	  /* for the terminal */
	char *details;	  /* lines for -v, printed before `line`, each with its newline; NULL: none */
};

struct notes {
	struct note *note;
	size_t count, capacity;
};

void notes_release(struct notes *n); /* a zeroed one is fine */

/*
 * Notes for the start: methods not hooked and why, lower bounds, missing data. True: something that the user asked for is
 * not traced.
 */
bool notes_at_start(struct notes *n, const struct recording *r, const struct run_facts *f);

/* Notes about what the throttle found, `after_ns` after the start of the recording. */
void notes_of_throttle(struct notes *n, const struct recording *r, const struct throttle_finding *found,
		       int64_t after_ns);

/*
 * Notes about methods not hooked: those from row `first` of the table on. True: something that the user asked for is not
 * traced.
 */
bool notes_of_skips(struct notes *n, const struct segment *seg, const struct metaspace *metaspace, uint32_t first);

/* Notes about stacks and waits that are missing, cut or unknown. Call after all stacks have been read. */
void notes_of_gaps(struct notes *n, const struct recording *r, const struct run_facts *f);

/* Write the notes to the file as remarks. */
void notes_put(const struct notes *n, struct recorder *to);

#endif
