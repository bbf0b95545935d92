/* SPDX-License-Identifier: BSD-2-Clause */
/* Untrusted texts in HTML. */
#ifndef USER_TEXT_HTML_H
#define USER_TEXT_HTML_H

#include "format/bytes.h"

/*
 * Append UTF-8 as text of an element or of an attribute in double quotes. Characters that control the direction or the
 * layout are written as Java writes them, as on a terminal: \u202e. Invalid bytes become U+FFFD.
 */
void html_put(struct bytes *out, const char *text);

/* Append JSON that may stand in a <script>: without '<', '>' and '&', which only its strings have. */
void html_put_json(struct bytes *out, const char *json, size_t size);

#endif
