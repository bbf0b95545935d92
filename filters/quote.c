// SPDX-License-Identifier: BSD-2-Clause
#include "filters/quote.h"
#include "filters/grammar.h"
#include "filters/java_type.h"
#include "filters/lex.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_ESCAPE 6  /* of a byte: \u0020 */
#define LONGEST_TYPE   10 /* of a byte of a descriptor: Z becomes "boolean" and a comma */

/* A text in memory that is large enough. */
struct draft {
	char *at;
};

static void draft_put(struct draft *d, const char *text, size_t length)
{
	memcpy(d->at, text, length);
	d->at += length;
	*d->at = 0;
}

static void draft_puts(struct draft *d, const char *text)
{
	draft_put(d, text, strlen(text));
}

static void draft_put_unicode(struct draft *d, unsigned int code)
{
	d->at += sprintf(d->at, "\\u%04x", code);
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
static size_t draft_put_wide(struct draft *d, const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t length;
	unsigned int code;

	if (surrogate_pair(s, left)) {
		code = 0x10000 + ((s[1] & 0xfu) << 16 | (s[2] & 0x3fu) << 10 | (s[4] & 0xfu) << 6 | (s[5] & 0x3fu));
		draft_put(d,
			  (char[]){(char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)),
				   (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f))},
			  4);
		return 6;
	}
	code = wide_character(s, left, &length);
	if (!code && !(s[0] == 0xc0 && left > 1 && s[1] == 0x80)) {
		draft_put_unicode(d, 0xfffd);
		return 1;
	}
	if (code < 0xa0 || (code >= 0xd800 && code < 0xe000) || lex_space(text, 0, left))
		draft_put_unicode(d, code);
	else
		draft_put(d, text, length);
	return length;
}

/* Put a character of ASCII. */
static void draft_put_narrow(struct draft *d, unsigned char c, bool first, bool plain_blank)
{
	char escape[2] = {'\\', (char)c};

	if (c < ' ' || c == 0x7f || (c == ' ' && !plain_blank))
		draft_put_unicode(d, c);
	else if (c == ' ' || (lex_letter(c) && c != '*' && !(first && lex_prefix(c))))
		draft_put(d, escape + 1, 1);
	else
		draft_put(d, escape, 2);
}

/* Put a name without separators. `blanks`: those inside of it stand for themselves. */
static void draft_put_name(struct draft *d, const char *name, size_t length, bool blanks)
{
	for (size_t i = 0, n; i < length; i += n) {
		n = 1;
		if ((unsigned char)name[i] >= 0x80)
			n = draft_put_wide(d, name + i, length - i);
		else
			draft_put_narrow(d, (unsigned char)name[i], i == 0, blanks && i && i + 1 < length);
	}
}

/* Put a class with dots, or with slashes where dots would look like those of a nested class. */
static void draft_put_class(struct draft *d, const char *name, size_t length, bool blanks)
{
	char *start = d->at;
	size_t part = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && name[i] != '/' && name[i] != '.')
			continue;
		draft_put_name(d, name + part, i - part, blanks && i == length);
		part = i + 1;
		if (i < length)
			draft_put(d, ".", 1);
	}
	if (!grammar_outer_class(start, (size_t)(d->at - start)))
		return;
	for (char *s = start; s < d->at; s++)
		if (*s == '.')
			*s = '/';
}

static void draft_put_method(struct draft *d, const char *name)
{
	if (strcmp(name, "<init>") == 0 || strcmp(name, "<clinit>") == 0) {
		draft_puts(d, name);
		return;
	}
	if (strcmp(name, "new") == 0)
		draft_puts(d, "\\");
	draft_put_name(d, name, strlen(name), true);
}

/* The letter of a primitive type in descriptors; 0: it is none */
static char quote_letter(struct slice name)
{
	const char *letter = "BCDFIJSZ";

	while (*letter && !slice_is(name, java_primitive(*letter)))
		letter++;
	return *letter;
}

/* Put a type of a descriptor. Returns the rest, or NULL if it is invalid. */
static const char *draft_put_type(struct draft *d, const char *descriptor)
{
	struct java_type type;
	const char *rest = java_type_next(descriptor, &type);

	if (!rest || !type.letter)
		return NULL;
	if (type.letter == 'L' && (quote_letter(type.name) || slice_is(type.name, "void")))
		draft_puts(d, "\\");
	draft_put_class(d, type.name.at, type.name.length, false);
	while (type.arrays--)
		draft_puts(d, "[]");
	return rest;
}

static bool draft_put_types(struct draft *d, const char *descriptor)
{
	const char *type = descriptor + 1;

	if (*descriptor != '(')
		return false;
	draft_puts(d, "(");
	while (type && *type != ')') {
		if (type != descriptor + 1)
			draft_puts(d, ",");
		type = draft_put_type(d, type);
	}
	draft_puts(d, ")");
	return type;
}

char *quote_filter(const char *class_name, const char *method, const char *descriptor)
{
	size_t size = LONGEST_ESCAPE * (strlen(class_name) + (method ? strlen(method) : 0)) +
		      LONGEST_TYPE * (descriptor ? strlen(descriptor) : 0) + sizeof("::\\()");
	char *out = malloc(size);
	struct draft d = {out};

	if (!out)
		return NULL;
	draft_put_class(&d, class_name, strlen(class_name), method);
	if (method) {
		draft_puts(&d, "::");
		draft_put_method(&d, method);
	}
	if (!descriptor || draft_put_types(&d, descriptor))
		return out;
	free(out);
	return NULL;
}

/* Put a character below U+10000 in modified UTF-8 (JVMS 4.4.7): U+0000 and surrogates, too. */
static void draft_put_modified(struct draft *d, unsigned int code)
{
	char wide[3] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f))};
	char two[2] = {(char)(0xc0 | code >> 6), wide[2]}, one = (char)code;

	if (code && code < 0x80)
		draft_put(d, &one, 1);
	else if (code < 0x800)
		draft_put(d, two, 2);
	else
		draft_put(d, wide, 3);
}

char *quote_remove(const char *text, size_t length)
{
	static const char any = QUOTE_WILDCARD;
	char *out = calloc(1, length + 1);
	struct draft d = {out};
	unsigned int code;
	size_t n;

	for (size_t i = 0; out && i < length; i += n) {
		n = lex_escape(text, i, length);
		if (n == 0)
			draft_put(&d, text[i] == '*' ? &any : text + i, 1);
		else if (lex_unicode(text, i, length, &code))
			draft_put_modified(&d, code);
		else
			draft_put(&d, text + i + 1, 1);
		n = n ? n : 1;
	}
	return out;
}

/* A source type while it is read. */
struct source_type {
	size_t at, length, dimensions, dots;
};

/* Put the descriptor of a source type, with dots. */
static bool draft_put_source_type(struct draft *d, const char *text, const struct source_type *t)
{
	char letter = quote_letter((struct slice){text + t->at, t->length}), *name;

	for (size_t i = 0; i < t->dimensions + (t->dots == 3); i++)
		draft_puts(d, "[");
	if (letter) {
		draft_put(d, &letter, 1);
		return true;
	}
	name = quote_remove(text + t->at, t->length);
	if (!name)
		return false;
	draft_puts(d, "L");
	draft_puts(d, name);
	draft_puts(d, ";");
	free(name);
	return true;
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
	struct lexer l = {types, 1, length - 1, LEX_TYPE};
	char *out = malloc(LONGEST_TYPE * length);
	struct source_type type = {0};
	struct draft d = {out};
	struct token token;
	bool ok = out;

	if (ok)
		draft_puts(&d, "(");
	do {
		token = lex_next(&l);
		source_type_take(&type, &token, types);
		if (token.kind != TOKEN_END && !(token.kind == TOKEN_OTHER && types[token.at] == ','))
			continue;
		ok = ok && (!type.length || draft_put_source_type(&d, types, &type));
		type = (struct source_type){0};
	} while (token.kind != TOKEN_END);
	if (ok) {
		draft_puts(&d, ")");
		return out;
	}
	free(out);
	return NULL;
}

char *quote_shell(const char *text)
{
	char *out = malloc(4 * strlen(text) + 3);
	struct draft d = {out};

	if (!out)
		return NULL;
	draft_puts(&d, "'");
	for (; *text; text++)
		if (*text == '\'')
			draft_puts(&d, "'\\''");
		else
			draft_put(&d, text, 1);
	draft_puts(&d, "'");
	return out;
}
