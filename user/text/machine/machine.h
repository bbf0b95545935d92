/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by number: syscall_names[]. NULL: there is none.
 */
#ifndef USER_TEXT_THIS_MACHINE_H
#define USER_TEXT_THIS_MACHINE_H

#if defined(__x86_64__)
#include "user/text/machine/x86_64.h"
#elif defined(__aarch64__)
#include "user/text/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
