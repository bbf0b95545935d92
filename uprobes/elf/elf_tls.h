/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a library's thread-local variables are. The loader writes it into a word of the library, as a relocation asks:
 * ELF_TLS_DESCRIPTOR (the second word of a descriptor in "Thread-Local Storage Descriptors for IA32 and AMD64/EM64T") or
 * ELF_TLS_DISTANCE (initial-exec; the ABI's supplement of the machine).
 */
#ifndef UPROBES_ELF_ELF_TLS_H
#define UPROBES_ELF_ELF_TLS_H

#include "uprobes/elf/elf_file.h"

/*
 * The address, in the file's own terms, of the word that the loader fills for an exported thread-local variable. It then
 * has the variable's distance from the thread pointer (FRT_TLS_DISTANCE); or, of a descriptor only, the address of what the
 * loader keeps about a variable that is in no static block. *descriptor says which of the two relocations it is. False: the
 * library has no such variable, or does not use it in one of these ways.
 */
bool elf_tls_find(const struct elf_file *e, const char *name, uint64_t *word, bool *descriptor);

#endif
