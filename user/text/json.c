// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/json.h"
#include "format/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *j, FILE *to)
{
	*j = (struct json){.to = to};
}

/* Escape quotes, backslashes and control characters, also DEL: the output may go to a terminal. */
static void put_byte(struct json *j, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(j->to, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", j->to);
	else if (c < 0x20 || c == 0x7f)
		fprintf(j->to, "\\u%04x", c);
	else
		putc_unlocked(c, j->to);
}

/* Number of bytes at the beginning that stand for themselves. */
static size_t verbatim_length(const char *text, size_t size)
{
	size_t i = 0;

	while (i < size && text[i] >= 0x20 && text[i] < 0x7f && text[i] != '"' && text[i] != '\\')
		i++;
	return i;
}

static void put_escaped(struct json *j, const char *text, size_t size)
{
	char *utf8 = malloc(3 * size + 1);
	size_t length = utf8 ? utf8_from_java(utf8, text, size) : 0;

	for (size_t i = 0; i < length; i++)
		put_byte(j, utf8[i]);
	free(utf8);
}

static void json_put_text(struct json *j, const char *text, size_t size)
{
	size_t verbatim = verbatim_length(text, size);

	putc_unlocked('"', j->to);
	fwrite_unlocked(text, 1, verbatim, j->to);
	if (verbatim < size)
		put_escaped(j, text + verbatim, size - verbatim);
	putc_unlocked('"', j->to);
}

static void begin_value(struct json *j, const char *key)
{
	if (j->more)
		putc_unlocked(',', j->to);
	j->more = true;
	if (!key)
		return;
	json_put_text(j, key, strlen(key));
	putc_unlocked(':', j->to);
}

static void open_value(struct json *j, const char *key, char open, char close)
{
	assert(j->depth < JSON_DEPTH);
	begin_value(j, key);
	putc_unlocked(open, j->to);
	j->close[j->depth++] = close;
	j->more = false;
}

void json_object(struct json *j, const char *key)
{
	open_value(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_value(j, key, '[', ']');
}

void json_end(struct json *j)
{
	assert(j->depth);
	putc_unlocked(j->close[--j->depth], j->to);
	j->more = j->depth;
	if (!j->depth)
		putc_unlocked('\n', j->to);
}

void json_bytes(struct json *j, const char *key, const char *text, size_t size)
{
	begin_value(j, key);
	json_put_text(j, text, size);
}

void json_string(struct json *j, const char *key, const char *text)
{
	if (text)
		json_bytes(j, key, text, strlen(text));
	else
		json_null(j, key);
}

void json_signed(struct json *j, const char *key, int64_t n)
{
	begin_value(j, key);
	fprintf(j->to, "%" PRId64, n);
}

void json_unsigned(struct json *j, const char *key, uint64_t n)
{
	begin_value(j, key);
	fprintf(j->to, "%" PRIu64, n);
}

void json_real(struct json *j, const char *key, double n)
{
	if (!isfinite(n)) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	fprintf(j->to, "%.15g", n);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->to);
}

void json_null(struct json *j, const char *key)
{
	begin_value(j, key);
	fputs("null", j->to);
}

void json_literal(struct json *j, const char *key, const char *text)
{
	begin_value(j, key);
	fputs(text, j->to);
}
