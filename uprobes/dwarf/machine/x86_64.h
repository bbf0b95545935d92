/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef UPROBES_DWARF_MACHINE_X86_64_H
#define UPROBES_DWARF_MACHINE_X86_64_H

/* DWARF's numbers; 16 is the return address, here the program counter. */
enum { CFI_RBX = 3, CFI_FP = 6, CFI_SP = 7, CFI_R12 = 12, CFI_PC = 16, CFI_REGISTERS };

#define CFI_RETURN CFI_PC
#define CFI_KEPT   (1ull << CFI_RBX | 1ull << CFI_FP | 0xfull << CFI_R12)

/* Up to 0.188 at least, elfutils thinks that register 0 is rbx, and says of register 3, which is rbx, that it is undefined. */
#define CFI_UNNAMED (1ull << CFI_RBX)

#define CFI_SAVED {CFI_RBX, CFI_R12, CFI_R12 + 1, CFI_R12 + 2, CFI_R12 + 3}

#define CFI_CALL 8

#endif
