/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call frame information of one library, by libdw: how to get from a frame of its code to the caller's.
 *
 * libdw never sees the file. It gets an ELF image of our own making, with the sections .eh_frame_hdr and .eh_frame, or
 * .debug_frame, as they were read and checked (cfi_check.h). dwfl is not used: it would map a file that its owner can
 * cut meanwhile, look for debug files in our root instead of the target's, and where there is no information guess the
 * caller from the frame pointer.
 */
#ifndef UPROBES_DWARF_CFI_H
#define UPROBES_DWARF_CFI_H

#include "uprobes/dwarf/machine/machine.h"
#include "uprobes/elf/elf_file.h"

/* The registers of a frame, as far as they are known. */
struct cfi_frame {
	uint64_t reg[CFI_REGISTERS];
	uint64_t known; /* bit mask of the registers whose values are known */
	bool exact;	/* pc is that of an interrupted instruction, not a return address */
};

/* Read a word of the stack. False: it is not known. */
typedef bool cfi_read_word(void *context, uint64_t address, uint64_t *to);

struct cfi;

/*
 * Read it from a file, which is not needed afterwards. Returns 0, or -errno with *out set to NULL: -ENODATA: the file
 * has none; -EBADMSG: it is forged; -EFBIG: it has more than `limit` bytes.
 */
int cfi_open(struct cfi **out, const struct elf_file *e, size_t limit);
void cfi_close(struct cfi *c);

/* Memory that it takes, in bytes, roughly. */
size_t cfi_size(const struct cfi *c);

/*
 * Replace a frame by its caller's. `bias` is what the target's addresses are higher than those in the file. Returns 1;
 * 0: the frame is the outermost one; -ENODATA: nothing is known about this code; -EFAULT: a word of the stack is not
 * known; -EBADMSG: the information makes no sense. The frame is undefined unless the result is 1.
 */
int cfi_unwind(struct cfi *c, struct cfi_frame *f, uint64_t bias, cfi_read_word *read, void *context);

#endif
