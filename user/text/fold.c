// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/fold.h"

#include <string.h>

static size_t fold_characters(const unsigned char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

size_t fold_columns(const struct bytes *out)
{
	const unsigned char *end = out->size ? memrchr(out->data, '\n', out->size) : NULL;
	size_t begin = end ? end + 1 - out->data : 0;

	return out->size ? fold_characters(out->data + begin, out->size - begin) : 0;
}

static void fold_begin_line(struct bytes *out, unsigned int indent)
{
	bytes_put_u8(out, '\n');
	for (unsigned int i = 0; i < indent; i++)
		bytes_put_u8(out, ' ');
}

void fold_words(struct bytes *out, const char *line, size_t width, unsigned int indent)
{
	size_t blanks = strspn(line, " "), word = strcspn(line + blanks, " "), column = 0, columns;
	bool first = true;

	for (; blanks || word; line += blanks + word, blanks = strspn(line, " "), word = strcspn(line + blanks, " ")) {
		columns = fold_characters((const unsigned char *)line + blanks, word);
		if (word && !first && column + blanks + columns > width) {
			fold_begin_line(out, indent);
			column = indent;
		} else {
			bytes_put(out, line, blanks);
			column += blanks;
		}
		bytes_put(out, line + blanks, word);
		column += columns;
		first = false;
	}
}

void fold_beside(struct bytes *out, const char *separator, const char *text, size_t width, unsigned int indent)
{
	size_t columns = strlen(separator) + fold_characters((const unsigned char *)text, strlen(text));

	if (fold_columns(out) + columns <= width) {
		bytes_put(out, separator, strlen(separator));
	} else {
		bytes_put(out, separator, strcspn(separator, " "));
		fold_begin_line(out, indent);
	}
	bytes_put(out, text, strlen(text));
}
