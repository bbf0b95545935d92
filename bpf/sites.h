/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the collector, which attaches programs to sites, and these programs: which site a thread has
 * hit, and where its arguments are. Both are in the attach cookie.
 */
#ifndef BPF_SITES_H
#define BPF_SITES_H

enum frt_site {
	/* of the agent */
	FRT_SITE_DRAIN = 1,
	FRT_SITE_THREAD,
	FRT_SITE_MOUNT,
	FRT_SITE_POLL,
	/* of the JVM */
	FRT_SITE_SLEEP_BEGIN,
	FRT_SITE_SLEEP_END,
	FRT_SITE_SAFEPOINT_BEGIN,
	FRT_SITE_SAFEPOINT_END,
	FRT_SITE_OPERATION_BEGIN,
	FRT_SITE_COLLECTION_BEGIN,
	FRT_SITE_COLLECTION_END,
	FRT_SITE_METHOD_ENTRY,
	FRT_SITE_METHOD_RETURN,
};

#define FRT_SITE_BITS 8

/*
 * An argument of eight bytes: in a register, or in memory at a register plus an offset. The cookie has the first two
 * arguments above the site.
 */
#define FRT_SITE_ARGUMENTS	2
#define FRT_ARGUMENT_BITS	24
#define FRT_ARGUMENT_KNOWN	0x800000u
#define FRT_ARGUMENT_MEMORY	0x400000u
#define FRT_ARGUMENT_REGISTER	0x1f0000u /* the word of struct pt_regs */
#define FRT_ARGUMENT_REGISTER_1 0x010000u
#define FRT_ARGUMENT_OFFSET	0x00ffffu /* signed */

/* Or the cookie has four arguments that are all in registers, each by the word of struct pt_regs. */
#define FRT_SITE_REGISTERS 4
#define FRT_REGISTER_BITS  8
#define FRT_REGISTER_MASK  0xffu

#endif
