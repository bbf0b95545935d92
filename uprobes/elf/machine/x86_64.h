/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef UPROBES_ELF_MACHINE_X86_64_H
#define UPROBES_ELF_MACHINE_X86_64_H

#define ELF_MACHINE	   62 /* EM_X86_64 */
#define ELF_TLS_DESCRIPTOR 36 /* R_X86_64_TLSDESC */
#define ELF_TLS_DISTANCE   18 /* R_X86_64_TPOFF64 */

/* Of 5 bytes: since Linux 6.18 the kernel can turn it into a call. */
#define USDT_NOP ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"

#endif
