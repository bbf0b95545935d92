/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A check of call frame information (DWARF 5 §6.4, LSB's .eh_frame) before libdw works with it. libdw stays within its
 * bounds, but it takes memory as the data asks for it: one instruction that names register 200,000,000 takes 3 GB.
 * Compilers use the registers below 128, short expressions and few remembered states.
 */
#ifndef UPROBES_DWARF_CFI_CHECK_H
#define UPROBES_DWARF_CFI_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CFI_REGISTERS_MOST  128u
#define CFI_REMEMBERED_MOST 32u
#define CFI_BLOCK_MOST	    128u       /* bytes of an expression */
#define CFI_ENTRY_MOST	    (1u << 16) /* bytes of a CIE or FDE */

/* Is all of a section harmless? `eh_frame`: it has the format of .eh_frame, not of .debug_frame. */
bool cfi_check(const void *section, size_t size, bool eh_frame);

#endif
