/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * USDT sites. A site is a nop in an empty function that the kernel turns into a trap while a tracer listens. Its note
 * (section .note.stapsdt, format: the SystemTap wiki, "UserSpaceProbeImplementation") names the semaphore that shows
 * whether anybody listens.
 */
#ifndef UPROBES_ELF_USDT_H
#define UPROBES_ELF_USDT_H

#include "uprobes/elf/machine/machine.h"

/* Number of tracers that listen on frtrace:NAME; maintained by the kernel. */
#define USDT_SEMAPHORE(name) volatile unsigned short frtrace_##name##_semaphore __attribute__((section(".probes"))) = 0

/*
 * The text of an asm statement, once per source file; its operands put the arguments where `arguments` says. The
 * function around it must not be inlined, and must be aligned to 32 bytes so that the nop crosses no page or cache
 * line.
 */
#define USDT_SITE(name, arguments)                                                   \
	"990:	" USDT_NOP "\n"                                                      \
	"	.pushsection .note.stapsdt, \"\", \"note\"\n"                              \
	"	.balign 4\n"                                                               \
	"	.4byte 992f - 991f, 994f - 993f, 3\n"                                      \
	"991:	.asciz \"stapsdt\"\n"                                                  \
	"992:	.balign 4\n"                                                           \
	"993:	.8byte 990b\n"                                                         \
	"	.8byte _.stapsdt.base\n"                                                   \
	"	.8byte frtrace_" name "_semaphore\n"                                 \
	"	.asciz \"frtrace\"\n"                                                      \
	"	.asciz \"" name "\"\n"                                               \
	"	.asciz \"" arguments "\"\n"                                          \
	"994:	.balign 4\n"                                                           \
	"	.popsection\n"                                                             \
	"	.ifndef _.stapsdt.base\n"                                                  \
	"	.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
	"	.weak _.stapsdt.base\n"                                                    \
	"	.hidden _.stapsdt.base\n"                                                  \
	"_.stapsdt.base: .space 1\n"                                                 \
	"	.size _.stapsdt.base, 1\n"                                                 \
	"	.popsection\n"                                                             \
	"	.endif\n"

#endif
