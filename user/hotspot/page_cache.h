/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A struct mem that reads another one in whole pages and caches them until it is cleared. The data of a method
 * lies close together, and process_vm_readv costs the same for 8 bytes as for a page.
 */
#ifndef USER_HOTSPOT_PAGE_CACHE_H
#define USER_HOTSPOT_PAGE_CACHE_H

#include "user/hotspot/mem.h"

#define PAGE_CACHE_PAGE 4096u
#define PAGE_CACHE_SETS 64u
#define PAGE_CACHE_WAYS 4u /* pages of one set */

/* The data stand elsewhere: pages that are not in use cost nothing. */
struct page_cache_set {
	uint64_t page[PAGE_CACHE_WAYS]; /* address + 1; 0: empty */
	unsigned int oldest;
};

struct page_cache {
	struct mem mem; /* reads go through this */
	const struct mem *source;
	struct page_cache_set set[PAGE_CACHE_SETS];
	unsigned char data[PAGE_CACHE_SETS][PAGE_CACHE_WAYS][PAGE_CACHE_PAGE];
};

void page_cache_init(struct page_cache *s, const struct mem *source);

/* Drop all pages: later reads fetch them again. */
void page_cache_clear(struct page_cache *s);

#endif
