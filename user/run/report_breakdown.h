/* SPDX-License-Identifier: BSD-2-Clause */
/* Summarizes where the slowest calls spent their time, for the report at the end. */
#ifndef USER_RUN_REPORT_BREAKDOWN_H
#define USER_RUN_REPORT_BREAKDOWN_H

#include "user/record/breakdown_sums.h"

#include <stddef.h>

/*
 * "the slowest 1 % (12 calls of 31.0 ms and more): 96 % blocked (futex 90 %, disk 6 %), 3 % on a CPU, 1 % waiting for
 * one". False: no call has a known breakdown.
 */
bool report_breakdown_text(const struct breakdown_sums *s, char *out, size_t size);

#endif
