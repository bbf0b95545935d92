// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/masked.h"

#include <stdint.h>
#include <string.h>

#define ELLIPSIS 0x2026

struct masking {
	void *text;
	bool wide, mysql;
	size_t length; /* without what says that the text was cut */
	size_t at, put;
};

/* The character at `i`; 0: it is behind the end. */
static unsigned int char_at(const struct masking *m, size_t i)
{
	if (i >= m->length)
		return 0;
	return m->wide ? ((uint16_t *)m->text)[i] : ((uint8_t *)m->text)[i];
}

static void put_char(struct masking *m, unsigned int c)
{
	if (m->wide)
		((uint16_t *)m->text)[m->put++] = c;
	else
		((uint8_t *)m->text)[m->put++] = c;
}

static bool is_digit(unsigned int c)
{
	return c >= '0' && c <= '9';
}

/* Letters beyond ASCII are letters of names. */
static bool is_word(unsigned int c)
{
	return is_digit(c) || (c | 32) - 'a' < 26 || c == '_' || c == '$' || c >= 0x80;
}

/* Leave off "…(4096)". */
static struct masking masking_begin(void *text, size_t length, bool wide)
{
	struct masking m = {.text = text, .wide = wide, .length = length};
	size_t i = length;

	if (!wide || char_at(&m, length - 1) != ')')
		return m;
	for (i--; i && is_digit(char_at(&m, i - 1));)
		i--;
	if (i > 1 && char_at(&m, i - 1) == '(' && char_at(&m, i - 2) == ELLIPSIS)
		m.length = i - 2;
	return m;
}

static size_t masking_end(struct masking *m, size_t whole)
{
	size_t size = m->wide ? 2 : 1;

	memmove((char *)m->text + m->put * size, (char *)m->text + m->length * size, (whole - m->length) * size);
	return m->put + whole - m->length;
}

/*
 * Go behind the end of 'x', where '' is a quote. False: where it ends depends on the dialect, or on MySQL's NO_BACKSLASH_ESCAPES.
 * In both readings of MySQL two backslashes leave a quote behind them as it is.
 */
static bool skip_quoted(struct masking *m)
{
	unsigned int quote = char_at(m, m->at);

	for (m->at++; m->at < m->length; m->at++) {
		if (char_at(m, m->at) == '\\' && char_at(m, m->at + 1) == quote)
			return false;
		if (char_at(m, m->at) == '\\' && char_at(m, m->at + 1) == '\\' && m->mysql) {
			m->at++;
			continue;
		}
		if (char_at(m, m->at) != quote)
			continue;
		if (char_at(m, m->at + 1) != quote)
			break;
		m->at++;
	}
	m->at++;
	return true;
}

static void skip_line(struct masking *m)
{
	while (m->at < m->length && char_at(m, m->at) != '\n')
		m->at++;
	m->at++;
}

/* The length of $$ or $tag$ at `at`; 0: there is none. */
static size_t dollar_tag(const struct masking *m, size_t at)
{
	size_t n = 1;

	if (char_at(m, at) != '$' || is_digit(char_at(m, at + 1)))
		return 0;
	while (char_at(m, at + n) != '$' && is_word(char_at(m, at + n)))
		n++;
	return char_at(m, at + n) == '$' ? n + 1 : 0;
}

/* Go behind the tag that ends what begins with that of `n` characters. */
static void skip_dollars(struct masking *m, size_t n)
{
	size_t tag = m->at, same;

	for (m->at += n; m->at < m->length; m->at++) {
		for (same = 0; same < n && char_at(m, m->at + same) == char_at(m, tag + same);)
			same++;
		if (same == n)
			break;
	}
	m->at += n;
}

/* 12, 1.5e-3, 0xff, 1_000. */
static void skip_number(struct masking *m)
{
	unsigned int before = 0;

	for (; m->at < m->length; m->at++) {
		unsigned int c = char_at(m, m->at);
		bool signs = (c == '-' || c == '+') && (before | 32) == 'e' && is_digit(char_at(m, m->at + 1));

		if (!is_word(c) && c != '.' && !signs)
			break;
		before = c;
	}
}

static void copy_word(struct masking *m)
{
	while (m->at < m->length && is_word(char_at(m, m->at)))
		put_char(m, char_at(m, m->at++));
}

/* A name in "x" or `x`. */
static void copy_name(struct masking *m, unsigned int quote)
{
	do
		put_char(m, char_at(m, m->at++));
	while (m->at < m->length && char_at(m, m->at) != quote);
	if (m->at < m->length)
		put_char(m, char_at(m, m->at++));
}

/* False: a comment begins inside of it. Where it ends then depends on the dialect. */
static bool skip_comment(struct masking *m)
{
	for (m->at += 2; m->at < m->length; m->at++) {
		unsigned int c = char_at(m, m->at), next = char_at(m, m->at + 1);

		if (c == '/' && next == '*')
			return false;
		if (c != '*' || next != '/')
			continue;
		m->at += 2;
		break;
	}
	return true;
}

/* MySQL wants a blank behind it, or the end. */
static bool is_line_comment(const struct masking *m)
{
	unsigned int c = char_at(m, m->at);

	if (c == '#')
		return m->mysql;
	return c == '-' && char_at(m, m->at + 1) == '-' && (!m->mysql || char_at(m, m->at + 2) <= ' ');
}

/*
 * Does something begin here that one dialect ends elsewhere than another: Oracle's q'[x]', H2's comment behind //, and
 * SQL Server's name [it's], where others have an array?
 */
static bool is_ambiguous(const struct masking *m)
{
	unsigned int c = char_at(m, m->at), next = char_at(m, m->at + 1);
	size_t i = m->at + ((c | 32) == 'n'), quotes = 0;

	if (((char_at(m, i) | 32) == 'q' && char_at(m, i + 1) == '\'') || (c == '/' && next == '/'))
		return true;
	for (i = m->at; c == '[' && i < m->length && char_at(m, i) != ']'; i++)
		quotes += char_at(m, i) == '\'';
	return quotes % 2;
}

/* A letter that belongs to the text behind it: E'x', N'x', B'1', X'ff'. */
static bool is_prefix(const struct masking *m)
{
	unsigned int c = char_at(m, m->at);

	return char_at(m, m->at + 1) == '\'' && c && c < 128 && strchr("eEnNbBxX", c);
}

/* Go behind a value or a comment. Returns what stands for it; 0: there is none. *known: where it ends. */
static unsigned int skip_masked(struct masking *m, bool *known)
{
	unsigned int c = char_at(m, m->at), next = char_at(m, m->at + 1);
	size_t tag = m->mysql ? 0 : dollar_tag(m, m->at);

	if (tag)
		skip_dollars(m, tag);
	else if (is_digit(c) || (c == '.' && is_digit(next)))
		skip_number(m);
	else if (is_line_comment(m))
		skip_line(m);
	else if (c == '/' && next == '*')
		*known = skip_comment(m);
	else
		return 0;
	return c == '-' || c == '/' || c == '#' ? ' ' : '?';
}

/* What stands for a value is put behind it, because it is put into the text that is read. False: the rest is not known. */
static bool mask_part(struct masking *m)
{
	bool known = !is_ambiguous(m);
	unsigned int c = char_at(m, m->at), instead = known ? skip_masked(m, &known) : '?';

	if (instead) {
		put_char(m, instead);
	} else if (c == '\'' || (c == '"' && m->mysql) || is_prefix(m)) {
		m->at += is_prefix(m);
		known = skip_quoted(m);
		put_char(m, '?');
	} else if (c == '"' || c == '`') {
		copy_name(m, c);
	} else if (is_word(c)) {
		copy_word(m);
	} else {
		put_char(m, c);
		m->at++;
		while (c == '?' && is_digit(char_at(m, m->at))) /* a parameter, perhaps ?1 */
			put_char(m, char_at(m, m->at++));
	}
	return known;
}

static size_t mask_statement(struct masking m, size_t length)
{
	while (m.at < m.length && mask_part(&m))
		;
	return masking_end(&m, length);
}

size_t masked_sql(void *text, size_t length, bool wide)
{
	return mask_statement(masking_begin(text, length, wide), length);
}

size_t masked_mysql(void *text, size_t length, bool wide)
{
	struct masking m = masking_begin(text, length, wide);

	m.mysql = true;
	return mask_statement(m, length);
}

size_t masked_url(void *text, size_t length, bool wide)
{
	struct masking m = masking_begin(text, length, wide);
	size_t host = 0;

	for (; m.at < m.length; m.at++) {
		unsigned int c = char_at(&m, m.at);
		bool in_host = host && host != SIZE_MAX;

		if (c == '?' || c == '#' || (c == ';' && !in_host))
			return m.put;
		if (c == '/' && m.at && char_at(&m, m.at - 1) == '/' && !host)
			host = m.put + 1;
		else if (c == '/' && host)
			host = SIZE_MAX;
		if (c == '@' && in_host)
			m.put = host;
		else if (c == '@' && !host && char_at(&m, 0) != '/')
			m.put = 0;
		else
			put_char(&m, c);
	}
	if (host && host != SIZE_MAX && m.length != length) /* of a user the end may be missing */
		m.put = host;
	return masking_end(&m, length);
}
