/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats numbers and texts with the units of their annotations, as `jfr print` does. */
#ifndef USER_PRINT_VALUE_TEXT_H
#define USER_PRINT_VALUE_TEXT_H

#include "user/print/printer.h"

/* "20.5 ms", "1.2 MB", "12.50%", "true", "\"text\"", "N/A". Not for structs, arrays and keys. */
void value_text_put(struct printer *p, const struct jfr_value *v, const struct meta_field *f);

#endif
