/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a fake process: a few regions with nothing between them. Any read can be made to fail. */
#ifndef TESTS_LIB_FAKE_MEM_H
#define TESTS_LIB_FAKE_MEM_H

#include "user/hotspot/mem.h"

#define FAKE_MEM_REGIONS 16

struct fake_mem {
	struct mem mem;
	struct fake_mem_region {
		uint64_t start, size;
		unsigned char *bytes;
	} region[FAKE_MEM_REGIONS];
	int regions;
	unsigned int reads;
	unsigned int fail; /* this read fails, counted from 1; 0: none */
};

void fake_mem_init(struct fake_mem *m);
void fake_mem_release(struct fake_mem *m);

/* Map a region of zeros. */
void fake_mem_map(struct fake_mem *m, uint64_t start, uint64_t size);

/* A pointer for writing. Fails the test if nothing is mapped there. */
void *fake_mem_at(struct fake_mem *m, uint64_t address, uint64_t size);
void fake_mem_put(struct fake_mem *m, uint64_t address, uint64_t value, unsigned int width);
void fake_mem_put_text(struct fake_mem *m, uint64_t address, const char *text);

#endif
