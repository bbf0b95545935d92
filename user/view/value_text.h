/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and texts with the units that their annotations give, as `jfr print` writes them. */
#ifndef USER_VIEW_VALUE_TEXT_H
#define USER_VIEW_VALUE_TEXT_H

#include "user/view/printer.h"

/* "20.5 ms", "1.2 MB", "12.50%", "true", "\"text\"", "N/A"; not for structs, arrays and keys. */
void value_text_put(struct printer *p, const struct jfr_value *v, const struct meta_field *f);

/* The number; of a field that is @Unsigned without the sign that its width gave it (but a long's). */
int64_t value_widened(const struct jfr_value *v, const struct meta_field *f);

#endif
