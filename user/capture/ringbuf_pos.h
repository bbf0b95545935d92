/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Producer and consumer positions of a BPF ring buffer, in bytes since its creation: the first word of its second and
 * of its first page (Documentation/bpf/ringbuf.rst of the kernel). A record that is being written counts as produced.
 */
#ifndef USER_CAPTURE_RINGBUF_POS_H
#define USER_CAPTURE_RINGBUF_POS_H

#include "format/diag.h"

#include <stdint.h>

struct ringbuf_pos {
	const uint64_t *consumed, *produced; /* NULL when closed */
};

int ringbuf_pos_open(struct ringbuf_pos *p, int map_fd, struct diag *d);
void ringbuf_pos_close(struct ringbuf_pos *p);

static inline uint64_t ringbuf_pos_consumed(const struct ringbuf_pos *p)
{
	return __atomic_load_n(p->consumed, __ATOMIC_ACQUIRE);
}

static inline uint64_t ringbuf_pos_produced(const struct ringbuf_pos *p)
{
	return __atomic_load_n(p->produced, __ATOMIC_ACQUIRE);
}

#endif
