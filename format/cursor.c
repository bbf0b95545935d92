// SPDX-License-Identifier: BSD-2-Clause
#include "format/cursor.h"

void cursor_init(struct cursor *c, const void *data, size_t size)
{
	*c = (struct cursor){.data = data, .size = size};
}

struct cursor cursor_at(const void *data, size_t at, size_t end)
{
	struct cursor c = {.data = data, .size = end, .at = at};

	if (at > end)
		cursor_fail(&c, at, "offset past the end");
	return c;
}

void cursor_fail(struct cursor *c, size_t at, const char *error)
{
	if (c->error)
		return;
	c->error = error;
	c->bad = at;
}

void cursor_seek(struct cursor *c, size_t at)
{
	if (at > c->size)
		cursor_fail(c, c->at, "offset past the end");
	else if (!c->error)
		c->at = at;
}
