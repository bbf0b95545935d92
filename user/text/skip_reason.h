/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of the reasons why a method is not hooked. */
#ifndef USER_TEXT_SKIP_REASON_H
#define USER_TEXT_SKIP_REASON_H

#include <stdint.h>

/* Text for an enum frt_skip_reason of one or several methods, such as "abstract, without code". Never NULL. */
const char *skip_reason(uint32_t reason);

#endif
