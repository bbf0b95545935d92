/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of call frame information. Each machine's header has the same names:
 *
 *    CFI_FP, CFI_SP, CFI_PC	frame and stack pointer, and the program counter, in cfi_frame.reg; the others are DWARF's
 *    CFI_REGISTERS		how many there are
 *    CFI_RETURN		the one whose rule says where the return address is
 *    CFI_KEPT			bits of those that a callee saves, without the stack pointer
 *    CFI_UNNAMED		bits of those that are unchanged, though elfutils says that they are undefined
 *    CFI_SAVED			those in the order of struct frt_registers
 *    CFI_CALL			bytes that a call puts on the stack: a frame has no fewer
 */
#ifndef UPROBES_DWARF_THIS_MACHINE_H
#define UPROBES_DWARF_THIS_MACHINE_H

#if defined(__x86_64__)
#include "uprobes/dwarf/machine/x86_64.h"
#elif defined(__aarch64__)
#include "uprobes/dwarf/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
