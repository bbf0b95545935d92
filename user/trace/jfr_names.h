/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats methods, classes and threads. Missing parts are omitted or printed as null. */
#ifndef USER_TRACE_JFR_NAMES_H
#define USER_TRACE_JFR_NAMES_H

#include "format/jfr/jfr_chunk.h"

/*
 * Parameter types of a method descriptor: "(Ljava/lang/String;[I)V" becomes "String, int[]". An invalid descriptor
 * gives no text.
 */
void put_parameters(struct bytes *out, const char *descriptor);

/*
 * Class name in Java syntax: "a/b/C" becomes a.b.C, "[[I" becomes int[][]. `size` goes into the first brackets. With the
 * chunk's mapping it is the original name, here and below.
 */
void put_class_name(struct bytes *out, const struct jfr_chunk *chunk, const char *name, const char *size);

/* The names of a method, as the file or the chunk's mapping has them: a/b/C or a.b.C, m, (I)V. Release them. */
struct method_parts {
	struct bytes class_name, name, descriptor;
	bool has_class, has_name;
	int64_t line; /* -1: unknown */
};

/* `line`: of the program in the method, which may tell what it was called, and becomes that of the source. -1: unknown. */
void method_parts_take(struct method_parts *p, struct jfr_chunk *chunk, const struct jfr_value *method, int64_t line);
void method_parts_release(struct method_parts *p);

/* a.b.C.m(int):17, of a frame; `unknown` stands for a method that is unknown. */
void put_frame(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *frame, const char *unknown);

/* The line of a frame in the source; -1: unknown. */
int64_t frame_line(struct jfr_chunk *chunk, const struct jfr_value *frame);

/* a.b.C.m(String, int[]); this and the next two take resolved values. */
void put_method(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *method);

/* The same for one that need not be resolved; "N/A" if it is unknown. method_text(): to be freed with free(). */
void put_method_or_none(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value method);
char *method_text(struct jfr_chunk *chunk, struct jfr_value method);

/* a.b.C (classLoader = app) */
void put_class(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *class);

/* "main" (javaThreadId = 1) */
void put_thread(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *thread);

/* Append a name from a file. All of these escape what could begin a line (text_show_name()). */
void put_shown_name(struct bytes *out, const char *name);

/* Append a text value, a name or a word, as UTF-8; "null" if it is no text. */
void put_value_text(struct bytes *out, const struct jfr_value *text);

#endif
