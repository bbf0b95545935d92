// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures how far a known name is from a filter, and keeps the nearest few. The steps, from almost certainly
 * meant to perhaps meant:
 *
 *	the nested class that has the method		C::m for C$In::m: a shell ate "$In"
 *	other letter case				com.acme.cart
 *	the class is right, the method misspelt		C::chekout
 *	... or has no such overload			C::checkout(int)
 *	the simple name in another package		com.acme.old.Cart
 *	a nested class, its methods not known		C$In
 *	a few letters off, or more letters after	com.acme.Crat, com.acme.CartV2
 */
#include "filters/suggest.h"
#include "filters/filter_list_internal.h"
#include "filters/java_type.h"
#include "filters/near.h"
#include "filters/quote.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FILTERS 256
#define KEPT	32 /* more than are shown, because a filter that matches later removes its candidates */

enum {
	NESTED_HAS_METHOD = 1,
	OTHER_CASE = 2,
	OTHER_METHOD = 4,
	OTHER_PACKAGE = 10,
	NESTED = 14,
	OTHER_NAME = 20,
	LONGER_NAME = 28
};

struct candidate {
	char *text;
	size_t filter;
	int distance;
};

struct suggest {
	const struct filter_set *filters;
	size_t filter_count;
	struct candidate best[KEPT];
	size_t count;
	bool met[FILTERS];
};

struct suggest *suggest_new(const struct filter_list *l)
{
	struct suggest *n = calloc(1, sizeof(*n));

	if (n) {
		n->filters = &l->select;
		n->filter_count = l->select.count < FILTERS ? l->select.count : FILTERS;
	}
	return n;
}

void suggest_free(struct suggest *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->count; i++)
		free(n->best[i].text);
	free(n);
}

/* A class name, split into the package and the simple name with its nested classes. */
struct name {
	const char *text;
	size_t length, package; /* package: length with the final dot */
};

static struct name name_split(const char *text)
{
	struct name n = {.text = text, .length = strlen(text)};

	for (size_t i = 0; i < n.length; i++)
		if (text[i] == '.')
			n.package = i + 1;
	return n;
}

static bool same_package(struct name a, struct name b)
{
	return a.package == b.package && memcmp(a.text, b.text, a.package) == 0;
}

static bool begins_with(struct name a, struct name b)
{
	return a.length > b.length && strncasecmp(a.text, b.text, b.length) == 0;
}

/* True if `b` is nested in `a`. */
static bool nested_in(struct name a, struct name b)
{
	return begins_with(b, a) && b.text[a.length] == '$';
}

static int simple_distance(struct name a, struct name b)
{
	size_t a_length = a.length - a.package, b_length = b.length - b.package;
	int limit = a_length < 3 ? 0 : a_length < 6 ? 1 : 2 + (a_length > 12);
	int distance = near_distance(a.text + a.package, a_length, b.text + b.package, b_length, limit);

	if (distance == NEAR_FAR && same_package(a, b) && a_length > 2 && b_length > 2 &&
	    (begins_with(a, b) || begins_with(b, a)))
		return LONGER_NAME + (int)(a_length > b_length ? a_length - b_length : b_length - a_length) / 4;
	if (distance == NEAR_FAR)
		return NEAR_FAR;
	if (distance == 0)
		return same_package(a, b) ? OTHER_CASE : OTHER_PACKAGE;
	return (same_package(a, b) ? OTHER_NAME : OTHER_NAME + OTHER_PACKAGE) + distance;
}

static int class_distance(struct name wanted, struct name known)
{
	if (wanted.length == known.length && memcmp(wanted.text, known.text, known.length) == 0)
		return 0;
	if (wanted.length == known.length && strcasecmp(wanted.text, known.text) == 0)
		return OTHER_CASE;
	if (nested_in(wanted, known))
		return NESTED;
	return simple_distance(wanted, known);
}

static int method_distance(const char *wanted, const char *known)
{
	size_t length = strlen(wanted);
	int distance;

	if (strcmp(wanted, known) == 0)
		return 0;
	if (strcasecmp(wanted, known) == 0)
		return OTHER_METHOD;
	if (*known == '<' || *wanted == '<')
		return NEAR_FAR;
	distance = near_distance(wanted, length, known, strlen(known), length < 3 ? 0 : length < 6 ? 1 : 2);
	return distance == NEAR_FAR ? NEAR_FAR : OTHER_METHOD + distance;
}

/* Filters for many classes, or by annotation, get no suggestions. */
static bool names_one(const struct filter *f)
{
	return f->prefix != '@' && !(f->class_name && strchr(f->class_name, QUOTE_WILDCARD)) &&
	       !(f->method && strchr(f->method, QUOTE_WILDCARD));
}

/* The distance, or NEAR_FAR. Either the class or the method may differ, not both. */
static int distance_to(const struct filter *f, struct name known, const char *method)
{
	int c = f->class_name ? class_distance(name_split(f->class_name), known) : 0;
	int m = f->method && method ? method_distance(f->method, method) : 0;

	if (f->method && method && c == NESTED && m == 0)
		return NESTED_HAS_METHOD;
	if (c && m)
		return NEAR_FAR;
	return c + m;
}

static size_t same_text(const struct suggest *n, const char *text)
{
	size_t i = 0;

	while (i < n->count && strcmp(n->best[i].text, text) != 0)
		i++;
	return i;
}

static void candidate_remove(struct suggest *n, size_t i)
{
	free(n->best[i].text);
	n->count--;
	memmove(&n->best[i], &n->best[i + 1], (n->count - i) * sizeof(n->best[0]));
}

/* Takes ownership of `text`. */
static void candidate_add(struct suggest *n, char *text, size_t filter, int distance)
{
	size_t i = same_text(n, text);

	if (i < n->count && n->best[i].distance <= distance) {
		free(text);
		return;
	}
	if (i < n->count)
		candidate_remove(n, i);
	if (n->count == KEPT)
		candidate_remove(n, KEPT - 1);
	for (i = n->count; i > 0 && n->best[i - 1].distance > distance; i--)
		n->best[i] = n->best[i - 1];
	n->best[i] = (struct candidate){.text = text, .filter = filter, .distance = distance};
	n->count++;
}

/* The filter has matched: it needs no suggestions, and its candidates make room for others. */
static void filter_met(struct suggest *n, size_t filter)
{
	n->met[filter] = true;
	for (size_t i = n->count; i-- > 0;)
		if (n->best[i].filter == filter)
			candidate_remove(n, i);
}

static char *candidate_text(const struct filter *f, struct name known, const char *method)
{
	char *filter = quote_filter(known.text, f->method ? method : NULL, NULL), *text;

	if (!filter || asprintf(&text, "%s%s", f->prefix ? "+" : "", filter) < 0)
		text = NULL;
	free(filter);
	return text;
}

static void offer_to(struct suggest *n, size_t i, struct name known, const char *method)
{
	const struct filter *f = &n->filters->filters[i];
	int distance = names_one(f) ? distance_to(f, known, method) : NEAR_FAR;
	char *text;

	if (distance >= NEAR_FAR)
		return;
	/* the method exists but is not selected, so it must be another overload */
	if (distance == 0 && f->types && method)
		distance = OTHER_METHOD;
	if (distance == 0) {
		/* for C::m without a known method, the class alone proves nothing */
		if (!f->method || method)
			filter_met(n, i);
		return;
	}
	if (n->count == KEPT && n->best[KEPT - 1].distance <= distance)
		return;
	text = candidate_text(f, known, method);
	if (text)
		candidate_add(n, text, i, distance);
}

void suggest_offer(struct suggest *n, const char *class_name, const char *method)
{
	char dotted[512];
	size_t length = strlen(class_name);

	if (length == 0 || length >= sizeof(dotted))
		return;
	memcpy(dotted, class_name, length + 1);
	java_name_dots(dotted);
	for (size_t i = 0; i < n->filter_count; i++)
		if (!n->met[i])
			offer_to(n, i, name_split(dotted), method);
}

const char *suggest_best(const struct suggest *n, size_t i)
{
	return i < n->count && i < SUGGEST_BEST ? n->best[i].text : NULL;
}
