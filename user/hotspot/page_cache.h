/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory that reads another one in whole pages and keeps them until it is
 * told to forget: what belongs to one method lies close together, and a call of
 * process_vm_readv costs the same for 8 bytes and for a page.
 */
#ifndef USER_HOTSPOT_PAGE_CACHE_H
#define USER_HOTSPOT_PAGE_CACHE_H

#include "user/hotspot/mem.h"

#define SNAPSHOT_PAGE 4096u
#define SNAPSHOT_SETS 64u
#define SNAPSHOT_WAYS 4u /* pages of one set */

struct snapshot_set {
	uint64_t page[SNAPSHOT_WAYS]; /* address + 1; 0: nothing */
	unsigned int oldest;
	unsigned char data[SNAPSHOT_WAYS][SNAPSHOT_PAGE];
};

struct snapshot {
	struct mem mem; /* read through this */
	const struct mem *source;
	struct snapshot_set set[SNAPSHOT_SETS];
};

void snapshot_init(struct snapshot *s, const struct mem *source);

/* What is read from now on is read anew. */
void snapshot_clear(struct snapshot *s);

#endif
