/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fail the Nth allocation, as SQLite's tests do: run a scenario with n = 1, 2,
 * 3, ... until it ends without fail_nth_happened(). Works with glibc, also under
 * AddressSanitizer; elsewhere nothing ever fails.
 */
#ifndef TESTS_LIB_FAIL_NTH_H
#define TESTS_LIB_FAIL_NTH_H

#include <stdbool.h>

/* The n-th allocation of this thread from now on returns NULL, the others succeed; 0: none. */
void fail_nth(unsigned int n);

/* Has it come to that allocation? */
bool fail_nth_happened(void);

/* Can allocations be failed here at all? */
bool fail_nth_works(void);

#endif
