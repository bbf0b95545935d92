/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of things that were given back, without locks: {tag, number + 1} in
 * one word, the next number in the free thing itself. The tag changes at each
 * pop and push, so that a word that is the same has not been away.
 */
#ifndef AGENT_FREE_LIST_H
#define AGENT_FREE_LIST_H

#include "uprobes/agent/sys.h"

struct free_list {
	uint64_t top;
};

/* The word of a free thing that holds the next one's number: set it when `set` is given, return it. */
typedef uint32_t next_of(uint32_t number, const uint32_t *set);

void free_list_push(struct free_list *l, uint32_t number, next_of *next);

/* The number, or -1: there is none. */
int64_t free_list_pop(struct free_list *l, next_of *next);

#endif
