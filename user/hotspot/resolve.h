/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the raw frames that the agent records to methods and lines, out of the
 * process: the frame says where a Method or an nmethod was and carries a cookie;
 * what stands there now is read, and believed only when the cookie is the
 * same before and after. What cannot be told is not guessed.
 */
#ifndef USER_HOTSPOT_RESOLVE_H
#define USER_HOTSPOT_RESOLVE_H

#include "bpf/frtrace.h"
#include "user/hotspot/resolved.h"

#include <stddef.h>

struct diag;
struct hotspot_layout;
struct mem;
struct resolver;

/* Both are borrowed until resolver_free(). NULL: no memory, said in d. */
struct resolver *resolver_new(const struct mem *m, const struct hotspot_layout *l, struct diag *d);
void resolver_free(struct resolver *r);

/*
 * A JVM that makes hidden classes has new methods without end. When those that are remembered take too much memory,
 * their user forgets what it knows of them, and the resolver as well: it begins anew.
 */
bool resolver_is_full(const struct resolver *r);
void resolver_forget(struct resolver *r);

/*
 * The methods that a raw frame stands for, innermost first. Returns how many, at
 * most RESOLVED_DEPTH; *out is the resolver's, valid until the next call. 0: it
 * cannot be told, *why says why. What was told once is remembered: asking for the
 * same frame again reads nothing, also when its code is long gone.
 */
size_t resolver_frame(struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
		      enum resolved_failure *why);

#endif
