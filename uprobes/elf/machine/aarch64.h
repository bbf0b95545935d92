/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef UPROBES_ELF_MACHINE_AARCH64_H
#define UPROBES_ELF_MACHINE_AARCH64_H

#define ELF_MACHINE	   183	/* EM_AARCH64 */
#define ELF_TLS_DESCRIPTOR 1031 /* R_AARCH64_TLSDESC */
#define ELF_TLS_DISTANCE   1030 /* R_AARCH64_TLS_TPREL */

#define USDT_NOP "nop"

#endif
