/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's nmethod (code/nmethod.hpp), compiled code: the methods that are active at a program counter, one
 * inlined into the other.
 *
 * Three tables belong to it. PcDescs: for each call (and some other places) the offset of the code after it, and
 * the offset of a scope. Scopes: compressed numbers; each scope has the offset of the caller's scope (0: none),
 * the index of the method, and the bytecode index + 1. Metadata: an array of addresses that the index refers to,
 * counted from 1. The places of the tables have changed in JDK 9, 23 and 25.
 */
#ifndef USER_HOTSPOT_NMETHOD_H
#define USER_HOTSPOT_NMETHOD_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

struct nmethod {
	uint64_t address, method;
	uint64_t code;	       /* PcDescs are relative to this address */
	uint64_t pcs, pcs_end; /* of the tables: addresses */
	uint64_t scopes, scopes_end;
	uint64_t metadata, metadata_end;
};

struct scope {
	uint64_t method; /* Method * */
	int32_t bci;	 /* negative: not at a bytecode; -1: at the entry */
};

/*
 * Whether it is still the nmethod with that compile id, in use and with its methods: 1, 0 or -errno. The id alone
 * proves nothing, because a freed block keeps its bytes.
 */
int nmethod_is(const struct hotspot_layout *l, const struct mem *m, uint64_t address, uint32_t compile_id);

/* Find its tables. Returns 0; -EBADMSG: implausible; other -errno. */
int nmethod_read(struct nmethod *out, const struct hotspot_layout *l, const struct mem *m, uint64_t address);

/*
 * The methods at a return address, innermost first; with `near`, at any place in the code. Returns their number; 0: no PcDesc; -EBADMSG: more than max,
 * or an implausible table; other -errno.
 */
int nmethod_scopes(const struct nmethod *n, const struct hotspot_layout *l, const struct mem *m, uint64_t pc, bool near,
		   struct scope *out, size_t max);

#endif
