/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * USDT sites of the target's ELF files, which may be forged: nothing is read beyond a bound. ELF: gABI, "Sections" and
 * "Program Header". Notes: SystemTap wiki, "UserSpaceProbeImplementation".
 */
#ifndef UPROBES_ELF_ELF_NOTES_H
#define UPROBES_ELF_ELF_NOTES_H

#include "format/diag.h"

#include <stddef.h>
#include <stdint.h>

#define ELF_NOTES_MAX_SIZE  (1u << 20) /* of .note.stapsdt; libjvm.so has 40 KB */
#define ELF_NOTES_MAX_SITES 64	       /* per probe name; libjvm.so has a handful */

struct elf_notes;

/* A place where a site is compiled in. */
struct elf_note {
	uint64_t offset, semaphore; /* in the file; semaphore 0: none */
	const char *arguments;	    /* such as "8@%r12 -4@%eax"; valid as long as the notes */
};

/*
 * Read the notes of a 64-bit ELF file; `path` is for messages. Returns 0, with *out to be freed, also if there are no
 * notes; or -errno with the message.
 */
int elf_notes_read(struct elf_notes **out, int fd, const char *path, struct diag *d);
void elf_notes_free(struct elf_notes *n);

/* Find the places of a site. Returns their number; or -EBADMSG with the message: too many, or one outside the code. */
int elf_notes_find(const struct elf_notes *n, const char *provider, const char *name,
		   struct elf_note out[ELF_NOTES_MAX_SITES], struct diag *d);

#endif
