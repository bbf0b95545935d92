/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the printed forms of events share: a buffer in front of a file
 * descriptor, the indentation, and constants, of which each is made once
 * (rendered.h). Constants may refer to each other in circles and trees without
 * end: where one stands inside of itself it is null, and an event that grows beyond a bound is cut.
 */
#ifndef USER_VIEW_PRINTER_H
#define USER_VIEW_PRINTER_H

#include "format/jfr/jfr_chunk.h"
#include "user/view/render_cache.h"

#define PRINTER_MAX_DEPTH 512

struct printer {
	struct bytes out;
	int fd;
	bool terminal; /* it shows what steers it */
	int error;     /* errno of the first write that failed */
	unsigned int indent;
	unsigned int stack_depth; /* frames of a stack at most */
	bool exact;
	int64_t utc_offset;	 /* seconds, to be shown */
	struct jfr_chunk *chunk; /* of the event */
	const struct jfr_event *event;
	struct bytes text; /* for who needs a string for a moment */
	struct render_cache rendered;
	size_t event_begin; /* in `out` */
	unsigned int cuts;  /* values that were left out */
	size_t max_event;   /* bytes of one printed event */
	bool too_large;	    /* an event was cut: the file makes no sense */
	struct printer_path {
		const struct meta_type *type;
		uint64_t key;
	} path[PRINTER_MAX_DEPTH];
	unsigned int depth;
};

/* On a terminal nothing that is printed steers it: see text_show(). */
void printer_init(struct printer *p, int fd);
void printer_release(struct printer *p);

/* Begin an event: what stands in the buffer before is done. */
void printer_begin(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e);

/* There is no point in going on. */
static inline bool printer_stopped(const struct printer *p)
{
	return p->error || p->too_large;
}

/* Write what there is, if it is much or `all` is wanted. */
void printer_flush(struct printer *p, bool all);

/*
 * Print a value; a constant (VALUE_KEY) by what `print` made of it before, if it did. `form` tells apart what one type
 * looks like in several places (below 16); the field is handed on. `print` gets resolved values only, VALUE_NULL among
 * them.
 */
typedef void printer_value(struct printer *p, const struct jfr_value *v, const struct meta_field *f);
void printer_put(struct printer *p, struct jfr_value *v, const struct meta_field *f, unsigned int form,
		 printer_value *print);

/* All fields of a struct were read: what was wrong with them is a fault of the file. */
void printer_check(struct printer *p, const struct cursor *c);

/* The text of VALUE_TEXT as UTF-8, with NUL behind; valid until the next call. */
const char *printer_text(struct printer *p, const struct jfr_value *v, size_t *size);

#endif
