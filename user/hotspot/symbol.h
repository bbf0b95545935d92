/* SPDX-License-Identifier: BSD-2-Clause */
/* HotSpot's Symbol (oops/symbol.hpp): a length and modified UTF-8 without a final 0. */
#ifndef USER_HOTSPOT_SYMBOL_H
#define USER_HOTSPOT_SYMBOL_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

#define SYMBOL_MAX 65535u

/*
 * Copy a symbol's text to `to`, which has SYMBOL_MAX + 1 bytes, with a final 0. Returns its length, at least 1;
 * -EBADMSG: not the content of a symbol; other -errno: unreadable.
 */
int symbol_read(const struct hotspot_layout *l, const struct mem *m, uint64_t symbol, char *to);

/* The symbol in slot `index` of a ConstantPool: its address, without the tag bit that the slot may have. */
int symbol_in_pool(const struct hotspot_layout *l, const struct mem *m, uint64_t pool, uint32_t index,
		   uint64_t *symbol);

/* Whether it can be the name of a class, of a method (JVMS 4.2.1, 4.2.2), a method descriptor (4.3.3), or any text. */
bool symbol_names_class(const char *text);
bool symbol_names_method(const char *text);
bool symbol_is_descriptor(const char *text);
bool symbol_is_text(const char *text);

#endif
