/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The libraries that the target has mapped: which one has the code at an address, its symbols, and how to unwind its
 * frames. Files are opened only when they are needed, as the target's files are (root_path.h), and the mapping decides
 * which file it is, whatever lies at its path now. A file on a FUSE file system is left alone: its owner could make
 * frtrace hang.
 */
#ifndef USER_PROCESS_LIBRARIES_H
#define USER_PROCESS_LIBRARIES_H

#include "uprobes/dwarf/cfi.h"
#include "user/process/proc.h"
#include "user/process/target.h"

#define LIBRARIES_MOST	 1024u	      /* executable mappings; the others are not looked at */
#define LIBRARIES_MEMORY (24u << 20)  /* bytes of call frame information in all */
#define LIBRARY_FRAMES	 (16u << 20)  /* in one library */
#define LIBRARY_FILE	 (8ull << 30) /* bytes of its file */

struct library {
	struct mapping map;
	uint32_t serial; /* no two have the same, also one after the other at the same address */
	bool kept;	 /* while the mappings are read again */
	bool opened;	 /* `file` and `cfi` are what there is */
	uint64_t device, inode;
	uint64_t bias;		/* the target's addresses minus those in the file */
	struct elf_file *file;	/* NULL: cannot be read */
	struct elf_file *debug; /* a separate file with its symbols; NULL: there is none */
	struct cfi *cfi;	/* NULL: it has none */
};

struct libraries;

/* `t` is borrowed. `frames`: they are to be unwound, otherwise `cfi` stays NULL. NULL: no memory. */
struct libraries *libraries_new(const struct target *t, bool frames);
void libraries_free(struct libraries *l);

/* The mappings may have changed since: they are read again when they are needed next. */
void libraries_expire(struct libraries *l);

/*
 * The library that has the code at this address of the target, opened; NULL: none. It is valid until the next call of
 * libraries_expire().
 */
const struct library *libraries_at(struct libraries *l, uint64_t address);

/* An address in terms of the library's file; of a file that cannot be read, the offset in it. */
uint64_t library_place(const struct library *l, uint64_t address);

/* The function at an address within the library; false: unknown. */
bool library_symbol(const struct library *l, uint64_t address, char name[ELF_FILE_SYMBOL]);

/* Visit the libraries, not opened: libraries_at() opens one. A non-zero result ends the walk and is returned. */
int libraries_each(struct libraries *l, int (*visit)(const struct library *library, void *context), void *context);

#endif
