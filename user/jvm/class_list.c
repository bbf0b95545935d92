// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/class_list.h"
#include "format/slice.h"
#include "format/vec.h"
#include "user/hotspot/class_image.h"
#include "user/hotspot/classes.h"
#include "user/hotspot/fields.h"
#include "user/hotspot/method_table.h"
#include "user/hotspot/page_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSES	       8
#define SUPERS	       1024
#define CLASS_ABSTRACT 0x0400u /* JVMS 4.1; of interfaces, too */

static int on_listed(const struct loaded_class *c, void *context)
{
	struct class_list *l = context;

	if (vec_reserve(&l->class, &l->capacity, (size_t)l->count + 1))
		return -ENOMEM;
	l->class[l->count] =
		(struct listed_class){c->klass, c->loader, method_table_text(l->texts, c->name, c->length)};
	return l->class[l->count++].name ? 0 : -ENOMEM;
}

int class_list_read(struct class_list *l, const struct hotspot_layout *layout, const struct mem *mem, struct diag *d)
{
	int err = -EAGAIN;

	*l = (struct class_list){.layout = layout, .mem = mem, .texts = calloc(1, sizeof(*l->texts))};
	if (!l->texts)
		return diag_set(d, ENOMEM, "no memory for classes");
	for (int i = 0; err == -EAGAIN && i < PASSES; i++) {
		l->count = 0;
		err = hotspot_each_class(layout, mem, on_listed, l);
	}
	return err ? diag_errno(d, -err, "cannot read the JVM's classes") : 0;
}

void class_list_release(struct class_list *l)
{
	if (l->texts)
		method_table_release(l->texts);
	free(l->texts);
	free(l->class);
	*l = (struct class_list){.count = 0};
}

const struct listed_class *class_list_find(const struct class_list *l, const char *name, size_t length, uint64_t loader)
{
	const struct listed_class *any = NULL;

	for (uint32_t i = 0; i < l->count; i++) {
		const struct listed_class *c = &l->class[i];

		if (strncmp(c->name, name, length) != 0 || c->name[length])
			continue;
		if (c->loader == loader)
			return c;
		any = any ? any : c;
	}
	return any;
}

const struct listed_class *class_list_super(const struct class_list *l, const struct listed_class *c)
{
	uint64_t klass;

	if (mem_u64(l->mem, c->klass + l->layout->klass_super, &klass))
		return NULL;
	for (uint32_t i = 0; i < l->count; i++)
		if (l->class[i].klass == klass)
			return &l->class[i];
	return NULL;
}

void class_list_add_name(char names[CLASS_LIST_NAMES], const char *name, const char *more)
{
	size_t n = strlen(names);

	if (n + strlen(name) + strlen(more) + 8 < CLASS_LIST_NAMES)
		snprintf(names + n, CLASS_LIST_NAMES - n, "%s%s%s", n ? ", " : "", name, more);
	else if (n + 5 < CLASS_LIST_NAMES && (n < 3 || strcmp(names + n - 3, "...") != 0))
		strcpy(names + n, " ...");
}

static void on_field(const struct declared_field *f, void *context)
{
	struct field_search *s = context;

	class_list_add_name(s->others, f->name, "");
	s->near.wanted = (struct slice){s->name, s->length};
	near_names_offer(&s->near, slice_of(f->name));
	if (strlen(f->name) != s->length || memcmp(f->name, s->name, s->length) || s->found)
		return;
	s->found = true;
	s->statical = f->access & FIELD_STATIC;
	snprintf(s->descriptor, sizeof(s->descriptor), "%s", f->descriptor);
}

const char *class_list_find_field(const struct class_list *l, const struct listed_class *c, struct field_search *s)
{
	for (int i = 0; c && i < SUPERS; i++, c = class_list_super(l, c)) {
		if (klass_each_field(l->layout, l->mem, c->klass, on_field, s))
			return NULL;
		if (s->found)
			return c->name;
	}
	return NULL;
}

bool class_list_is_abstract(const struct class_list *l, const struct listed_class *c)
{
	uint64_t access;

	return !strcmp(c->name, "java/lang/Object") ||
	       (!mem_unsigned(l->mem, c->klass + l->layout->klass_access, l->layout->klass_access_width, &access) &&
		access & CLASS_ABSTRACT);
}

struct below {
	const char *name;
	bool found;
};

static void on_above(const char *name, size_t length, void *context)
{
	struct below *b = context;

	b->found = b->found || slice_is((struct slice){name, length}, b->name);
}

bool class_list_find_below(const struct class_list *l, const char *name, struct field_search *s)
{
	struct page_cache *pages = malloc(sizeof(*pages));
	const struct mem *m = pages ? &pages->mem : l->mem;
	bool any = false;

	if (pages)
		page_cache_init(pages, l->mem);
	for (uint32_t i = 0; i < l->count && !s->found; i++) {
		struct below b = {.name = name};

		if (class_each_above(l->layout, m, l->class[i].klass, on_above, &b) || !b.found ||
		    strcmp(l->class[i].name, name) == 0)
			continue;
		any = true;
		klass_each_field(l->layout, m, l->class[i].klass, on_field, s);
		s->found = s->found && !s->statical;
	}
	free(pages);
	return any;
}
