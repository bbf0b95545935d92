// SPDX-License-Identifier: BSD-2-Clause
/*
 * One filter. JEP 520 would take a.b.Outer.Inner and match nothing: the
 * JVM calls that class a.b.Outer$Inner. The same happens to a.b.C.m. Both are
 * what people type, so a capitalised part that is followed by the last part
 * is a fault here. For the rare package that has a capital (org.omg.CORBA),
 * the JVM's own form with slashes says what is meant.
 */
#include "filters/item.h"
#include "filters/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 40000 /* class files have 65535 bytes for a name, and up to 6 for 4 of ours */

struct parser {
	struct lexer lexer;
	struct token token;
	struct fault *fault;
	size_t slash; /* the first one; SIZE_MAX: none */
};

static void advance(struct parser *p)
{
	p->token = lex_next(&p->lexer);
}

__attribute__((format(printf, 3, 4))) static bool fail(struct parser *p, size_t at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->fault->what, sizeof(p->fault->what), format, args);
	va_end(args);
	p->fault->at = at;
	return false;
}

static bool fail_colon(struct parser *p)
{
	size_t next = p->token.at + 1;
	char c = next < p->lexer.end ? p->lexer.text[next] : 0;

	if (c >= '0' && c <= '9')
		return fail(p, p->token.at, "a threshold in a filter is not supported yet, use --threshold");
	return fail(p, p->token.at, "a method is written after two colons");
}

/* A character that has no place here. */
static bool fail_other(struct parser *p)
{
	char c = p->lexer.text[p->token.at];

	switch (c) {
	case '*':
	case '?':
		return fail(p, p->token.at, "wildcards are not supported yet");
	case '@':
		return fail(p, p->token.at, "filters by annotation are not supported yet");
	case '+':
		return fail(p, p->token.at, "filters by supertype are not supported yet");
	case '!':
		return fail(p, p->token.at, "'!' is not supported yet, exclude with -x");
	case ':':
		return fail_colon(p);
	case ',':
		return fail(p, p->token.at, "filters are separated by ';'");
	case '(':
		return fail(p, p->token.at, "a filter has no parentheses");
	default:
		if (c >= '0' && c <= '9')
			return fail(p, p->token.at, "a Java name does not begin with a digit");
		if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x7f)
			return fail(p, p->token.at, "a control character cannot stand in a Java name");
		return fail(p, p->token.at, "'%c' cannot stand in a Java name", c);
	}
}

/* The token is not what the grammar wants here. */
static bool fail_token(struct parser *p, const char *wanted)
{
	switch (p->token.kind) {
	case TOKEN_OTHER:
		return fail_other(p);
	case TOKEN_SPACE:
		return fail(p, p->token.at, "filters are separated by ';', and have no spaces");
	case TOKEN_SPECIAL:
		return fail(p, p->token.at, "<init> and <clinit> are methods, they follow '::'");
	default:
		return fail(p, p->token.at, "%s", wanted);
	}
}

static bool check_name(struct parser *p)
{
	const char *name = p->lexer.text + p->token.at;

	if (lex_keyword(name, p->token.length))
		return fail(p, p->token.at, "'%.*s' is a Java keyword", (int)p->token.length, name);
	return true;
}

static bool parse_class(struct parser *p, struct item *item)
{
	item->class_at = p->token.at;
	for (;;) {
		if (p->token.kind != TOKEN_NAME)
			return fail_token(p, "a part of the class name is missing");
		if (!check_name(p))
			return false;
		item->class_length = p->token.at + p->token.length - item->class_at;
		advance(p);
		if (p->token.kind == TOKEN_SLASH && p->slash == (size_t)-1)
			p->slash = p->token.at;
		if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_SLASH)
			return true;
		advance(p);
	}
}

static bool parse_method(struct parser *p, struct item *item)
{
	const char *name = p->lexer.text + p->token.at;

	item->method_at = p->token.at;
	item->method_length = p->token.length;
	if (p->token.kind == TOKEN_SPECIAL) {
		if (strncmp(name, "<init>", 6) != 0 && strncmp(name, "<clinit>", 8) != 0)
			return fail(p, p->token.at, "of names in angle brackets there are <init> and <clinit>");
	} else if (p->token.kind != TOKEN_NAME) {
		return fail_token(p, "the method's name is missing");
	} else if (!check_name(p)) {
		return false;
	}
	advance(p);
	return true;
}

static bool capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/*
 * Offset of the separator after a capitalised part that looks like the outer class: all parts between it and the
 * last one are capitalised, too. 0: none.
 */
static size_t outer_class(const char *name, size_t length)
{
	bool part_capital = capital(name[0]);
	size_t outer = 0;

	for (size_t i = 1; i < length; i++) {
		if (name[i] != '.' && name[i] != '/')
			continue;
		if (part_capital && !outer)
			outer = i;
		else if (!part_capital)
			outer = 0;
		part_capital = i + 1 < length && capital(name[i + 1]);
	}
	return outer;
}

static bool check_class(struct parser *p, const struct item *item)
{
	const char *name = p->lexer.text + item->class_at;
	size_t length = item->class_length, outer, last;

	if (length == 0)
		return true;
	outer = outer_class(name, length);
	if (p->slash != (size_t)-1) {
		if (memchr(name, '.', length) || !outer)
			return fail(p, p->slash, "a class name is written with dots");
		return true;
	}
	if (!outer)
		return true;
	for (last = length; name[last - 1] != '.'; last--)
		;
	if (!capital(name[last]) && item->method_length == 0)
		return fail(p, item->class_at + last - 1, "a method is written after two colons");
	return fail(p, item->class_at + outer, "a nested class is written with '$'");
}

bool item_parse(const char *text, size_t begin, size_t end, struct item *item, struct fault *fault)
{
	struct parser p = {.lexer = {text, begin, end}, .fault = fault, .slash = (size_t)-1};

	memset(item, 0, sizeof(*item));
	if (end - begin > LONGEST)
		return fail(&p, begin, "no Java name is that long");
	advance(&p);
	if (p.token.kind != TOKEN_MEMBER && !parse_class(&p, item))
		return false;
	if (p.token.kind == TOKEN_MEMBER) {
		advance(&p);
		if (!parse_method(&p, item))
			return false;
	}
	if (p.token.kind != TOKEN_END)
		return fail_token(&p, item->method_length ? "nothing follows the method's name"
							  : "a part of the name is missing");
	return check_class(&p, item);
}
