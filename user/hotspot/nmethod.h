/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's nmethod (code/nmethod.hpp), compiled code, and what it says about a
 * program counter: which methods are active there, one inlined into the other.
 *
 * Three tables belong to it. PcDescs: for each call (and other places) the offset
 * of the code behind it and that of a scope. Scopes: compressed numbers, for each the
 * offset of the caller's scope (0: none), the index of the method, the bytecode
 * index + 1. Metadata: addresses, which the index counts in from 1. Where
 * the tables lie has changed in JDK 9, 23 and 25.
 */
#ifndef USER_HOTSPOT_NMETHOD_H
#define USER_HOTSPOT_NMETHOD_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

struct nmethod {
	uint64_t address, method;
	uint64_t code;	       /* PcDescs count from here */
	uint64_t pcs, pcs_end; /* of the tables: addresses */
	uint64_t scopes, scopes_end;
	uint64_t metadata, metadata_end;
};

struct scope {
	uint64_t method; /* Method * */
	int32_t bci;	 /* below 0: not at a bytecode; -1: at the entry */
};

/*
 * Is it still the nmethod with that compile id, in use and with its methods? 1, 0, -errno. An
 * unused block keeps its bytes, so the id alone says nothing.
 */
int nmethod_is(const struct hotspot_layout *l, const struct mem *m, uint64_t address, uint32_t compile_id);

/* Find its tables. 0, -EBADMSG: they cannot be, -errno. */
int nmethod_read(struct nmethod *out, const struct hotspot_layout *l, const struct mem *m, uint64_t address);

/*
 * The methods at a return address, innermost first. Returns how many; 0: it has no
 * PcDesc; -EBADMSG: more than max, or a table that cannot be; other -errno.
 */
int nmethod_scopes(const struct nmethod *n, const struct hotspot_layout *l, const struct mem *m, uint64_t pc,
		   struct scope *out, size_t max);

#endif
