/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzz target's input as the memory of a JVM. */
#ifndef TESTS_FUZZ_FUZZ_MEM_H
#define TESTS_FUZZ_FUZZ_MEM_H

#include "tests/fuzz/fuzz.h"
#include "user/hotspot/mem.h"

#define FUZZ_BASE 0x7f0000000000ULL

struct fuzz_mem {
	struct mem mem;
	const uint8_t *data;
	size_t size;
	unsigned int reads_left; /* more than may be needed */
};

static inline int fuzz_read(const struct mem *m, uint64_t address, void *to, size_t size)
{
	struct fuzz_mem *f = (struct fuzz_mem *)m;

	check(f->reads_left--);
	if (address < FUZZ_BASE || address - FUZZ_BASE > f->size || size > f->size - (address - FUZZ_BASE))
		return -EFAULT;
	memcpy(to, f->data + (address - FUZZ_BASE), size);
	return 0;
}

#endif
