/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a BPF ring buffer has been filled and consumed, in bytes since its beginning: the first word of its second and
 * of its first page (Documentation/bpf/ringbuf.rst of the kernel). A record that is being written counts as filled.
 */
#ifndef USER_CAPTURE_RINGBUF_POS_H
#define USER_CAPTURE_RINGBUF_POS_H

#include "format/diag.h"

#include <stdint.h>

struct position {
	const uint64_t *consumed, *produced; /* NULL when closed */
};

int position_open(struct position *p, int map_fd, struct diag *d);
void position_close(struct position *p);

static inline uint64_t position_consumed(const struct position *p)
{
	return __atomic_load_n(p->consumed, __ATOMIC_ACQUIRE);
}

static inline uint64_t position_produced(const struct position *p)
{
	return __atomic_load_n(p->produced, __ATOMIC_ACQUIRE);
}

#endif
