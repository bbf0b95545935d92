/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of the kernel's functions and their addresses (/proc/kallsyms). */
#ifndef USER_STACKS_KERNEL_SYMBOLS_H
#define USER_STACKS_KERNEL_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

struct kernel_symbols;

/* Read the running kernel's functions. NULL: no memory, or the addresses are hidden (kernel.kptr_restrict). */
struct kernel_symbols *kernel_symbols_read(void);

/* The same from a file of that format. */
struct kernel_symbols *kernel_symbols_parse(FILE *f);

/* Why kernel_symbols_read() would find nothing, or "". A cheap check. */
const char *kernel_symbols_hidden(void);
void kernel_symbols_free(struct kernel_symbols *s);

/*
 * The function that contains an address, valid as long as `s`; NULL: none. The end of a function is not recorded: it
 * is the next function's start, and for the last one 1 MiB at most.
 */
const char *kernel_symbols_find(const struct kernel_symbols *s, uint64_t address);

#endif
