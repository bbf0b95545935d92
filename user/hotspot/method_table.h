/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of methods and their texts, each stored once. It grows until METHOD_TABLE_ROWS or METHOD_TABLE_TEXT is
 * reached, some 256 MiB in all, for a list of all methods of a JVM. The resolver clears its own table long before
 * that.
 */
#ifndef USER_HOTSPOT_METHOD_TABLE_H
#define USER_HOTSPOT_METHOD_TABLE_H

#include "format/hash.h"
#include "user/hotspot/resolved.h"

#define METHOD_TABLE_ROWS (1u << 20)
#define METHOD_TABLE_TEXT (128u << 20) /* bytes */

struct method_table {
	struct hash_index by_text, by_method;
	struct method_text **text;
	struct resolved_method **method;
	uint32_t texts, methods;
	size_t text_capacity, method_capacity;
	size_t bytes; /* of text */
};

/* A zeroed struct is an empty table. */
void method_table_release(struct method_table *t);

/* The table's own copy of a text without 0 bytes. NULL: no memory, or the limit is reached. */
const char *method_table_text(struct method_table *t, const char *text, size_t length);

/* The table's own copy of a method whose texts are the table's; its `number` is ignored. NULL as above. */
const struct resolved_method *method_table_add(struct method_table *t, const struct resolved_method *m);

/* Are both the same, with texts of the same table? */
bool resolved_module_is(const struct resolved_module *a, const struct resolved_module *b);

#endif
