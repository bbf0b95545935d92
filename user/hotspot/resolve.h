/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves the agent's raw frames to methods and lines, from outside the process. A frame has the former address
 * of a Method or nmethod, and a cookie. What is at that address now is read, and accepted only if the cookie
 * matches before and after. Unknown frames are reported as unknown, never guessed.
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

/* Both are borrowed until resolver_free(). 0 or -errno; then *out is NULL. */
int resolver_new(struct resolver **out, const struct mem *m, const struct hotspot_layout *l, struct diag *d);
void resolver_free(struct resolver *r);

/*
 * A JVM that generates hidden classes has new methods endlessly. True if the resolver has cached too many. Its
 * user then drops everything that refers to them, and calls resolver_forget().
 */
bool resolver_is_full(const struct resolver *r);
void resolver_forget(struct resolver *r);

/*
 * The methods that a raw frame represents, innermost first. Returns their number, at most RESOLVED_DEPTH; *out
 * belongs to the resolver and is valid until the next call. Returns 0 with *why set if they are unknown. Results
 * are cached: the same frame is not read again, even if its code is long gone.
 */
size_t resolver_frame(struct resolver *r, const struct frt_frame *f, const struct resolved_frame **out,
		      enum resolved_failure *why);

#endif
