/* SPDX-License-Identifier: BSD-2-Clause */
/* CLOCK_MONOTONIC of frtrace itself: for deadlines, and for times that are compared with those of the kernel's records. */
#ifndef USER_TEXT_MONOTONIC_H
#define USER_TEXT_MONOTONIC_H

#include <stdint.h>

int64_t monotonic_ns(void);
int64_t monotonic_ms(void);

#endif
