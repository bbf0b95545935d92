/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_CAPTURE_SKIP_REASON_H
#define USER_CAPTURE_SKIP_REASON_H

#include <stdint.h>

/* What an enum frt_skip_reason says of one method or several: "native, without bytecode". Never NULL. */
const char *skip_reason(uint32_t reason);

#endif
