/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the DWARF expressions by which libdw describes where a register is (DWARF 5 §2.5, 2.6). */
#ifndef UPROBES_DWARF_CFI_EXPRESSION_H
#define UPROBES_DWARF_CFI_EXPRESSION_H

#include "uprobes/dwarf/cfi_frame.h"

#include <elfutils/libdw.h>

struct cfi_expression {
	const struct cfi_frame *frame;
	uint64_t cfa; /* for DW_OP_call_frame_cfa */
	cfi_read_word *read;
	void *context;
};

/*
 * The value of an expression; in the second function it is an address unless the expression says otherwise, and the
 * result is what is stored there. Returns 0; -EFAULT: a register or a word of the stack is not known; -EBADMSG: not an
 * expression of call frame information.
 */
int cfi_value(const struct cfi_expression *x, const Dwarf_Op *ops, size_t count, uint64_t *out);
int cfi_location(const struct cfi_expression *x, const Dwarf_Op *ops, size_t count, uint64_t *out);

#endif
