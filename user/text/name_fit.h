/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shortens the name of a method for a column of a table: "a.b.C.m(Order, int)", also with text after the parentheses,
 * such as ":17" or " (loader app)". Names are UTF-8, one column per character.
 */
#ifndef USER_TEXT_NAME_FIT_H
#define USER_TEXT_NAME_FIT_H

#include "format/bytes.h"

/* Number of characters. */
size_t name_columns(const char *name);

/*
 * Number of characters of the part that name_fit() always keeps: the class, the method and the text at the end. With
 * `parameters` as if it kept these, too.
 */
size_t name_essential(const char *name, bool parameters);

/* True if the names differ in parameters alone, or in the text at their end; lines of a method are no overloads. */
bool name_is_overload(const char *a, const char *b);

/*
 * Append the name in at most `width` columns, but never less than name_essential(). In this order the parameters
 * become "...", packages become initials from the left, packages go, and the parentheses go. With `parameters` they are
 * what tells two rows apart: then packages are shortened first, and as much of the parameters stays as fits.
 */
void name_fit(struct bytes *out, const char *name, size_t width, bool parameters);

/* Append any text, cut to at most `width` columns. */
void name_cut(struct bytes *out, const char *text, size_t width);

#endif
