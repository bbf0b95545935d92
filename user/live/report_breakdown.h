/* SPDX-License-Identifier: BSD-2-Clause */
/* What the end of a recording says of where the slowest calls spent their time. */
#ifndef USER_LIVE_REPORT_BREAKDOWN_H
#define USER_LIVE_REPORT_BREAKDOWN_H

#include "user/record/breakdown_sums.h"

#include <stddef.h>

/*
 * "the slowest 1 % (12 calls of 31.0 ms and more): 96 % blocked (futex 90 %, disk 6 %), 3 % on a CPU, 1 % waiting for
 * one". False: nothing is known of any call.
 */
bool report_breakdown_text(const struct breakdown_sums *s, char *out, size_t size);

#endif
