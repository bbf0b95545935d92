/* SPDX-License-Identifier: BSD-2-Clause */
/* Why nothing has been recorded. */
#ifndef USER_SILENCE_H
#define USER_SILENCE_H

#include "user/report.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * "1,204 calls, all below 100.0 ms (max 31.0 ms)", "0 calls: matched, never called in 10.0 s". False: calls have been
 * recorded, or they were only to be timed and have been.
 */
bool silence_explain(const struct report *r, const struct segment_totals *t, char *out, size_t size);

#endif
