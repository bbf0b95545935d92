/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment of frtrace's own, for calls that come from another source than the agent. Its layout is that of the agent's
 * (bpf/frtrace.h), so that everything behind it need not know the source: the collector writes the tables, and in slot 0
 * the sums over all threads. It is shared with nobody. There are no rings, stacks and cells.
 */
#ifndef USER_SEGMENT_SEGMENT_MAKE_H
#define USER_SEGMENT_SEGMENT_MAKE_H

#include "user/segment/segment.h"

/* Returns 0, then segment_close(); or -errno with the message. The recording in it has begun; `since` is still 0. */
int segment_make(struct segment *s, const struct target *t, struct diag *d);

/* The following return the new row's number, or 0 if there is no room. Texts are in internal form. */
uint32_t segment_add_loader(struct segment *s, const char *type, const char *name); /* either may be NULL */
uint32_t segment_add_class(struct segment *s, const char *name, uint32_t loader);

struct segment_new_method {
	uint32_t class_id;
	const char *name, *descriptor;
	uint16_t modifiers; /* JVMS 4.6 */
	uint16_t flags;	    /* FRT_METHOD_LOWER_BOUND */
	uint64_t rule;	    /* FRT_RULE_* */
};
uint32_t segment_add_method(struct segment *s, const struct segment_new_method *m);

/* Note that a method is not traced, enum frt_skip_reason. Without room nothing happens. */
void segment_add_skip(struct segment *s, const char *class_name, const char *method, const char *descriptor,
		      uint32_t reason);

/* Log a thread; row->serial says where. */
void segment_put_thread(struct segment *s, const struct frt_thread *row);

/* Add a call to the sums and to the histogram of its method (jdk.MethodTiming). */
void segment_add_call(struct segment *s, uint32_t method, uint64_t ticks, bool thrown);

static inline struct frt_slot *segment_own_slot(const struct segment *s)
{
	return (struct frt_slot *)(s->base + FRT_SLOTS_AT);
}

#endif
