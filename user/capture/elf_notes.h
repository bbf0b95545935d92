/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the target's ELF files before libbpf and libelf read them: those allocate as much memory as a section
 * header claims, and attach an uprobe to every matching note. ELF: gABI, "Sections". Notes: SystemTap wiki,
 * "UserSpaceProbeImplementation".
 */
#ifndef USER_CAPTURE_ELF_NOTES_H
#define USER_CAPTURE_ELF_NOTES_H

#include "format/diag.h"

#define ELF_NOTES_MAX_SIZE  (1u << 20) /* of .note.stapsdt, and of the section names; libjvm.so has 40 KB */
#define ELF_NOTES_MAX_SITES 64	       /* per probe name; libjvm.so has a handful */

/*
 * Check that `fd` is a 64-bit ELF file whose sections all lie within the file and whose USDT notes are few. Returns
 * 0; -ENOENT without a message when it has no site provider:name; -EBADMSG or another -errno with a message that
 * names the file `path`. The file may change after the check: only RLIMIT_DATA bounds memory reliably.
 */
int elf_notes_check(int fd, const char *path, const char *provider, const char *name, struct diag *d);

#endif
