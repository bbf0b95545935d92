// SPDX-License-Identifier: BSD-2-Clause
#include "filters/parse.h"
#include "filters/block.h"
#include "filters/caret.h"
#include "filters/item.h"
#include "filters/lex.h"
#include "filters/list.h"
#include "filters/mistake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filter_list *filter_list_new(void)
{
	return calloc(1, sizeof(struct filter_list));
}

static void filter_release(struct filter *f)
{
	free(f->text);
	free(f->class_name);
	free(f->method);
}

static void set_cut(struct filter_set *s, size_t count)
{
	while (s->count > count)
		filter_release(&s->items[--s->count]);
}

static void set_release(struct filter_set *s)
{
	set_cut(s, 0);
	free(s->items);
}

void filter_list_free(struct filter_list *l)
{
	if (!l)
		return;
	set_release(&l->select);
	set_release(&l->exclude);
	free(l);
}

static bool set_has(const struct filter_set *s, const struct filter *f)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].hash == f->hash && strcmp(s->items[i].text, f->text) == 0)
			return true;
	return false;
}

/* Takes over what *f owns. */
static int set_add(struct filter_set *s, struct filter *f)
{
	struct filter *items;
	size_t capacity;

	if (set_has(s, f)) {
		filter_release(f);
		return 0;
	}
	if (s->count == s->capacity) {
		capacity = s->capacity ? 2 * s->capacity : 8;
		items = realloc(s->items, capacity * sizeof(*items));
		if (!items) {
			filter_release(f);
			return -ENOMEM;
		}
		s->items = items;
		s->capacity = capacity;
	}
	s->items[s->count++] = *f;
	return 0;
}

static void to_dots(char *name)
{
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

static int filter_init(struct filter *f, const char *text, const struct item *item)
{
	memset(f, 0, sizeof(*f));
	if (item->class_length && !(f->class_name = strndup(text + item->class_at, item->class_length)))
		goto fail;
	if (item->method_length && !(f->method = strndup(text + item->method_at, item->method_length)))
		goto fail;
	if (asprintf(&f->text, "%s%s%s", f->class_name ? f->class_name : "", f->method ? "::" : "",
		     f->method ? f->method : "") < 0) {
		f->text = NULL;
		goto fail;
	}
	if (f->class_name)
		to_dots(f->class_name);
	f->hash = block_hash(BLOCK_HASH_START, f->text, strlen(f->text));
	return 0;
fail:
	filter_release(f);
	return -ENOMEM;
}

/* Outer.Inner may be a package with a capital after all: then the JVM's own form tells. */
static void add_way_out(const char *text, size_t length, const struct fault *fault, struct diag *d)
{
	char name[128];
	struct item item;
	struct fault other;
	size_t used = strlen(d->text);

	if (!strstr(fault->what, "nested class") || length >= sizeof(name))
		return;
	for (size_t i = 0; i < length; i++)
		name[i] = text[i] == '.' ? '/' : text[i];
	name[length] = 0;
	if (item_parse(name, 0, length, &item, &other))
		snprintf(d->text + used, sizeof(d->text) - used,
			 "\n  or, if the part before the caret is a package: '%s'", name);
}

static int wrong_filter(const char *text, size_t begin, size_t end, struct fault *fault, struct diag *d)
{
	char lines[600], right[300];
	bool known = mistake_correct(text, begin, end, fault, right, sizeof(right));
	int err;

	caret_show(text, strlen(text), fault->at, lines, sizeof(lines));
	if (!known)
		return diag_usage(d, "wrong filter: %s\n%s", fault->what, lines);
	err = diag_usage(d, "wrong filter: %s\n%s\n  the right filter: '%s'", fault->what, lines, right);
	add_way_out(text + begin, end - begin, fault, d);
	return err;
}

static int add_item(struct filter_set *s, const char *text, size_t begin, size_t end, struct diag *d)
{
	struct fault fault;
	struct filter f;
	struct item item;
	int err;

	if (!item_parse(text, begin, end, &item, &fault))
		return wrong_filter(text, begin, end, &fault, d);
	err = filter_init(&f, text, &item);
	if (!err)
		err = set_add(s, &f);
	return err ? diag_set(d, ENOMEM, "no memory for filters") : 0;
}

static int add_items(struct filter_set *s, const char *text, struct diag *d)
{
	size_t length = strlen(text), items = 0;
	size_t begin, end;
	int err;

	for (size_t at = 0; at <= length; at += strcspn(text + at, ";") + 1) {
		begin = at;
		end = at + strcspn(text + at, ";");
		lex_strip(text, &begin, &end);
		if (begin == end)
			continue;
		err = add_item(s, text, begin, end, d);
		if (err)
			return err;
		items++;
	}
	if (items == 0)
		return diag_usage(
			d, "wrong filter: it is empty; name a class or a method, as in 'com.acme.Cart::checkout'");
	return 0;
}

int filter_list_add(struct filter_list *l, const char *text, bool exclude, struct diag *d)
{
	struct filter_set *s = exclude ? &l->exclude : &l->select;
	size_t before = s->count, length = strlen(text);
	struct fault fault = {.what = "it is not UTF-8"};
	char lines[600];
	int err;

	fault.at = lex_utf8(text, length);
	if (fault.at < length) {
		caret_show(text, length, fault.at, lines, sizeof(lines));
		return diag_usage(d, "wrong filter: %s\n%s", fault.what, lines);
	}
	err = add_items(s, text, d);
	if (err)
		set_cut(s, before);
	return err;
}

size_t filter_list_size(const struct filter_list *l)
{
	return l->select.count;
}

const char *filter_list_text(const struct filter_list *l, size_t i)
{
	return i < l->select.count ? l->select.items[i].text : NULL;
}
