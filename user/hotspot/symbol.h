/* SPDX-License-Identifier: BSD-2-Clause */
/* HotSpot's Symbol (oops/symbol.hpp): a length and modified UTF-8 without a final 0. */
#ifndef USER_HOTSPOT_SYMBOL_H
#define USER_HOTSPOT_SYMBOL_H

#include "user/hotspot/layout.h"
#include "user/hotspot/method_table.h"

#include <stdbool.h>

#define SYMBOL_MAX 65535u

/*
 * Copy a symbol's text to `to`, which has SYMBOL_MAX + 1 bytes, with a final 0. Returns its length, at least 1;
 * -EBADMSG: not the content of a symbol; other -errno: unreadable.
 */
int symbol_read(const struct hotspot_layout *l, const struct mem *m, uint64_t symbol, char *to);

/* The same for the symbol in a slot of a ConstantPool, and for the name of a Klass. */
int symbol_read_in_pool(const struct hotspot_layout *l, const struct mem *m, uint64_t pool, uint32_t index, char *to);
int symbol_read_name(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, char *to);

/*
 * Read a symbol whose text is `plausible`, and keep it in a table. Returns 0; -EBADMSG: it is not; -ENOMEM, also if the table
 * is full; other -errno: unreadable.
 */
int symbol_keep(const char **out, const struct hotspot_layout *l, const struct mem *m, uint64_t symbol,
		bool (*plausible)(const char *text), struct method_table *t);

/* The symbol in slot `index` of a ConstantPool: its address, without the tag bit that the slot may have. */
int symbol_in_pool(const struct hotspot_layout *l, const struct mem *m, uint64_t pool, uint32_t index,
		   uint64_t *symbol);

/* Whether it can be the name of a class, of a method (JVMS 4.2.1, 4.2.2), a method descriptor (4.3.3), or any text. */
bool symbol_names_class(const char *text);
bool symbol_names_method(const char *text);
bool symbol_is_descriptor(const char *text);
bool symbol_is_text(const char *text);

#endif
