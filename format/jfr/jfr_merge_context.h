/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context as fields: events of chosen types get the values that the @Contextual fields of user's events have around them,
 * on the same thread, as fields NAME_field. Of nested events of one NAME the innermost counts.
 *
 * An event belongs to the calls in which it begins. Its end would say no more, and JDK 11 writes the duration of a thread's
 * first file read with all its later ones.
 *
 * The clocks of two recordings may differ by some microseconds (a JVM reads its ticks and the wall clock one after the
 * other, at the start of each chunk), or by a millisecond (JDK 11 knows no finer wall clock). So before the copy each chunk
 * of the other recordings is laid over the calls (jfr_overlay.h), shifted at most by SHIFT_MOST. The shift is used for the
 * search only: the copied times stay as they are.
 */
#ifndef FORMAT_JFR_JFR_MERGE_CONTEXT_H
#define FORMAT_JFR_JFR_MERGE_CONTEXT_H

#include "format/jfr/jfr_merge_copy.h"
#include "format/jfr/jfr_overlay.h"

struct jfr_merge_context {
	bool (*wants)(void *context, const char *event); /* NULL: nothing is wanted */
	void *context;
	struct context_source *source; /* types with contextual fields */
	size_t sources, source_capacity;
	struct context_field *field; /* what is added, to each wanted type */
	size_t fields, field_capacity;
	struct context_call *call;
	size_t calls, call_capacity;
	struct bytes values;	    /* of the calls */
	bool *target;		    /* by type of the union: it gets the fields */
	struct jfr_overlay overlay; /* of the chunk that is laid over the calls */
	struct overlay_shift worst; /* of the chunks the one with the largest error; if there are shifts */
	struct context_shift *shift;
	size_t shifts, shift_capacity;
	const struct context_call *around; /* of the event that is being copied; NULL: it is outside */
};

void jfr_merge_context_release(struct jfr_merge_context *c);

/* Add the fields to the types of the union. Call after the last jfr_merge_types_add(). 0 or -ENOMEM. */
int jfr_merge_context_types(struct jfr_merge_context *c, struct jfr_merge_types *u);

/* Read the contextual events of a chunk; then sort them all. 0 or -ENOMEM. */
int jfr_merge_context_read(struct jfr_merge_context *c, const struct jfr_merge_copy *to,
			   const struct jfr_original *from);
int jfr_merge_context_sort(struct jfr_merge_context *c);

/* Find the shifts of a chunk of recording `input`, which is not frtrace's own; chunk after chunk. 0 or -ENOMEM. */
int jfr_merge_context_align(struct jfr_merge_context *c, const struct jfr_merge_copy *to,
			    const struct jfr_original *from, uint32_t input);

/* Look for the calls around an event, which is copied next. */
void jfr_merge_context_enter(struct jfr_merge_context *c, const struct jfr_merge_copy *to,
			     const struct jfr_original *from, const struct jfr_event *e, uint32_t input);

/*
 * Append the value of added field `n`: that of the innermost call around the event, or a missing one.
 * As jfr_merge_copy.put_added.
 */
void jfr_merge_context_put(const void *context, uint32_t n, struct bytes *out);

#endif
