/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traced native methods (source_natives): the agent enters those that filters name; here their C functions are found and get
 * uprobes. Their calls arrive in the queue and become spans like those of other calls. The programs are loaded with the first
 * one, or when one is expected.
 */
#ifndef USER_CAPTURE_NATIVES_H
#define USER_CAPTURE_NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct natives;

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
