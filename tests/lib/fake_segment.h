/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A control segment (bpf/frtrace.h) without an agent, between two inaccessible pages, so a reader that leaves it
 * crashes. Rows are entered as by the agent.
 */
#ifndef TESTS_LIB_FAKE_SEGMENT_H
#define TESTS_LIB_FAKE_SEGMENT_H

#include "user/capture/clock.h"
#include "user/segment/segment.h"

struct segment fake_segment_new(void);
void fake_segment_free(struct segment *s);

uint32_t fake_string(struct segment *s, const char *text);
uint32_t fake_loader(struct segment *s, const char *type, const char *name);
uint32_t fake_class(struct segment *s, const char *name, uint32_t loader, uint32_t flags);
uint32_t fake_method(struct segment *s, uint32_t class_id, const char *name, const char *descriptor, uint16_t flags);
void fake_skip(struct segment *s, const char *class_name, const char *method, const char *descriptor, uint32_t reason);
struct frt_thread *fake_thread(struct segment *s, uint32_t serial, const char *name, const char *group);

/* The next slot, with a ring of 1 << log2 bytes. `head`: bytes of records that its stream has already had. */
struct frt_slot *fake_slot(struct segment *s, uint32_t log2, uint64_t head);

/* Append one record to the slot's ring. */
void fake_append(struct segment *s, struct frt_slot *slot, const void *record);
struct frt_span fake_span(uint64_t start, uint32_t method, uint32_t thread, uint16_t flags);

/* Count and time a call, in the sums of the method and in its histogram. */
void fake_timed_call(struct segment *s, uint32_t method, uint64_t duration, bool thrown);

/* A clock on which a tick is a nanosecond. */
struct clock fake_clock(void);

/* Do what the agent does for a new stack: reserve it, write the frames, publish the row. Returns the id. */
uint32_t fake_stack(struct segment *s, const struct frt_frame *frames, uint32_t count, uint8_t end, uint8_t flags);

/* Only the first step, without publishing the row. Its frames begin at row *first. */
uint32_t fake_stack_reserve(struct segment *s, uint32_t count, uint32_t *first);
struct frt_stack *fake_stack_row(struct segment *s, uint32_t id);
struct frt_frame *fake_frame(struct segment *s, uint32_t row);

#endif
