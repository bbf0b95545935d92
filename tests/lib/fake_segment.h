/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A control segment (bpf/frtrace.h) without an agent, between two pages that
 * fault: a reader that leaves it dies. Rows are entered as the agent does.
 */
#ifndef TESTS_LIB_FAKE_SEGMENT_H
#define TESTS_LIB_FAKE_SEGMENT_H

#include "user/segment.h"

struct segment fake_segment_new(void);
void fake_segment_free(struct segment *s);

uint32_t fake_string(struct segment *s, const char *text);
uint32_t fake_loader(struct segment *s, const char *type, const char *name);
uint32_t fake_class(struct segment *s, const char *name, uint32_t loader, uint32_t flags);
uint32_t fake_method(struct segment *s, uint32_t class_id, const char *name, const char *descriptor, uint16_t flags);
void fake_skip(struct segment *s, const char *class_name, const char *method, const char *descriptor, uint32_t reason);
struct frt_thread *fake_thread(struct segment *s, uint32_t serial, const char *name, const char *group);

/* The next slot, with a ring of 1 << log2 bytes; records that its stream is said to have had already: `head` bytes. */
struct frt_slot *fake_slot(struct segment *s, uint32_t log2, uint64_t head);

/* Append one record to the slot's ring. */
void fake_append(struct segment *s, struct frt_slot *slot, const void *record);
struct frt_span fake_span(uint64_t start, uint32_t method, uint32_t thread, uint16_t flags);

#endif
