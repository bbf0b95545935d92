/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine's ELF files have. Each machine's header has the same names:
 *
 *    ELF_MACHINE			e_machine
 *    ELF_TLS_DESCRIPTOR, ELF_TLS_DISTANCE	relocations of thread-local variables, see elf_tls.h
 *    USDT_NOP				the assembler's line for a site's instruction
 */
#ifndef UPROBES_ELF_THIS_MACHINE_H
#define UPROBES_ELF_THIS_MACHINE_H

#if defined(__x86_64__)
#include "uprobes/elf/machine/x86_64.h"
#elif defined(__aarch64__)
#include "uprobes/elf/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
