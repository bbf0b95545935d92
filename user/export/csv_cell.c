// SPDX-License-Identifier: BSD-2-Clause
#include "user/export/csv_cell.h"

#include <string.h>

void csv_put_cell(FILE *to, const char *text)
{
	const char *quote = text[strcspn(text, ",\"\r\n")] ? "\"" : "";

	fputs(quote, to);
	if (*text && strchr("=+-@\t\r", *text))
		fputc('\'', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputs(quote, to);
}
