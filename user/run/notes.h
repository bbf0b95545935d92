/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes that a reader of the recording needs. Each becomes a remark in the file (notes_put()) and a line on the
 * terminal (report_notes()); both have the same text, except that the terminal abbreviates long lists of names.
 */
#ifndef USER_RUN_NOTES_H
#define USER_RUN_NOTES_H

#include "user/capture/session.h"
#include "user/record/recorder.h"
#include "user/record/throttle.h"

#define NOTES_MAX 64

struct note {
	const char *kind; /* kind of the remark: "not traced", ... */
	char *remark;	  /* for the file; this and the others are NULL if memory ran out */
	char *line;	  /* for the terminal */
	char *details;	  /* lines for -v, printed before `line`, each with its newline; NULL: none */
};

struct notes {
	struct note note[NOTES_MAX];
	size_t count;
};

void notes_release(struct notes *n); /* a zeroed one is fine */

/*
 * Notes for the start: methods not hooked and why, lower bounds, missing data. `not_walked`: why stacks are not walked,
 * or NULL or "". True: something that the user asked for is not traced.
 */
bool notes_at_start(struct notes *n, const struct settings *settings, const struct session *s, const char *not_walked);

/* Notes about what the throttle found, `after_ns` after the start of the recording. */
void notes_of_throttle(struct notes *n, const struct settings *settings, const struct segment *seg,
		       const struct throttle_finding *found, int64_t after_ns);

/*
 * Notes about methods not hooked in classes that were loaded later: those from row `first` of the table on. True:
 * something that the user asked for is not traced.
 */
bool notes_of_skips(struct notes *n, const struct session *s, uint32_t first);

/* Notes about stacks and waits that are missing, cut or unknown. Call after all stacks have been read. */
void notes_of_gaps(struct notes *n, const struct settings *settings, const struct session *s, const struct recorder *r);

/* Write the notes to the file as remarks. */
void notes_put(const struct notes *n, struct recorder *to);

#endif
