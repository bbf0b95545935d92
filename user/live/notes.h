/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reader of the recording must know. A note is a remark in the file (notes_put()) and a line on the terminal
 * (report_notes()), with the same words but for long lists of names.
 */
#ifndef USER_LIVE_NOTES_H
#define USER_LIVE_NOTES_H

#include "user/capture/session.h"
#include "user/record/recorder.h"
#include "user/record/throttle.h"

#define NOTES_MOST 64

struct note {
	const char *kind; /* "not traced", ...: the remark's kind */
	char *remark;	  /* NULL: no memory; so for the others */
	char *line;	  /* for the terminal */
	char *details;	  /* lines for -v, before it, each with its line feed; NULL: none */
};

struct notes {
	struct note note[NOTES_MOST];
	size_t count;
};

void notes_release(struct notes *n); /* a zeroed one is fine */

/*
 * At the start: what was not hooked and why, lower bounds, what is missing. `not_walked`: why stacks are not walked, or
 * NULL or "". True: something that the user asked for is not traced.
 */
bool notes_at_start(struct notes *n, const struct settings *settings, const struct session *s, const char *not_walked);

/* What the throttle has found, `after_ns` from the start of the recording. */
void notes_of_throttle(struct notes *n, const struct settings *settings, const struct segment *seg,
		       const struct throttle_finding *found, int64_t after_ns);

/* Stacks and waits that are missing, cut or unknown; when all stacks have been read. */
void notes_of_gaps(struct notes *n, const struct settings *settings, const struct session *s, const struct recorder *r);

/* Write them into the file. */
void notes_put(const struct notes *n, struct recorder *to);

#endif
