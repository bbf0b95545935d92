/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A 64-bit ELF file that may be forged: its headers are read and checked once, its contents in bounded pieces. The file
 * is never mapped, because somebody may cut it meanwhile.
 */
#ifndef UPROBES_ELF_ELF_FILE_H
#define UPROBES_ELF_ELF_FILE_H

#include "format/diag.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_FILE_SECTIONS 1024u /* more are refused */
#define ELF_FILE_SEGMENTS 256u

#define ELF_FILE_SYMBOL	  256 /* bytes of a name with its 0; longer ones are cut */
#define ELF_FILE_BUILD_ID 32  /* bytes at most */

struct elf_file {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr *section; /* header.e_shnum: each lies within the file */
	Elf64_Phdr *segment; /* header.e_phnum */
};

/*
 * Read the headers of `fd`, which is closed with the file, and in any case on failure. Returns 0, or -errno with *out set to
 * NULL and the reason ("not a 64-bit ELF file") in *why; -EBADMSG: no such file, or a forged one.
 */
int elf_file_open(struct elf_file **out, int fd, struct diag *why);
void elf_file_close(struct elf_file *e);

/* Read all of `size` bytes. Returns 0 or -errno. */
int elf_file_read(const struct elf_file *e, void *to, size_t size, uint64_t at);

/* The first section with that name; NULL: none. */
const Elf64_Shdr *elf_file_section(const struct elf_file *e, const char *name);

/* All of a section's bytes (malloc'ed). Returns NULL with errno; EFBIG: more than `limit`, ENODATA: none. */
void *elf_file_contents(const struct elf_file *e, const Elf64_Shdr *section, size_t limit);

/* The address, in the file's own terms, of the code at an offset in the file. False: no code is loaded from there. */
bool elf_file_address(const struct elf_file *e, uint64_t offset, uint64_t *address);

/* Where an address, in the file's own terms, lies in the file, in a segment with one of these flags (PF_X). False: nowhere. */
bool elf_file_offset(const struct elf_file *e, uint64_t address, uint32_t flags, uint64_t *offset);

/*
 * The function that contains the address, from .symtab or else .dynsym. A symbol without a size is not used. False:
 * there is none. Its start is stored in *start, which may be NULL.
 */
bool elf_file_symbol(const struct elf_file *e, uint64_t address, char name[ELF_FILE_SYMBOL], uint64_t *start);

/* The address of the function with that name, defined here. False: there is none. */
bool elf_file_find(const struct elf_file *e, const char *name, uint64_t *address);

/*
 * Visit the functions that the file exports, which dlsym() finds (.dynsym), if their names begin with `prefix`. A forged
 * table is left out.
 */
void elf_file_exports(const struct elf_file *e, const char *prefix,
		      void (*visit)(const char *name, uint64_t address, void *context), void *context);

/* Length of the build id (NT_GNU_BUILD_ID); 0: none. */
size_t elf_file_build_id(const struct elf_file *e, uint8_t id[ELF_FILE_BUILD_ID]);

/* The file name in .gnu_debuglink, of a separate debug file; "": none. */
void elf_file_debug_link(const struct elf_file *e, char name[256]);

#endif
