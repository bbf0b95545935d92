// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/html.h"
#include "user/text/java_number.h"
#include "user/text/term.h"

static void html_put_byte(struct bytes *out, unsigned char c)
{
	switch (c) {
	case '&': put_text(out, "&amp;"); break;
	case '<': put_text(out, "&lt;"); break;
	case '>': put_text(out, "&gt;"); break;
	case '"': put_text(out, "&quot;"); break;
	case '\'': put_text(out, "&#39;"); break;
	default: bytes_put_u8(out, c);
	}
}

void html_put(struct bytes *out, const char *text)
{
	size_t size = strlen(text);
	struct bytes shown;

	bytes_init(&shown);
	if (text_show(&shown, text, size) < size)
		put_text(&shown, "\xef\xbf\xbd"); /* a character is incomplete at the end */
	for (size_t i = 0; i < shown.size; i++)
		html_put_byte(out, shown.data[i]);
	out->failed |= shown.failed;
	bytes_release(&shown);
}

void html_put_json(struct bytes *out, const char *json, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = json[i];

		if (c == '<' || c == '>' || c == '&')
			put_text(out, c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026");
		else
			bytes_put_u8(out, c);
	}
}
