// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/prometheus.h"
#include "format/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void prometheus_family(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A new line would end the sample. Other control characters are allowed, but somebody may look at the file. */
static void prometheus_put_byte(FILE *to, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(to, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", to);
	else if (c < 0x20 || c == 0x7f)
		fputs("\xef\xbf\xbd", to);
	else
		putc(c, to);
}

void prometheus_label(FILE *to, const char *key, const char *value)
{
	size_t size = strlen(value);
	char *utf8 = malloc(3 * size + 1);
	size_t length = utf8 ? utf8_from_java(utf8, value, size) : 0;

	fprintf(to, "%s=\"", key);
	for (size_t i = 0; i < length; i++)
		prometheus_put_byte(to, utf8[i]);
	putc('"', to);
	free(utf8);
}

static void prometheus_put_name(FILE *to, const char *name, const char *labels, const char *more)
{
	fputs(name, to);
	if (*labels || *more)
		fprintf(to, "{%s%s%s}", labels, *labels && *more ? "," : "", more);
}

void prometheus_count(FILE *to, const char *name, const char *labels, const char *more, uint64_t n)
{
	prometheus_put_name(to, name, labels, more);
	fprintf(to, " %" PRIu64 "\n", n);
}

void prometheus_seconds(FILE *to, const char *name, const char *labels, const char *more, uint64_t ns)
{
	prometheus_put_name(to, name, labels, more);
	fprintf(to, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}
