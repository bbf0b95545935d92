/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes recordings where it hurts: numbers, times, keys, counts, texts, types and whole events get other values, while
 * sizes and positions are set right again (mostly), so that readers come to what was changed.
 */
#ifndef TESTS_FUZZ_JFR_MUTATE_H
#define TESTS_FUZZ_JFR_MUTATE_H

#include "format/bytes.h"

struct mutated_file;

/* Take a recording apart. NULL: no memory, or it is none. The data must stay. */
struct mutated_file *mutated_open(const void *data, size_t size);
void mutated_close(struct mutated_file *f);

/* Write a changed copy, the same one for the same seed. The memory of *out is used again. */
void mutated_write(const struct mutated_file *f, uint64_t seed, struct bytes *out);

#endif
