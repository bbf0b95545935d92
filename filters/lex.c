// SPDX-License-Identifier: BSD-2-Clause
#include "filters/lex.h"

#include <string.h>

bool lex_letter(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_$*-?!@+'\"%&=^{}|~", c));
}

bool lex_prefix(unsigned char c)
{
	return c == '!' || c == '+' || c == '@' || c == '\'' || c == '"';
}

/* U+2000 to U+200A, the line and paragraph separators, and a few others. */
static bool wide_space(const unsigned char *s)
{
	unsigned int c = (s[0] & 0x0f) << 12 | (s[1] & 0x3f) << 6 | (s[2] & 0x3f);

	return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

size_t lex_space(const char *text, size_t at, size_t end)
{
	const unsigned char *s = (const unsigned char *)text + at;

	if (at >= end)
		return 0;
	if (s[0] == ' ' || (s[0] >= 0x09 && s[0] <= 0x0d) || (s[0] >= 0x1c && s[0] <= 0x1f))
		return 1;
	if (end - at >= 2 && s[0] == 0xc2 && s[1] == 0xa0)
		return 2;
	if (end - at >= 3 && (s[0] & 0xf0) == 0xe0 && wide_space(s))
		return 3;
	return 0;
}

void lex_strip(const char *text, size_t *begin, size_t *end)
{
	size_t n, last = *begin;

	while ((n = lex_space(text, *begin, *end)))
		*begin += n;
	last = *begin;
	for (size_t at = *begin; at < *end; at += n ? n : 1) {
		n = lex_space(text, at, *end);
		if (!n)
			last = at + 1;
	}
	*end = last;
}

/* Length of '<letters>'. The parser accepts only the two valid ones. */
static size_t special_length(const char *text, size_t at, size_t end)
{
	size_t i = at + 1;

	while (i < end && text[i] >= 'a' && text[i] <= 'z')
		i++;
	return i > at + 1 && i < end && text[i] == '>' ? i + 1 - at : 0;
}

/* U+0080 to U+009F: terminals may interpret them, and no name contains them. */
static bool control(const char *text, size_t at, size_t end)
{
	return end - at >= 2 && (unsigned char)text[at] == 0xc2 && (unsigned char)text[at + 1] < 0xa0;
}

/* No name has these (JVMS 4.2.2). */
static bool name_excludes(unsigned int c)
{
	return c == '.' || c == ';' || c == '[' || c == '/';
}

static unsigned int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (unsigned int)((c | 0x20) - 'a' + 10);
	return 16;
}

bool lex_unicode(const char *text, size_t at, size_t end, unsigned int *code)
{
	*code = 0;
	if (end - at < 6 || text[at] != '\\' || text[at + 1] != 'u')
		return false;
	for (size_t i = at + 2; i < at + 6; i++) {
		if (hex_digit(text[i]) > 15)
			return false;
		*code = *code << 4 | hex_digit(text[i]);
	}
	return true;
}

size_t lex_escape(const char *text, size_t at, size_t end)
{
	unsigned int code;

	if (end - at < 2 || text[at] != '\\')
		return 0;
	if (text[at + 1] == 'u')
		return lex_unicode(text, at, end, &code) && !name_excludes(code) ? 6 : 0;
	code = (unsigned char)text[at + 1];
	return code > ' ' && code < 0x7f && !name_excludes(code) ? 2 : 0;
}

const char *lex_wildcard(const char *text, size_t at, size_t length)
{
	size_t end = at + length, n;

	for (; at < end; at += n ? n : 1) {
		n = lex_escape(text, at, end);
		if (text[at] == '*')
			return text + at;
	}
	return NULL;
}

/* Number of bytes of a letter of a name, or of a part of one; 0: none */
static size_t letter_length(const char *text, size_t at, size_t end)
{
	unsigned char c = at < end ? (unsigned char)text[at] : 0;

	if (c == '\\')
		return lex_escape(text, at, end);
	if (c < 0x80)
		return lex_letter(c);
	return !lex_space(text, at, end) && !control(text, at, end);
}

/* True if what separates class and method is at `at`. */
static bool at_member(const char *text, size_t at, size_t end)
{
	return at < end && (text[at] == '#' || (text[at] == ':' && end - at > 1 && text[at + 1] == ':'));
}

/*
 * End of the name that goes on with the blanks at `at`; `at` itself if it ends there. "A::m B::n" and "int a.B::m" are
 * not single names.
 */
static size_t name_end_after_blanks(const struct lexer *l, size_t at)
{
	size_t i = at, n = 0;

	if (l->part == LEX_TYPE)
		return at;
	do {
		i += n;
		while (i < l->end && l->text[i] == ' ')
			i++;
		n = letter_length(l->text, i, l->end);
	} while (n);
	if (l->text[i - 1] == ' ')
		return at;
	if (l->part == LEX_CLASS)
		return at_member(l->text, i, l->end) ? i : at;
	return i == l->end || l->text[i] == '(' || (l->text[i] == ':' && !at_member(l->text, i, l->end)) ? i : at;
}

static size_t name_length(const struct lexer *l)
{
	size_t i = l->at, n;

	if (l->part == LEX_CLASS && lex_prefix((unsigned char)l->text[i]))
		return 0;
	while ((n = letter_length(l->text, i, l->end)))
		i += n;
	return (i > l->at && i < l->end && l->text[i] == ' ' ? name_end_after_blanks(l, i) : i) - l->at;
}

struct token lex_next(struct lexer *l)
{
	const char *s = l->text + l->at;
	struct token t = {.kind = TOKEN_OTHER, .at = l->at, .length = control(l->text, l->at, l->end) ? 2 : 1};
	size_t n;

	if (l->at >= l->end) {
		t.kind = TOKEN_END;
		t.length = 0;
	} else if ((n = lex_space(l->text, l->at, l->end))) {
		t.kind = TOKEN_SPACE;
		t.length = n;
	} else if ((n = name_length(l))) {
		t.kind = TOKEN_NAME;
		t.length = n;
	} else if (*s == '<' && (n = special_length(l->text, l->at, l->end))) {
		t.kind = TOKEN_SPECIAL;
		t.length = n;
	} else if (*s == ':' && l->end - l->at > 1 && s[1] == ':') {
		t.kind = TOKEN_MEMBER;
		t.length = 2;
	} else if (*s == '#') {
		t.kind = TOKEN_MEMBER;
	} else if (*s == '.') {
		t.kind = TOKEN_DOT;
	} else if (*s == '/') {
		t.kind = TOKEN_SLASH;
	}
	l->at += t.length;
	return t;
}

/* Number of bytes of the well-formed character at s; 0 if it is malformed (RFC 3629). */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (n == 0 || n > left || s[0] == 0)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

size_t lex_utf8(const char *text, size_t length)
{
	size_t at = 0, n;

	while (at < length && (n = utf8_length((const unsigned char *)text + at, length - at)))
		at += n;
	return at;
}
