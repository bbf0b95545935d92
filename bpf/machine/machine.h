/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs in the kernel, collector and agent must agree upon of the machine. Each machine's header has the same
 * names:
 *
 *    FRT_SAVED			registers that a function keeps, besides frame and stack pointer
 *    FRT_SAVED_BYTECODE	the one of these in which HotSpot's interpreter has the bytecode pointer
 *    FRT_TLS_DISTANCE(value)	how far from the thread pointer a static thread-local variable is, in bytes, always positive
 *    WALK_ADDRESS(pc)		a return address without what signs it; WALK_STRIP(pc) takes that off a variable
 *    WALK_BYTECODE		words from the frame pointer of an interpreted frame to the bytecode pointer, since JDK 9
 *    WALK_CALL_WRAPPER		where the call stub keeps its JavaCallWrapper, in words from its frame pointer
 */
#ifndef FRTRACE_MACHINE_H
#define FRTRACE_MACHINE_H

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#include "bpf/machine/x86_64.h"
#elif defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#include "bpf/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
