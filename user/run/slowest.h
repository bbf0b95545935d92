/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the slowest calls spent their time, for the end of a recording. */
#ifndef USER_RUN_SLOWEST_H
#define USER_RUN_SLOWEST_H

#include "format/bytes.h"
#include "user/record/breakdown_sums.h"

/*
 * Append "the slowest 1 % (12 calls of 31.0 ms and more): 96 % blocked (futex 90 %, disk 6 %), 3 % on a CPU, 1 % waiting
 * for one"; nothing if no call has a known breakdown, or `splits` is NULL.
 */
void put_slowest(struct bytes *out, const struct breakdown_sums *splits);

#endif
