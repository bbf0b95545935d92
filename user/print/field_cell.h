/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of any event as cells of a table (table.h), each with a second cell for JSON. */
#ifndef USER_PRINT_FIELD_CELL_H
#define USER_PRINT_FIELD_CELL_H

#include "user/print/printer.h"
#include "user/print/table.h"

/* False for structs with parts, such as stacks, and for arrays: they have no place in a row. */
bool field_has_cell(const struct meta_field *f);

/* The columns of its two cells. `label` must outlive the table. */
void field_cell_columns(struct table_column columns[2], const char *label, const struct meta_field *f);

/*
 * Append the value as text: as `print` has it, but texts without quotes, and of threads and classes the name alone. `p`
 * knows the chunk and formats; its output is used up.
 */
void field_put_text(struct bytes *out, struct printer *p, const struct meta_field *f, const struct jfr_value *v);

/* Append what TABLE_TYPED wants: numbers as the file has them, ticks in nanoseconds, moments in ISO 8601 in UTC. */
void field_put_typed(struct bytes *out, struct printer *p, const struct meta_field *f, const struct jfr_value *v);

#endif
