/* SPDX-License-Identifier: BSD-2-Clause */
/* The lexer of filters. Text is UTF-8; each character outside ASCII that is not white space counts as a letter. */
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
	TOKEN_OTHER, /* one character that is invalid in a filter */
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

/*
 * Number of bytes of the white space character at `at` (as for String.strip(), plus no-break spaces); 0 if there
 * is none.
 */
size_t lex_space(const char *text, size_t at, size_t end);

/* Move both ends inwards past white space. */
void lex_strip(const char *text, size_t *begin, size_t *end);

/* True for the keywords of JLS 3.9 and for true, false, null, which cannot be part of a name. */
bool lex_keyword(const char *name, size_t length);

/* Offset of the first byte that is not UTF-8, or of a zero character; `length` if there is none. */
size_t lex_utf8(const char *text, size_t length);

#endif
