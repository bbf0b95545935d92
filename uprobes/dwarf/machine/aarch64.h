/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef UPROBES_DWARF_MACHINE_AARCH64_H
#define UPROBES_DWARF_MACHINE_AARCH64_H

/* DWARF's numbers; it has none for the program counter. */
enum { CFI_X19 = 19, CFI_FP = 29, CFI_LINK = 30, CFI_SP = 31, CFI_PC, CFI_REGISTERS };

#define CFI_RETURN  CFI_LINK
#define CFI_KEPT    (0x3ffull << CFI_X19 | 1ull << CFI_FP)
#define CFI_UNNAMED 0ull

#define CFI_SAVED {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, CFI_LINK}

#define CFI_CALL 0 /* the return address is in the link register */

#endif
