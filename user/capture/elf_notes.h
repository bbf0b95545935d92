/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A look at an ELF file of the target before libbpf and libelf read it: they take as much memory as a section header
 * claims, and put an uprobe on each note that fits. ELF: gABI, "Sections". The notes: SystemTap wiki,
 * "UserSpaceProbeImplementation".
 */
#ifndef USER_CAPTURE_ELF_NOTES_H
#define USER_CAPTURE_ELF_NOTES_H

#include "format/diag.h"

#define ELF_NOTES_MAX_SIZE  (1u << 20) /* of the section .note.stapsdt, and of the section names; a libjvm has 40 KB */
#define ELF_NOTES_MAX_SITES 64	       /* of one name; a libjvm has a handful */

/*
 * Is `fd` a 64-bit ELF file whose sections all lie inside, and whose USDT notes are few? 0; -ENOENT: it has no site
 * provider:name (no message); -EBADMSG or other -errno with the message, in which `path` names the file. The file may change
 * later: memory is bounded for good by RLIMIT_DATA only.
 */
int elf_notes_check(int fd, const char *path, const char *provider, const char *name, struct diag *d);

#endif
