/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lexer of filters. Text is UTF-8. Class files allow nearly all characters in names (JVMS 4.2.2: all but . ; [ /
 * and, in methods, < and >). In a filter those that have no meaning of their own stand for themselves; each other one
 * follows a backslash, or is written \uXXXX.
 */
#ifndef FILTERS_LEX_H
#define FILTERS_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,    /* a name or a part of it; '*' counts as a letter */
	TOKEN_SPECIAL, /* <init>, <clinit>, any letters in angle brackets */
	TOKEN_DOT,
	TOKEN_SLASH,
	TOKEN_MEMBER, /* :: or # */
	TOKEN_SPACE,
	TOKEN_OTHER, /* one character that is invalid in a filter */
};

/* Where the next token stands, which decides about blanks and about what a name begins with. */
enum lex_part {
	LEX_CLASS,  /* '!', '+', '@' and quotes begin no name; blanks only in the last part, and before "::" */
	LEX_METHOD, /* blanks between the letters of a name belong to it */
	LEX_TYPE,   /* blanks end a name */
};

struct token {
	enum token_kind kind;
	size_t at, length; /* bytes */
};

struct lexer {
	const char *text;
	size_t at, end;
	enum lex_part part;
};

struct token lex_next(struct lexer *l);

/*
 * Number of bytes of the white space character at `at` (as for String.strip(), plus no-break spaces); 0 if there
 * is none.
 */
size_t lex_space(const char *text, size_t at, size_t end);

/* The first '*' in text[at, at + length) that is not escaped, or NULL. */
const char *lex_wildcard(const char *text, size_t at, size_t length);

/* True if "\uXXXX" is at `at`; *code is set. */
bool lex_unicode(const char *text, size_t at, size_t end, unsigned int *code);

/* Move both ends inwards past white space. */
void lex_strip(const char *text, size_t *begin, size_t *end);

/* True for ASCII characters that stand for themselves in a name. '*' is one of them, and a wildcard. */
bool lex_letter(unsigned char c);

/* True for letters that cannot begin a part of a class name: prefixes of filters, and quotes. */
bool lex_prefix(unsigned char c);

/*
 * Number of bytes of the escape at `at`: a backslash with the character that it makes a letter, or \uXXXX. 0 if there
 * is none, or one of a character that no name has.
 */
size_t lex_escape(const char *text, size_t at, size_t end);

/* Offset of the first byte that is not UTF-8, or of a zero character; `length` if there is none. */
size_t lex_utf8(const char *text, size_t length);

#endif
