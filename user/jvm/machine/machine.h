/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry_skip(), see native_entry_skip().
 */
#ifndef USER_JVM_MACHINE_H
#define USER_JVM_MACHINE_H

#if defined(__x86_64__)
#include "user/jvm/machine/x86_64.h"
#elif defined(__aarch64__)
#include "user/jvm/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
