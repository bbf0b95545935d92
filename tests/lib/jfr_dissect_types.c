// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/jfr_dissect_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct attribute {
	const char *key, *value;
};

struct element {
	const char *name;
	struct attribute attribute[8];
	unsigned int attributes;
	uint64_t children;
};

static const char *table_string(struct reader *r)
{
	uint64_t index = read_leb(r);

	if (index < r->d->private->strings && r->d->private->string[index])
		return r->d->private->string[index];
	dissect_fault(r->d, r->at, "no string %" PRIu64 " in the metadata", index);
	return "";
}

static struct element element(struct reader *r, const char *name)
{
	struct element e = {.name = table_string(r)};
	uint64_t i, n = read_leb(r);

	if (n > 8 || (name && strcmp(e.name, name)))
		dissect_fault(r->d, r->at, "element '%s' with %" PRIu64 " attributes", e.name, n);
	for (i = 0; i < n && dissect_sound(r->d); i++) {
		e.attribute[e.attributes].key = table_string(r);
		e.attribute[e.attributes++].value = table_string(r);
	}
	e.children = read_leb(r);
	return e;
}

static const char *attribute(const struct element *e, const char *key)
{
	unsigned int i;

	for (i = 0; i < e->attributes; i++)
		if (!strcmp(e->attribute[i].key, key))
			return e->attribute[i].value;
	return NULL;
}

static uint64_t attribute_id(struct reader *r, const struct element *e, const char *key)
{
	const char *text = attribute(e, key);

	if (!text)
		dissect_fault(r->d, r->at, "element '%s' without '%s'", e->name, key);
	return text ? strtoull(text, NULL, 10) : 0;
}

static void read_note(struct reader *r, const struct element *e, struct note *notes, unsigned int *count)
{
	const char *one = attribute(e, "value"), *first = attribute(e, "value-0");
	struct note *n = &notes[*count];

	if (*count == MAX_NOTES || e->children) {
		dissect_fault(r->d, r->at, "too many annotations");
		return;
	}
	n->type = attribute_id(r, e, "class");
	n->value[0] = one ? one : first;
	n->value[1] = attribute(e, "value-1");
	n->values = !!n->value[0] + !!n->value[1];
	++*count;
}

static void read_field(struct reader *r, const struct element *e, struct dissect_type *t)
{
	struct field *f = &t->field[t->fields];
	const char *dimension = attribute(e, "dimension");
	uint64_t i;

	if (t->fields == MAX_FIELDS || !attribute(e, "name")) {
		dissect_fault(r->d, r->at, "bad field in '%s'", t->name);
		return;
	}
	t->fields++;
	f->name = attribute(e, "name");
	f->class = attribute_id(r, e, "class");
	f->array = dimension && !strcmp(dimension, "1");
	f->constant = attribute(e, "constantPool");
	for (i = 0; i < e->children && dissect_sound(r->d); i++) {
		struct element note = element(r, "annotation");

		read_note(r, &note, f->note, &f->notes);
	}
}

static void read_class(struct reader *r, struct dissect_type *t)
{
	struct element e = element(r, "class");
	uint64_t i;

	*t = (struct dissect_type){.name = attribute(&e, "name"), .super = attribute(&e, "superType")};
	t->simple = attribute(&e, "simpleType");
	t->id = attribute_id(r, &e, "id");
	if (!t->name || type_by_id(r->d, t->id) || type_by_name(r->d, t->name))
		dissect_fault(r->d, r->at, "class without name, or twice");
	for (i = 0; i < e.children && dissect_sound(r->d); i++) {
		struct element child = element(r, NULL);

		if (!strcmp(child.name, "field"))
			read_field(r, &child, t);
		else if (!strcmp(child.name, "annotation"))
			read_note(r, &child, t->note, &t->notes);
		else
			dissect_fault(r->d, r->at, "element '%s' in class '%s'", child.name, t->name);
	}
}

static bool has_note(const struct dissect *d, const struct note *notes, unsigned int count, const char *name)
{
	const struct dissect_type *t = type_by_name(d, name);
	unsigned int i;

	for (i = 0; t && i < count; i++)
		if (notes[i].type == t->id)
			return true;
	return false;
}

/* Each annotation must be declared, and has a value exactly if its type has a field. */
static void check_notes(struct dissect *d, const struct note *notes, unsigned int count, const char *where)
{
	const struct dissect_type *t;
	unsigned int i;

	for (i = 0; i < count; i++) {
		t = type_by_id(d, notes[i].type);
		if (!t || !t->super || strcmp(t->super, "java.lang.annotation.Annotation"))
			dissect_fault(d, 0, "undeclared annotation in '%s'", where);
		else if (!!t->fields != !!notes[i].values)
			dissect_fault(d, 0, "annotation '%s' of '%s' has %u values", t->name, where, notes[i].values);
	}
}

static void check_event_type(struct dissect *d, const struct dissect_type *t)
{
	const struct dissect_type *number = type_by_name(d, "long");
	unsigned int i;

	if (!t->super || strcmp(t->super, "jdk.jfr.Event"))
		return;
	if (!t->fields || strcmp(t->field[0].name, "startTime") || t->field[0].class != number->id)
		dissect_fault(d, 0, "first field of '%s' is not startTime", t->name);
	for (i = 2; i < t->fields; i++)
		if (!strcmp(t->field[i].name, "duration"))
			dissect_fault(d, 0, "duration is not the second field of '%s'", t->name);
	if (!has_note(d, t->note, t->notes, "jdk.jfr.Label") || !has_note(d, t->note, t->notes, "jdk.jfr.Category"))
		dissect_fault(d, 0, "'%s' without label or category", t->name);
}

static void check_type(struct dissect *d, const struct dissect_type *t)
{
	static const char *const units[] = {"jdk.jfr.Timestamp", "jdk.jfr.Timespan", "jdk.jfr.DataAmount",
					    "jdk.jfr.Unsigned"};
	const struct dissect_type *class;
	unsigned int i;

	if (t->id < 2200)
		dissect_fault(d, 0, "id of '%s' may be one of HotSpot's", t->name);
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(t->name, units[i]) && !has_note(d, t->note, t->notes, "jdk.jfr.ContentType"))
			dissect_fault(d, 0, "'%s' is not a ContentType", t->name);
	check_notes(d, t->note, t->notes, t->name);
	check_event_type(d, t);
	for (i = 0; i < t->fields; i++) {
		class = type_by_id(d, t->field[i].class);
		if (!class)
			dissect_fault(d, 0, "field '%s.%s' of an undeclared type", t->name, t->field[i].name);
		else if (t->field[i].constant && !class->fields)
			dissect_fault(d, 0, "field '%s.%s' is a number in a pool", t->name, t->field[i].name);
		check_notes(d, t->field[i].note, t->field[i].notes, t->name);
	}
}

static void read_tree(struct reader *r)
{
	struct dissect_private *p = r->d->private;
	struct element root = element(r, "root"), list = element(r, "metadata"), region;
	uint64_t i;

	if (root.children != 2 || list.children > MAX_TYPES)
		dissect_fault(r->d, r->at, "root with %" PRIu64 " children", root.children);
	p->types = 0;
	for (i = 0; i < list.children && dissect_sound(r->d); i++) {
		struct dissect_type t;

		read_class(r, &t);
		p->type[p->types++] = t;
	}
	region = element(r, "region");
	if (!attribute(&region, "locale") || !attribute(&region, "gmtOffset") || !attribute(&region, "dst"))
		dissect_fault(r->d, r->at, "region lacks something");
	for (i = 0; i < p->types && dissect_sound(r->d); i++)
		check_type(r->d, &p->type[i]);
}

static void read_strings(struct reader *r)
{
	struct dissect_private *p = r->d->private;
	uint64_t i, n = read_leb(r);

	if (n > 10000 || p->strings)
		dissect_fault(r->d, r->at, "%" PRIu64 " strings", n);
	for (i = 0; i < n && dissect_sound(r->d); i++) {
		p->string = array_more(p->string, p->strings, sizeof(*p->string));
		p->string[p->strings++] = read_string(r);
	}
}

void read_types(struct reader *r)
{
	read_strings(r);
	read_tree(r);
}

bool dissect_declares(const struct dissect *d, const char *type)
{
	return type_by_name(d, type);
}

void dissect_fields(const struct dissect *d, const char *type, char *out, size_t size)
{
	const struct dissect_type *t = type_by_name(d, type);
	size_t length = 0;
	unsigned int i;

	*out = 0;
	for (i = 0; t && i < t->fields && length < size; i++) {
		const struct field *f = &t->field[i];

		length +=
			snprintf(out + length, size - length, "%s%s%s %s", i ? ", " : "", type_by_id(d, f->class)->name,
				 f->array      ? "[]"
				 : f->constant ? "*"
					       : "",
				 f->name);
	}
}

bool dissect_annotated(const struct dissect *d, const char *type, const char *field, const char *annotation,
		       const char *value)
{
	const struct dissect_type *t = type_by_name(d, type), *a = type_by_name(d, annotation);
	const struct note *note = t ? t->note : NULL;
	unsigned int i, j, notes = t ? t->notes : 0;

	for (i = 0; field && t && i < t->fields; i++) {
		if (strcmp(t->field[i].name, field))
			continue;
		note = t->field[i].note;
		notes = t->field[i].notes;
	}
	for (i = 0; a && i < notes; i++)
		for (j = 0; j < 2; j++)
			if (note[i].type == a->id &&
			    (value ? note[i].value[j] && !strcmp(note[i].value[j], value) : !note[i].values))
				return true;
	return false;
}
