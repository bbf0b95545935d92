/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest calls of each method in each part of the recording: so a selection in the heat map has slow calls to show,
 * wherever it is.
 */
#ifndef USER_REPORT_CANDIDATES_H
#define USER_REPORT_CANDIDATES_H

#include "user/trace/outermost.h"

#define CANDIDATE_SLICES 24 /* of the time */
#define CANDIDATE_EACH	 4  /* of a method in a slice */

struct candidates {
	struct candidate_slice {
		struct outermost_call call[CANDIDATE_EACH]; /* longest first; duration 0: none */
	} *slice;					    /* by method and time */
	uint32_t methods;
};

/* 0 or -ENOMEM. */
int candidates_init(struct candidates *c, uint32_t methods);
void candidates_release(struct candidates *c);

/* `slice`: below CANDIDATE_SLICES. */
void candidates_offer(struct candidates *c, uint32_t method, unsigned int slice, const struct outermost_call *call);

/*
 * Take at most `wanted` calls into `out`: first the longest one of each slice, methods in the order of their numbers, then
 * the second ones. Returns the number.
 */
size_t candidates_take(const struct candidates *c, struct outermost_call *out, size_t wanted);

#endif
