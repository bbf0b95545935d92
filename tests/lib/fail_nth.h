/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the Nth allocation fail, as in SQLite's tests: run a scenario with n = 1, 2, 3, ... until it ends without
 * fail_nth_happened(). Works with glibc, also under AddressSanitizer; elsewhere no allocation ever fails.
 */
#ifndef TESTS_LIB_FAIL_NTH_H
#define TESTS_LIB_FAIL_NTH_H

#include <stdbool.h>

/* From now on, the n-th allocation of this thread returns NULL and the others succeed. 0: none fails. */
void fail_nth(unsigned int n);

/* True if that allocation was reached. */
bool fail_nth_happened(void);

/* The same; none fails from now on. */
bool fail_nth_end(void);

/* True if allocations can fail here at all. */
bool fail_nth_works(void);

/* Skips the rest of the case if they cannot. */
void fail_nth_or_skip(void);

#endif
