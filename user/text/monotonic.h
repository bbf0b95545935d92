/* SPDX-License-Identifier: BSD-2-Clause */
/* CLOCK_MONOTONIC of frtrace itself: for deadlines, and for times that are compared with those of the kernel's records. */
#ifndef USER_TEXT_MONOTONIC_H
#define USER_TEXT_MONOTONIC_H

#include <stdint.h>

int64_t monotonic_ns(void);
int64_t monotonic_ms(void);

/* Milliseconds left until a deadline by monotonic_ms(): at least 0, at most INT_MAX. */
int deadline_left(int64_t deadline);

#endif
