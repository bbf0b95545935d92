/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions the kernel has where (/proc/kallsyms). */
#ifndef USER_RECORD_KERNEL_SYMBOLS_H
#define USER_RECORD_KERNEL_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

struct kernel_symbols;

/* All that there are now. NULL: no memory, or addresses are hidden from us (kernel.kptr_restrict). */
struct kernel_symbols *kernel_symbols_read(void);

/* The same of a file in that form. */
struct kernel_symbols *kernel_symbols_parse(FILE *f);

/* Why kernel_symbols_read() would find none, or "": it costs little to ask. */
const char *kernel_symbols_hidden(void);
void kernel_symbols_free(struct kernel_symbols *s);

/* The function that an address is in, valid as long as `s`; NULL: none. Where functions end is not known: behind the last, for 1 MiB at most. */
const char *kernel_symbols_find(const struct kernel_symbols *s, uint64_t address);

#endif
