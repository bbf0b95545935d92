// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parser of one filter. JEP 520 accepts a.b.Outer.Inner and matches nothing, because the JVM calls that class
 * a.b.Outer$Inner; likewise a.b.C.m. Both are what people type. So a capitalised part directly before the last
 * part is a fault here. For the rare package with a capital letter (org.omg.CORBA), the JVM's own form with
 * slashes is unambiguous.
 */
#include "filters/grammar.h"
#include "filters/lex.h"
#include "filters/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 40000 /* a class file allows 65535 bytes per name, and 4 bytes of UTF-8 can take 6 there */

struct parser {
	struct lexer lexer;
	struct token token;
	struct fault *fault;
	bool method; /* the method has been parsed */
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
	if (!p->method)
		return fail(p, p->token.at, "a method is written after two colons");
	return fail(p, p->token.at, "one colon is followed by a time, as in C::m:10ms");
}

/* Report a character that is invalid here. */
static bool fail_other(struct parser *p)
{
	char c = p->lexer.text[p->token.at];

	switch (c) {
	case '@':
	case '+':
	case '!': return fail(p, p->token.at, "'%c' goes before a name", c);
	case ':': return fail_colon(p);
	case ',': return fail(p, p->token.at, "filters are separated by ';'");
	case '(': return fail(p, p->token.at, "parentheses follow a method, which is written after two colons");
	case '\'':
	case '"':
	case '`': return fail(p, p->token.at, "a name is written without quotes");
	case '[': return fail(p, p->token.at, "a name cannot contain '['");
	case '\\':
		return fail(p, p->token.at, "a '\\' is followed by a character of a name, as in C::a\\:b, or by uXXXX");
	default:
		if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x7f)
			return fail(p, p->token.at, "a control character in a name is written \\uXXXX");
		if (p->lexer.part == LEX_METHOD && (c == '<' || c == '>'))
			return fail(p, p->token.at, "the name of a method cannot contain '%c'", c);
		return fail(p, p->token.at, "'%c' in a name is written '\\%c'", c, c);
	}
}

/* Report a token that the grammar does not allow here. */
static bool fail_token(struct parser *p, const char *wanted)
{
	switch (p->token.kind) {
	case TOKEN_OTHER: return fail_other(p);
	case TOKEN_SPACE:
		return fail(p, p->token.at, "filters are separated by ';', and have no spaces outside of names");
	case TOKEN_SPECIAL: return fail(p, p->token.at, "<init> and <clinit> are methods, they follow '::'");
	default: return fail(p, p->token.at, "%s", wanted);
	}
}

static bool token_is(const struct parser *p, const char *word)
{
	return p->token.length == strlen(word) && memcmp(p->lexer.text + p->token.at, word, p->token.length) == 0;
}

static bool parse_class(struct parser *p, struct grammar_filter *parsed)
{
	parsed->class_at = p->token.at;
	for (;;) {
		if (p->token.kind != TOKEN_NAME)
			return fail_token(p, "a part of the class name is missing");
		parsed->class_length = p->token.at + p->token.length - parsed->class_at;
		advance(p);
		if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_SLASH)
			return true;
		advance(p);
	}
}

static bool grammar_parse_method(struct parser *p, struct grammar_filter *parsed)
{
	const char *name = p->lexer.text + p->token.at;

	parsed->method_at = p->token.at;
	parsed->method_length = p->token.length;
	if (p->token.kind == TOKEN_SPECIAL) {
		if (strncmp(name, "<init>", 6) != 0 && strncmp(name, "<clinit>", 8) != 0)
			return fail(p, p->token.at, "the only names in angle brackets are <init> and <clinit>");
	} else if (p->token.kind != TOKEN_NAME) {
		return fail_token(p, "the method's name is missing");
	} else if (token_is(p, "new")) { /* the Java language's C::new, and no name in it */
		return fail(p, p->token.at, "constructors are called <init>; a method of that name is written '\\new'");
	}
	advance(p);
	return true;
}

/* True if the part of a name at `at` is written like a class. */
static bool capital(const char *name, size_t at, size_t length)
{
	while (at < length && name[at] == '*')
		at++;
	return at < length && name[at] >= 'A' && name[at] <= 'Z';
}

/*
 * Offset of the separator after a capitalised part that looks like an outer class: all parts from it to the last
 * one are capitalised. 0: none.
 */
size_t grammar_outer_class(const char *name, size_t length)
{
	bool part_capital = capital(name, 0, length);
	size_t outer = 0;

	for (size_t i = 1; i < length; i++) {
		if (name[i] != '.' && name[i] != '/')
			continue;
		if (part_capital && !outer)
			outer = i;
		else if (!part_capital)
			outer = 0;
		part_capital = capital(name, i + 1, length);
	}
	return outer;
}

/* Offset of the last dot before a part that is not capitalised; 0: none */
static size_t method_dot(const char *name, size_t length)
{
	size_t last = length;

	while (last > 0 && name[last - 1] != '.')
		last--;
	return last && !capital(name, last, length) ? last - 1 : 0;
}

/* Check the separators of a class name: slashes only where dots would look like those of a nested class. */
static bool check_class(struct parser *p, size_t at, size_t length, bool may_end_in_method)
{
	const char *name = p->lexer.text + at, *slash = memchr(name, '/', length);
	size_t outer = grammar_outer_class(name, length);

	if (slash && (memchr(name, '.', length) || !outer))
		return fail(p, at + (size_t)(slash - name), "a class name is written with dots");
	if (slash || !outer)
		return true;
	if (may_end_in_method && method_dot(name, length))
		return fail(p, at + method_dot(name, length), "a method is written after two colons");
	return fail(p, at + outer, "a nested class is written with '$'");
}

/* Wildcards are for class names only; '+' and '@' need the name of one type. */
static bool check_prefix(struct parser *p, const struct grammar_filter *parsed)
{
	const char *star = lex_wildcard(p->lexer.text, parsed->class_at, parsed->class_length);

	if (!parsed->prefix || !star)
		return true;
	return fail(p, (size_t)(star - p->lexer.text),
		    parsed->prefix == '+' ? "a supertype is named in full, without '*'"
					  : "an annotation is named in full, without '*'");
}

static bool at_char(const struct parser *p, char c)
{
	return p->token.kind == TOKEN_OTHER && p->lexer.text[p->token.at] == c;
}

static void skip_spaces(struct parser *p)
{
	while (p->token.kind == TOKEN_SPACE)
		advance(p);
}

/* Any number of "[]", and of a parameter "..." at the end. */
static bool parse_dimensions(struct parser *p, bool parameter)
{
	size_t dots = 0, at;

	for (skip_spaces(p); at_char(p, '['); skip_spaces(p)) {
		advance(p);
		skip_spaces(p);
		if (!at_char(p, ']'))
			return fail(p, p->token.at, "an array is written with '[]'");
		advance(p);
	}
	for (at = p->token.at; p->token.kind == TOKEN_DOT; dots++)
		advance(p);
	if (dots && !parameter)
		return fail(p, at, "an array is written with '[]'");
	if (dots && dots != 3)
		return fail(p, at, "a varargs parameter is written with '...' or '[]'");
	skip_spaces(p);
	return true;
}

/* Report a token in the parentheses that is no type. */
static bool fail_type(struct parser *p)
{
	if (at_char(p, '<'))
		return fail(p, p->token.at, "a type is written without its parameters: List, not List<String>");
	if (p->token.kind == TOKEN_END)
		return fail(p, p->token.at, "the ')' is missing");
	if (p->token.kind == TOKEN_OTHER && !at_char(p, ',') && !at_char(p, ')'))
		return fail_other(p);
	return fail(p, p->token.at, "a type is missing, as in C::m(int,java.lang.String)");
}

/* The name of a type. A dot before "..." is not part of it. */
static bool parse_type_name(struct parser *p, bool parameter)
{
	const char *text = p->lexer.text;
	size_t begin = p->token.at, end = begin;

	for (bool more = true; more;) {
		if (p->token.kind != TOKEN_NAME)
			return fail_type(p);
		if (lex_wildcard(text, p->token.at, p->token.length))
			return fail(p, p->token.at, "a type is named in full, without '*'");
		end = p->token.at + p->token.length;
		more = p->lexer.end - end < 2 || memcmp(text + end, "..", 2) != 0;
		advance(p);
		more = more && (p->token.kind == TOKEN_DOT || p->token.kind == TOKEN_SLASH);
		if (more)
			advance(p);
	}
	if (end - begin == 4 && memcmp(text + begin, "void", 4) == 0 && (parameter || at_char(p, '[')))
		return fail(p, begin, parameter ? "no parameter is of type void" : "there are no arrays of void");
	return check_class(p, begin, end - begin, false);
}

/*
 * What the method returns. Characters with which no type begins in source code are likely slips: (I)V of the JVM, a
 * forgotten colon, the quote of a shell. A class with such a name has a backslash.
 */
static bool parse_returned(struct parser *p)
{
	size_t end = p->token.at + p->token.length;
	char first = p->lexer.text[p->token.at], next = end < p->lexer.end ? p->lexer.text[end] : 0;

	if (lex_prefix((unsigned char)first))
		return fail_other(p);
	if (first >= '0' && first <= '9')
		return fail(p, p->token.at, "a threshold follows a colon, as in C::m():10ms");
	if (p->token.length == 1 && strchr("BCDFIJSVZ", first) && next != '.' && next != '/')
		return fail(p, p->token.at, "what a method returns is written as in source code: int, not I");
	return parse_type_name(p, false) && parse_dimensions(p, false);
}

static bool parse_types(struct parser *p, struct grammar_filter *parsed)
{
	parsed->types_at = p->token.at;
	p->lexer.part = LEX_TYPE;
	advance(p);
	skip_spaces(p);
	while (!at_char(p, ')')) {
		if (!parse_type_name(p, true) || !parse_dimensions(p, true))
			return false;
		if (p->token.kind == TOKEN_NAME)
			return fail(p, p->token.at, "a parameter is written as its type alone, without a name");
		if (!at_char(p, ',') && !at_char(p, ')'))
			return fail_type(p);
		if (at_char(p, ')'))
			break;
		advance(p);
		skip_spaces(p);
		if (at_char(p, ')'))
			return fail_type(p);
	}
	advance(p);
	if (p->token.kind == TOKEN_NAME && !parse_returned(p))
		return false;
	parsed->types_length = p->token.at - parsed->types_at;
	return true;
}

/* Parse ":10ms", up to the end of the text. */
static bool parse_time(struct parser *p, struct grammar_filter *parsed)
{
	const char *text = p->lexer.text;

	if (p->token.at + 1 < p->lexer.end && (text[p->token.at + 1] < '0' || text[p->token.at + 1] > '9'))
		return fail_colon(p);
	parsed->time_at = p->token.at + 1;
	parsed->time_length = p->lexer.end - parsed->time_at;
	if (!time_parse(text + parsed->time_at, parsed->time_length, &parsed->threshold_ns))
		return fail(p, parsed->time_at, "a threshold is a whole number and a unit, ns us ms s m h or d");
	if (parsed->exclude)
		return fail(p, parsed->time_at - 1, "an exclusion has no threshold");
	p->lexer.at = p->lexer.end;
	advance(p);
	return true;
}

static void parse_prefix(struct parser *p, struct grammar_filter *parsed)
{
	if (at_char(p, '!')) {
		parsed->exclude = true;
		advance(p);
		skip_spaces(p);
	}
	if (at_char(p, '+') || at_char(p, '@')) {
		parsed->prefix = p->lexer.text[p->token.at];
		advance(p);
	}
}

static bool parse_target(struct parser *p, struct grammar_filter *parsed)
{
	if (p->token.kind == TOKEN_MEMBER && parsed->prefix)
		return fail(p, p->token.at, "a type is missing after '%c'", parsed->prefix);
	if (p->token.kind != TOKEN_MEMBER && !parse_class(p, parsed))
		return false;
	if (p->token.kind != TOKEN_MEMBER)
		return true;
	if (parsed->prefix == '@')
		return fail(p, p->token.at, "a filter by annotation has no method");
	p->lexer.part = LEX_METHOD;
	advance(p);
	if (!grammar_parse_method(p, parsed))
		return false;
	p->method = true;
	return !at_char(p, '(') || parse_types(p, parsed);
}

bool grammar_parse(const char *text, size_t begin, size_t end, struct grammar_filter *parsed, struct fault *fault)
{
	struct parser p = {.lexer = {text, begin, end, LEX_CLASS}, .fault = fault};

	*parsed = (struct grammar_filter){.threshold_ns = GRAMMAR_NO_THRESHOLD};
	if (end - begin > LONGEST)
		return fail(&p, begin, "no Java name is that long");
	advance(&p);
	parse_prefix(&p, parsed);
	if (!parse_target(&p, parsed))
		return false;
	if (at_char(&p, ':') && !parse_time(&p, parsed))
		return false;
	if (p.token.kind != TOKEN_END)
		return fail_token(&p, parsed->method_length ? "nothing follows the method's name"
							    : "a part of the name is missing");
	return check_prefix(&p, parsed) &&
	       check_class(&p, parsed->class_at, parsed->class_length, parsed->method_length == 0);
}
