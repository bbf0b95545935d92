// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes through the cursor, and strings from it through decoding and writing: what is written must be a valid JFR
 * string in correct UTF-8 that reads back unchanged.
 */
#include "format/bytes.h"
#include "tests/fuzz/fuzz.h"

/* Writing and reading a text again must not change it. */
static void check_text(const struct bytes *text)
{
	struct bytes once, twice;
	struct cursor_text t;
	struct cursor c;

	bytes_init(&once);
	bytes_init(&twice);
	bytes_put_text(&once, (const char *)text->data, 100);
	cursor_init(&c, once.data, once.size);
	t = cursor_text(&c);
	check(cursor_ok(&c) && c.at == c.size && t.size <= 300);
	bytes_put_decoded(&twice, &t);
	check(twice.size == t.size && (!t.size || !memcmp(twice.data, t.data, t.size)));
	bytes_release(&once);
	bytes_release(&twice);
}

static void read_text(struct cursor *c)
{
	struct cursor_text t = cursor_text(c);
	struct bytes text;

	bytes_init(&text);
	bytes_put_decoded(&text, &t);
	bytes_put_u8(&text, 0);
	check_text(&text);
	bytes_release(&text);
}

static void read_leb(struct cursor *c)
{
	unsigned char again[LEB_MAX];
	uint64_t v = cursor_leb(c);
	size_t n = leb_write(again, v) - again;
	struct cursor back;

	cursor_init(&back, again, n);
	check(n == leb_size(v) && cursor_leb(&back) == v && cursor_ok(&back) && back.at == n);
}

/* The first byte of each step says what to read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c;

	cursor_init(&c, data, size);
	while (cursor_ok(&c) && c.at < c.size) {
		switch (cursor_u8(&c) % 6) {
		case 0: cursor_be16(&c); break;
		case 1: cursor_be32(&c); break;
		case 2: cursor_be64(&c); break;
		case 3: cursor_take(&c, cursor_u8(&c)); break;
		case 4: read_leb(&c); break;
		default: read_text(&c);
		}
		check(c.at <= c.size && (cursor_ok(&c) || c.bad <= c.size));
	}
	return 0;
}
