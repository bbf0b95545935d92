/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock-free list of free numbers. Its head is one word {tag, number + 1}; each free element holds the number of
 * the next one. The tag changes with each pop and push, so an unchanged head means that the list has not changed.
 */
#ifndef AGENT_FREE_LIST_H
#define AGENT_FREE_LIST_H

#include "uprobes/agent/sys.h"

struct free_list {
	uint64_t top;
};

/* Returns the word of a free element that holds the next number. With `set` not NULL, stores it first. */
typedef uint32_t next_of(uint32_t number, const uint32_t *set);

void free_list_push(struct free_list *l, uint32_t number, next_of *next);

/* Take a number from the list. Returns -1 if the list is empty. */
int64_t free_list_pop(struct free_list *l, next_of *next);

#endif
