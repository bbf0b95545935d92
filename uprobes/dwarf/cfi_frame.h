/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a frame, as far as they are known. */
#ifndef UPROBES_DWARF_CFI_FRAME_H
#define UPROBES_DWARF_CFI_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* DWARF's numbers of x86-64's registers; 16 is the return address, here the program counter. */
enum { CFI_RBX = 3, CFI_RBP = 6, CFI_RSP = 7, CFI_R12 = 12, CFI_PC = 16, CFI_REGISTERS };

struct cfi_frame {
	uint64_t reg[CFI_REGISTERS];
	uint32_t known; /* bit mask of the registers whose values are known */
	bool exact;	/* pc is that of an interrupted instruction, not a return address */
};

/* Read a word of the stack. False: it is not known. */
typedef bool cfi_read_word(void *context, uint64_t address, uint64_t *to);

#endif
