// SPDX-License-Identifier: BSD-2-Clause
/*
 * Corrects names in the forms that people paste:
 *
 *	at com.acme.Cart.checkout(Cart.java:42)			a stack trace
 *	at java.base/java.lang.String.hashCode(String.java:1)	with the module, JDK 9+
 *	at app//com.acme.Cart.checkout(Cart.java:42)		with the loader's name
 *	public int com.acme.Cart.checkout(int)			Method.toString()
 *	com/acme/Cart.checkout:(I)V				javap, the JVM's own logs
 *	com.acme.Outer.Inner, com.acme.Cart.class		source code
 *	com.acme.Cart.checkout(Order, boolean)			frtrace's own output
 *	Cart::`is it empty`, Cart::new				Kotlin, Java
 *
 * A copy of the text is transformed to a.b.C::m in small steps. The result must pass the parser.
 */
#include "filters/correct.h"
#include "filters/java_type.h"
#include "filters/lex.h"

#include <stdio.h>
#include <string.h>

struct draft {
	char *s; /* 0-terminated */
	size_t size;
	bool called;	 /* there were parentheses, so the last part is a method */
	char types[256]; /* the parameter types with their parentheses; empty if there are none */
};

static bool correct_is_space(char c)
{
	return c == ' ' || c == '\t';
}

static void cut_front(struct draft *d, const char *from)
{
	memmove(d->s, from, strlen(from) + 1);
}

static bool correct_ends_with(const char *s, const char *end)
{
	size_t length = strlen(s), n = strlen(end);

	return length >= n && strcmp(s + length - n, end) == 0;
}

/* Replace `n` bytes at `at` by the text `by`. */
static bool replace(struct draft *d, char *at, size_t n, const char *by)
{
	size_t m = strlen(by);

	if (strlen(d->s) - n + m >= d->size)
		return false;
	memmove(at + m, at + n, strlen(at + n) + 1);
	memcpy(at, by, m);
	return true;
}

/* Keep the types of an overload, "(int, String)", but not the "(I)" of "(I)V". */
static void keep_types(struct draft *d, const char *open)
{
	const char *close = strchr(open, ')');
	size_t length = close ? (size_t)(close + 1 - open) : 0;

	if (length <= 2 || length >= sizeof(d->types) || (close[1] && !correct_is_space(close[1])))
		return;
	memcpy(d->types, open, length);
	d->types[length] = 0;
}

/* Where the name of a method that is called begins, after its class: "public int a.b.C.is it ok" */
static char *member_of(struct draft *d)
{
	char *dot = strrchr(d->s, '.'), *colon = NULL;

	for (char *s = d->s; (s = strstr(s, "::")); s += 2)
		colon = s;
	return !colon || (dot && dot > colon) ? dot : colon;
}

/* Cut "(Cart.java:42)", "(int, String)", "(I)V", and words before the name: "at ", "public int ". */
static void cut_call(struct draft *d)
{
	char *open = strchr(d->s, '('), *space;

	if (open) {
		keep_types(d, open);
		*open = 0;
		d->called = true;
		while (open > d->s && (correct_is_space(open[-1]) || open[-1] == ':'))
			*--open = 0;
	}
	if (!d->called && strncmp(d->s, "at ", 3) != 0)
		return;
	space = d->called ? member_of(d) : NULL;
	for (space = space ? space : d->s + strlen(d->s); space > d->s && !correct_is_space(space[-1]); space--)
		;
	cut_front(d, space);
}

/* Cut "java.base/", "java.base@17.0.15/", "app//", but keep the slashes of com/acme/Cart.checkout. */
static void cut_module(struct draft *d)
{
	char *slash = strrchr(d->s, '/');
	size_t head;

	if (!slash)
		return;
	head = (size_t)(slash - d->s);
	if (strncmp(slash, "/0x", 3) == 0) /* a hidden class, which no filter selects */
		d->s[0] = 0;
	else if (memchr(d->s, '.', head) || memchr(d->s, '@', head) || (head && slash[-1] == '/') ||
		 (strchr(slash, '.') && slash[1] >= 'a' && slash[1] <= 'z'))
		cut_front(d, slash + 1);
}

/* Cut ".class", the ".java" of a file name, and "::*" or ".*" after a class. */
static void cut_suffix(struct draft *d)
{
	static const char *const suffixes[] = {".class", ".java", "::*", "#*", ".*"};
	size_t n = strlen(d->s);
	char *last;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (!correct_ends_with(d->s, suffixes[i]))
			continue;
		n -= strlen(suffixes[i]);
		d->s[n] = 0;
		last = strrchr(d->s, '.');
		last = last ? last + 1 : d->s;
		if (strcmp(suffixes[i], ".*") == 0 && !(*last >= 'A' && *last <= 'Z'))
			d->s[0] = 0; /* a package: no filter selects one */
		return;
	}
}

/* Replace the separator in C:m and C#m, but not before the threshold in C:10ms. */
static bool double_colon(struct draft *d)
{
	char *mark = strpbrk(d->s, ":#");

	if (!mark || (mark[0] == ':' && (mark[1] == ':' || (mark[1] >= '0' && mark[1] <= '9'))))
		return true;
	return replace(d, mark, 1, "::");
}

/* If the last part is a method, its dot becomes "::". A single name is a method of any class. */
static bool split_method(struct draft *d)
{
	char *dot = strrchr(d->s, '.');
	char *angle = strchr(d->s, '<');

	if (strstr(d->s, "::"))
		return true;
	if (angle && angle > d->s && angle[-1] == '.')
		return replace(d, angle - 1, 1, "::");
	if (!d->called)
		return true;
	return dot ? replace(d, dot, 1, "::") : replace(d, d->s, 0, "::");
}

/* Remove a quote, and the one that closes it at the end. */
static bool correct_unquote(struct draft *d, char *at)
{
	char *last = d->s + strlen(d->s) - 1;

	if (last > at && *last == *at)
		*last = 0;
	return replace(d, at, 1, "");
}

/* Repair faults for which the parser reports the exact character: the dot of Outer.Inner, the dot of C.m. */
static bool correct_mend(struct draft *d, const struct fault *fault)
{
	char *at = d->s + fault->at;

	if (strstr(fault->what, "without quotes"))
		return correct_unquote(d, at);
	if (strstr(fault->what, "called <init>"))
		return replace(d, at, 3, "<init>");
	if (*at != '.')
		return false;
	if (strstr(fault->what, "nested class"))
		return replace(d, at, 1, "$");
	if (strstr(fault->what, "two colons"))
		return replace(d, at, 1, "::");
	return false;
}

/* Append the types if they form a valid overload; Map.Entry becomes Map$Entry. */
static void add_types(struct draft *d)
{
	size_t length = strlen(d->s);
	struct fault fault;
	struct grammar_filter parsed;

	if (!d->types[0] || strlen(d->types) >= d->size - length)
		return;
	strcpy(d->s + length, d->types);
	while (!grammar_parse(d->s, 0, strlen(d->s), &parsed, &fault)) {
		char *at = d->s + fault.at;

		if (*at != '.' || !strstr(fault.what, "nested class") || at[1] < 'A' || at[1] > 'Z') {
			d->s[length] = 0;
			return;
		}
		*at = '$';
	}
}

static bool accept(struct draft *d)
{
	struct fault fault;
	struct grammar_filter parsed;

	/* each round replaces one dot */
	for (size_t rounds = 0; rounds < 32; rounds++) {
		if (d->s[0] == 0)
			return false;
		if (grammar_parse(d->s, 0, strlen(d->s), &parsed, &fault)) {
			add_types(d);
			return true;
		}
		if (!correct_mend(d, &fault))
			return false;
	}
	return false;
}

static bool correct_name(struct draft *d)
{
	cut_call(d);
	cut_module(d);
	java_name_dots(d->s);
	cut_suffix(d);
	return double_colon(d) && split_method(d) && accept(d);
}

/* True unless the text is a single word, which may be anything. */
static bool names_much(const char *s, size_t length)
{
	return memchr(s, '.', length) || memmem(s, length, "::", 2);
}

/* "A::m, B::n": each part has to be a filter. */
static bool correct_list(struct draft *d)
{
	struct fault fault;
	struct grammar_filter parsed;
	size_t out = 0, begin = 0;
	size_t length = strlen(d->s);

	for (size_t i = 0; i <= length; i++) {
		char c = d->s[i];

		if (c && c != ',' && !correct_is_space(c)) {
			d->s[out++] = c;
			continue;
		}
		if (out == begin)
			continue;
		if (!names_much(d->s + begin, out - begin) || !grammar_parse(d->s, begin, out, &parsed, &fault))
			return false;
		d->s[out++] = ';';
		begin = out;
	}
	if (out == 0)
		return false;
	d->s[out - 1] = 0;
	return true;
}

static void correct_explain(const char *text, size_t begin, size_t end, struct fault *fault)
{
	const char *open = memchr(text + begin, '(', end - begin);
	const char *slash = memchr(text + begin, '/', end - begin);
	size_t n = open ? end - (size_t)(open - text) : 0;

	if (open && (memmem(open, n, ".java", 5) || memmem(open, n, ".kt:", 4) || memmem(open, n, ".scala:", 7) ||
		     memmem(open, n, "Native Method", 13) || memmem(open, n, "Unknown Source", 14))) {
		fault->at = (size_t)(open - text);
		snprintf(fault->what, sizeof(fault->what), "this is a line of a stack trace");
	} else if (slash && fault->at == (size_t)(slash - text) &&
		   (memchr(text + begin, '.', fault->at - begin) || slash[1] == '/')) {
		snprintf(fault->what, sizeof(fault->what), "a module or loader is not part of a filter");
	}
}

bool correct_filter(const char *text, size_t begin, size_t end, struct fault *fault, char *right, size_t size)
{
	struct draft d = {.s = right, .size = size};

	if (end - begin >= size || memchr(text + begin, 0, end - begin))
		return false;
	memcpy(right, text + begin, end - begin);
	right[end - begin] = 0;
	correct_explain(text, begin, end, fault);
	if (!memchr(text + begin, '(', end - begin) && correct_list(&d))
		return true;
	memcpy(right, text + begin, end - begin);
	right[end - begin] = 0;
	return correct_name(&d);
}
