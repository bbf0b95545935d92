/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a filter. Text is UTF-8; every character outside ASCII that is not white space counts as a letter. */
#ifndef FILTERS_LEX_H
#define FILTERS_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,    /* a Java identifier, or a keyword; '*' counts as a letter */
	TOKEN_SPECIAL, /* <init>, <clinit>, any letters in angle brackets */
	TOKEN_DOT,
	TOKEN_SLASH,
	TOKEN_MEMBER, /* :: or # */
	TOKEN_SPACE,
	TOKEN_OTHER, /* one character that has no place in a filter */
};

struct token {
	enum token_kind kind;
	size_t at, length; /* bytes */
};

struct lexer {
	const char *text;
	size_t at, end;
};

struct token lex_next(struct lexer *l);

/* Bytes of the white space character at `at` (what String.strip() takes away, and no-break spaces), 0 if it is none. */
size_t lex_space(const char *text, size_t at, size_t end);

/* Move both ends inwards over white space. */
void lex_strip(const char *text, size_t *begin, size_t *end);

/* JLS 3.9, and true, false, null: what no part of a name may be. */
bool lex_keyword(const char *name, size_t length);

/* Offset of the first byte that is not UTF-8, or of a zero character; `length` when there is none. */
size_t lex_utf8(const char *text, size_t length);

#endif
