// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/symbol.h"

int symbol_read(const struct hotspot_layout *l, const struct mem *m, uint64_t symbol, char *to)
{
	uint16_t length;
	int r = mem_u16(m, symbol + l->walk.symbol_length + l->walk.symbol_length_shift / 8, &length);

	if (r)
		return r;
	r = mem_read(m, symbol + l->walk.symbol_body, to, length);
	if (r)
		return r;
	/* modified UTF-8 has no 0 byte */
	if (!length || memchr(to, 0, length))
		return -EBADMSG;
	to[length] = 0;
	return length;
}

int symbol_in_pool(const struct hotspot_layout *l, const struct mem *m, uint64_t pool, uint32_t index, uint64_t *symbol)
{
	uint32_t length;
	int r = mem_u32(m, pool + l->pool_length, &length);

	if (r)
		return r;
	if (!index || index >= length)
		return -EBADMSG;
	r = mem_u64(m, pool + l->walk.pool_size + 8ULL * index, symbol);
	if (r)
		return r;
	*symbol &= ~1ULL;
	return *symbol ? 0 : -EBADMSG;
}

int symbol_read_in_pool(const struct hotspot_layout *l, const struct mem *m, uint64_t pool, uint32_t index, char *to)
{
	uint64_t symbol;

	return symbol_in_pool(l, m, pool, index, &symbol) ?: symbol_read(l, m, symbol, to);
}

int symbol_read_name(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, char *to)
{
	uint64_t symbol;

	return mem_u64(m, klass + l->walk.klass_name, &symbol) ?: symbol_read(l, m, symbol, to);
}

int symbol_keep(const char **out, const struct hotspot_layout *l, const struct mem *m, uint64_t symbol,
		bool (*plausible)(const char *text), struct method_table *t)
{
	char text[SYMBOL_MAX + 1];
	int length = symbol_read(l, m, symbol, text);

	if (length < 0)
		return length;
	if (!plausible(text))
		return -EBADMSG;
	*out = method_table_text(t, text, length);
	return *out ? 0 : -ENOMEM;
}

/* The name of a hidden class ends in '+' and digits, and contains no other forbidden character. */
bool symbol_names_class(const char *text)
{
	return *text && !strpbrk(text, ".;[");
}

bool symbol_names_method(const char *text)
{
	return *text && !strpbrk(text, ".;[/");
}

bool symbol_is_descriptor(const char *text)
{
	const char *end = *text == '(' ? strchr(text, ')') : NULL;

	return end && end[1];
}

bool symbol_is_text(const char *text)
{
	return *text;
}
