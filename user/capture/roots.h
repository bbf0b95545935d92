/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans of --inside (struct frt_root in bpf/records.h): those of a root are held until it is known whether it is kept. It
 * is known as soon as a call in it has ended later than needed, so a long root is not held for long. Memory is bounded;
 * what does not fit is counted.
 */
#ifndef USER_CAPTURE_ROOTS_H
#define USER_CAPTURE_ROOTS_H

#include "user/capture/stream_sink.h"

#include <stdint.h>

#define ROOTS_LIMIT (2u << 20) /* records that are held: 64 MB */

struct roots;

/* `limit`: the number of records that may be held. NULL: no memory. *sink is copied. */
struct roots *roots_new(const struct stream_sink *sink, size_t limit);
void roots_free(struct roots *r); /* drops what it still holds */

/* A record of kind FRT_ROOT in the stream of a slot. */
void roots_mark(struct roots *r, uint32_t slot, const struct frt_root *mark);

/* The spans that follow in it, as a sink gets them. */
void roots_take(struct roots *r, uint32_t slot, const struct frt_span *s, size_t n, const struct stream_vthread *v);

/*
 * A call of a native method in the root with this number, which is kept from `due` on, 0: never; see struct
 * frt_native_call. It comes by the queue: ahead of the root's records, or behind its end if a sweep has found that.
 */
void roots_take_native(struct roots *r, uint64_t number, uint64_t due, const struct frt_span *s,
		       const struct stream_vthread *v);

/* Such calls may come from now on, and the agent reports each root that ends (FRT_CONFIG_ROOT_ENDS). */
void roots_expect_natives(struct roots *r);

/*
 * Enclose a sweep. If native calls are expected, roots that end in between are remembered until the queue has been consumed
 * up to `position`, where it is at the sweep's end: their calls may be in it.
 */
void roots_begin_sweep(struct roots *r);
void roots_end_sweep(struct roots *r, uint64_t position);

/* True if some are remembered. */
bool roots_have_ended(const struct roots *r);

/* --until=tasks: the number of the root whose own call has ended first, of those that have tasks left. 0: there is none. */
uint64_t roots_waiting(const struct roots *r);

/* Forget those that waited for `position`: the queue has been consumed up to it. */
void roots_release(struct roots *r, uint64_t position);

/* Records of the stream are missing: until the next FRT_ROOT the root of its spans is unknown. */
void roots_gap(struct roots *r, uint32_t slot);

/* Nothing more will arrive: pass on the spans of roots that have not ended. */
void roots_finish(struct roots *r);

struct roots_counts {
	uint64_t excess; /* spans dropped because ROOTS_LIMIT were held */
	uint64_t torn;	 /* spans dropped because what became of their root is lost */
	uint64_t open;	 /* roots that had not ended */
};
const struct roots_counts *roots_counts(const struct roots *r);

#endif
