/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared state of the event printers: an output buffer for a file descriptor, the indentation, and a cache of rendered
 * constants (render_cache.h). In forged files constants may form cycles or endless trees: a constant inside itself is
 * printed as null, and an event that exceeds max_event is cut.
 */
#ifndef USER_PRINT_PRINTER_H
#define USER_PRINT_PRINTER_H

#include "format/jfr/jfr_chunk.h"
#include "user/print/render_cache.h"

#define PRINTER_MAX_DEPTH 512

struct printer {
	struct bytes out;
	int fd;
	bool terminal; /* escape control characters */
	int error;     /* errno of the first write that failed */
	unsigned int indent;
	unsigned int stack_depth; /* maximum frames per stack */
	bool exact;
	int64_t utc_offset;	 /* seconds, added to printed times */
	struct jfr_chunk *chunk; /* chunk of the current event */
	const struct jfr_event *event;
	struct bytes text; /* scratch buffer of printer_text() */
	struct render_cache rendered;
	size_t event_begin; /* offset in `out` */
	unsigned int cuts;  /* values omitted as too deep or too large */
	size_t max_event;   /* maximum bytes of one printed event */
	bool too_large;	    /* an event exceeded max_event: the file is invalid */
	struct printer_path {
		const struct meta_type *type;
		uint64_t key;
	} path[PRINTER_MAX_DEPTH];
	unsigned int depth;
};

/* On a terminal, control characters are escaped (text_show()). */
void printer_init(struct printer *p, int fd);
void printer_release(struct printer *p);

/* Begin an event. The buffer before it is complete and may be flushed. */
void printer_begin(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e);

/* True after a write error or if the file is invalid: stop printing. */
static inline bool printer_stopped(const struct printer *p)
{
	return p->error || p->too_large;
}

/* Flush the buffer if it is large, or always if `all`. */
void printer_flush(struct printer *p, bool all);

/*
 * Print a value. A constant (VALUE_KEY) is rendered once by `print` and then taken from the cache. `form` (below 16)
 * distinguishes the renderings of one type. `print` gets `f` and resolved values only, including VALUE_NULL.
 */
typedef void printer_value(struct printer *p, const struct jfr_value *v, const struct meta_field *f);
void printer_put(struct printer *p, struct jfr_value *v, const struct meta_field *f, unsigned int form,
		 printer_value *print);

/* Call after reading the fields of a struct: records a read error as a fault of the file. */
void printer_check(struct printer *p, const struct cursor *c);

/* A VALUE_TEXT as UTF-8 with a trailing NUL. Valid until the next call. */
const char *printer_text(struct printer *p, const struct jfr_value *v, size_t *size);

#endif
