/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a C function its entry probe is cheap. On x86-64 the kernel emulates a push; any other instruction it executes
 * out of line, in a single step, which takes some microseconds in a virtual machine.
 */
#ifndef USER_JVM_NATIVE_ENTRY_H
#define USER_JVM_NATIVE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#define NATIVE_ENTRY_CODE 32 /* bytes that suffice */

/*
 * The bytes of code to skip: on x86-64 endbr64, and instructions before a first push that neither branch nor change the stack
 * pointer or the first argument. So every call still passes the place, and finds there what was at the entry.
 */
size_t native_entry_skip(const uint8_t *code, size_t size);

#endif
