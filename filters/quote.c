// SPDX-License-Identifier: BSD-2-Clause
#include "filters/quote.h"
#include "filters/grammar.h"
#include "filters/java_type.h"
#include "filters/lex.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "BCDFIJSVZ" /* of primitive types, and of void */

static void quote_put(struct bytes *b, const char *text)
{
	bytes_put(b, text, strlen(text));
}

/* The character of two or three bytes at s, or 0 if there is none. */
static unsigned int wide_character(const unsigned char *s, size_t left, size_t *length)
{
	unsigned int code;

	*length = s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc0 || s[0] >= 0xf0 || left < *length)
		return 0;
	code = *length == 3 ? s[0] & 0x0f : s[0] & 0x1f;
	for (size_t i = 1; i < *length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	return code;
}

/* True if the first of two surrogates is at s and the second one follows. */
static bool surrogate_pair(const unsigned char *s, size_t left)
{
	return left >= 6 && s[0] == 0xed && (s[1] & 0xf0) == 0xa0 && s[3] == 0xed && (s[4] & 0xf0) == 0xb0;
}

/* Put a character outside ASCII. Returns its length. */
static size_t quote_put_wide(struct bytes *b, const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	char pair[3 * 6];
	size_t length;
	unsigned int code;

	if (surrogate_pair(s, left)) {
		bytes_put(b, pair, utf8_from_java(pair, text, 6));
		return 6;
	}
	code = wide_character(s, left, &length);
	if (!code && !(s[0] == 0xc0 && left > 1 && s[1] == 0x80)) {
		quote_put(b, "\\ufffd");
		return 1;
	}
	if (code < 0xa0 || (code >= 0xd800 && code < 0xe000) || lex_space(text, 0, left))
		bytes_printf(b, "\\u%04x", code);
	else
		bytes_put(b, text, length);
	return length;
}

/* Put a character of ASCII. */
static void quote_put_narrow(struct bytes *b, unsigned char c, bool first, bool plain_blank)
{
	char escape[2] = {'\\', (char)c};

	if (c < ' ' || c == 0x7f || (c == ' ' && !plain_blank))
		bytes_printf(b, "\\u%04x", c);
	else if (c == ' ' || (lex_letter(c) && c != '*' && !(first && lex_prefix(c))))
		bytes_put(b, escape + 1, 1);
	else
		bytes_put(b, escape, 2);
}

/* Put a name without separators. `blanks`: those inside of it stand for themselves. */
static void quote_put_name(struct bytes *b, const char *name, size_t length, bool blanks)
{
	for (size_t i = 0, n; i < length; i += n) {
		n = 1;
		if ((unsigned char)name[i] >= 0x80)
			n = quote_put_wide(b, name + i, length - i);
		else
			quote_put_narrow(b, (unsigned char)name[i], i == 0, blanks && i && i + 1 < length);
	}
}

/* Put a class with dots, or with slashes where dots would look like those of a nested class. */
static void quote_put_class(struct bytes *b, const char *name, size_t length, bool blanks)
{
	size_t start = b->size, part = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && name[i] != '/' && name[i] != '.')
			continue;
		quote_put_name(b, name + part, i - part, blanks && i == length);
		part = i + 1;
		if (i < length)
			bytes_put(b, ".", 1);
	}
	if (!grammar_outer_class((const char *)b->data + start, b->size - start))
		return;
	for (size_t i = start; i < b->size; i++)
		b->data[i] = b->data[i] == '.' ? '/' : b->data[i];
}

static void quote_put_method(struct bytes *b, const char *name)
{
	if (strcmp(name, "<init>") == 0 || strcmp(name, "<clinit>") == 0) {
		quote_put(b, name);
		return;
	}
	if (strcmp(name, "new") == 0)
		quote_put(b, "\\");
	quote_put_name(b, name, strlen(name), true);
}

/* The letter of a primitive type, or of void, in descriptors; 0: it is none */
static char quote_letter(struct slice name)
{
	const char *letter = LETTERS;

	while (*letter && !slice_is(name, java_primitive(*letter)))
		letter++;
	return *letter;
}

/* Put a type of a descriptor. Returns the rest, or NULL if it is invalid. */
static const char *quote_put_type(struct bytes *b, const char *descriptor)
{
	struct java_type type;
	const char *rest = java_type_next(descriptor, &type);

	if (!rest || !type.letter)
		return NULL;
	if (type.letter == 'L' && quote_letter(type.name))
		quote_put(b, "\\");
	quote_put_class(b, type.name.at, type.name.length, false);
	while (type.arrays--)
		quote_put(b, "[]");
	return rest;
}

/* Put what is returned. It may not begin as grammar.c does not allow it. */
static bool quote_put_returned(struct bytes *b, const char *descriptor)
{
	const char *type = descriptor + strspn(descriptor, "[");
	bool letter = type[0] == 'L' && type[1] && strchr(LETTERS, type[1]) && type[2] == ';';
	bool digit = type[0] == 'L' && type[1] >= '0' && type[1] <= '9';

	if (strcmp(descriptor, "V") == 0) {
		quote_put(b, "void");
		return true;
	}
	quote_put(b, letter || digit ? "\\" : "");
	descriptor = quote_put_type(b, descriptor);
	return descriptor && !*descriptor;
}

static bool quote_put_types(struct bytes *b, const char *descriptor, bool exact)
{
	const char *type = descriptor + 1;

	if (*descriptor != '(')
		return false;
	quote_put(b, "(");
	while (type && *type != ')') {
		if (type != descriptor + 1)
			quote_put(b, ",");
		type = quote_put_type(b, type);
	}
	quote_put(b, ")");
	return type && (!exact || quote_put_returned(b, type + 1));
}

static char *quote_method(const char *class_name, const char *method, const char *descriptor, bool exact)
{
	struct bytes b;

	bytes_init(&b);
	quote_put_class(&b, class_name, strlen(class_name), method);
	if (method) {
		quote_put(&b, "::");
		quote_put_method(&b, method);
	}
	if (!descriptor || quote_put_types(&b, descriptor, exact))
		return bytes_steal_text(&b);
	bytes_release(&b);
	return NULL;
}

char *quote_filter(const char *class_name, const char *method, const char *descriptor)
{
	return quote_method(class_name, method, descriptor, false);
}

char *quote_exact(const char *class_name, const char *method, const char *descriptor)
{
	return quote_method(class_name, method, descriptor, true);
}

/* Put a character below U+10000 in modified UTF-8 (JVMS 4.4.7): U+0000 and surrogates, too. */
static void quote_put_modified(struct bytes *b, unsigned int code)
{
	char wide[3] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f))};
	char two[2] = {(char)(0xc0 | code >> 6), wide[2]}, one = (char)code;

	if (code && code < 0x80)
		bytes_put(b, &one, 1);
	else if (code < 0x800)
		bytes_put(b, two, 2);
	else
		bytes_put(b, wide, 3);
}

char *quote_remove(const char *text, size_t length)
{
	unsigned int code;
	struct bytes b;

	bytes_init(&b);
	for (size_t i = 0, n; i < length; i += n ?: 1) {
		n = lex_escape(text, i, length);
		if (n == 0)
			bytes_put_u8(&b, text[i] == '*' ? QUOTE_WILDCARD : text[i]);
		else if (lex_unicode(text, i, length, &code))
			quote_put_modified(&b, code);
		else
			bytes_put_u8(&b, text[i + 1]);
	}
	return bytes_steal_text(&b);
}

/* A source type while it is read. */
struct source_type {
	size_t at, length, dimensions, dots;
};

/* Put the descriptor of a source type, with dots. */
static void quote_put_source_type(struct bytes *b, const char *text, const struct source_type *t)
{
	char letter = quote_letter((struct slice){text + t->at, t->length}), *name;

	for (size_t i = 0; i < t->dimensions + (t->dots == 3); i++)
		bytes_put_u8(b, '[');
	if (letter) {
		bytes_put_u8(b, letter);
		return;
	}
	name = quote_remove(text + t->at, t->length);
	bytes_printf(b, "L%s;", name ?: "");
	b->failed |= !name;
	free(name);
}

/* Take in a token: the name grows over dots up to its last part, unless they stand for an array. */
static void source_type_take(struct source_type *t, const struct token *token, const char *text)
{
	if (token->kind == TOKEN_NAME) {
		t->at = t->length ? t->at : token->at;
		t->length = token->at + token->length - t->at;
		t->dots = 0;
	} else if (token->kind == TOKEN_DOT) {
		t->dots++;
	} else if (token->kind == TOKEN_OTHER && text[token->at] == '[') {
		t->dimensions++;
	}
}

char *quote_descriptor(const char *types, size_t length)
{
	struct lexer l = {types, 1, length, LEX_TYPE};
	struct source_type type = {0};
	struct token token;
	struct bytes b;
	char c;

	bytes_init(&b);
	bytes_put_u8(&b, '(');
	do {
		token = lex_next(&l);
		c = token.kind == TOKEN_OTHER ? types[token.at] : 0;
		source_type_take(&type, &token, types);
		if (token.kind != TOKEN_END && c != ',' && c != ')')
			continue;
		if (type.length)
			quote_put_source_type(&b, types, &type);
		if (c == ')')
			bytes_put_u8(&b, ')');
		type = (struct source_type){0};
	} while (token.kind != TOKEN_END);
	return bytes_steal_text(&b);
}

char *quote_shell(const char *text)
{
	struct bytes b;

	bytes_init(&b);
	bytes_put_u8(&b, '\'');
	for (; *text; text++)
		if (*text == '\'')
			quote_put(&b, "'\\''");
		else
			bytes_put_u8(&b, *text);
	bytes_put_u8(&b, '\'');
	return bytes_steal_text(&b);
}
