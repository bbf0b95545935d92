// SPDX-License-Identifier: BSD-2-Clause
/*
 * The metadata event describes every type of the chunk as a tree of elements, whose names and values
 * are indices into one table of strings:
 *
 *     root
 *       metadata
 *         class name="long" id="10002"
 *         class name="jdk.MethodTrace" superType="jdk.jfr.Event" id="10024"
 *           field name="startTime" class="10002"
 *             annotation class="10007" value="TICKS"
 *           ...
 *           annotation class="10004" value="Method Trace"
 *       region locale="en_US" gmtOffset="0" dst="0"
 *
 * Requirements of readers, each found by a tool that failed:
 *    - the first field is startTime; a field `duration` must be the second;
 *    - annotations that give a unit (Timestamp, Timespan, DataAmount, Unsigned)
 *      carry jdk.jfr.ContentType themselves, or values print without unit;
 *    - an annotation with a member has that attribute, or JMC fails;
 *    - JMC casts: thread ids are long; line, bci and modifiers are int; StackFrame has
 *      exactly its four fields in this order; pid is the last of JVMInformation;
 *    - a metadata id that equals the previous chunk's means "the same as there",
 *      also if that chunk comes from a JVM: hence a hash.
 */
#include "format/hash.h"
#include "format/jfr/jfr_schema_internal.h"
#include "format/jfr/jfr_type_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The tree being built. */
struct tree {
	const struct jfr_schema *schema;
	struct jfr_type_writer text;
};

static void schema_put_type(struct tree *t, const char *name, enum jfr_type type)
{
	jfr_type_write_number(&t->text, name, jfr_schema_type_id(t->schema, type));
}

static void put_annotation(struct tree *t, enum jfr_type type, const char *value)
{
	if (!type || (jfr_schema_types[type].fields && !value))
		return;
	jfr_type_write_element(&t->text, "annotation", value ? 2 : 1);
	schema_put_type(t, "class", type);
	if (value)
		jfr_type_write_attribute(&t->text, "value", value);
	jfr_type_write_children(&t->text, 0);
}

static unsigned int annotations_of_field(const struct jfr_field *f)
{
	return !!f->label + !!f->description + !!f->unit[0].type + !!f->unit[1].type;
}

static void schema_put_field(struct tree *t, const struct jfr_field *f)
{
	bool constant = f->type >= JFR_FIRST_POOL && f->type < JFR_FIRST_EVENT;

	jfr_type_write_element(&t->text, "field", 2 + f->array + constant);
	jfr_type_write_attribute(&t->text, "name", f->name);
	schema_put_type(t, "class", f->type);
	if (f->array)
		jfr_type_write_attribute(&t->text, "dimension", "1");
	if (constant)
		jfr_type_write_attribute(&t->text, "constantPool", "true");
	jfr_type_write_children(&t->text, annotations_of_field(f));
	put_annotation(t, f->unit[0].type, f->unit[0].value);
	put_annotation(t, f->unit[1].type, f->unit[1].value);
	put_annotation(t, JFR_LABEL, f->label);
	put_annotation(t, JFR_DESCRIPTION, f->description);
}

static void put_category(struct tree *t, const char *const category[2])
{
	unsigned int i, n = category[1] ? 2 : 1;

	jfr_type_write_element(&t->text, "annotation", 1 + n);
	schema_put_type(t, "class", JFR_CATEGORY);
	for (i = 0; i < n; i++)
		jfr_type_write_attribute(&t->text, i ? "value-1" : "value-0", category[i]);
	jfr_type_write_children(&t->text, 0);
}

static const char *super_of(enum jfr_type type)
{
	if (type >= JFR_FIRST_EVENT)
		return "jdk.jfr.Event";
	return type >= JFR_LABEL && type <= JFR_CONTENT_TYPE ? "java.lang.annotation.Annotation" : NULL;
}

static unsigned int children_of_type(const struct tree *t, const struct jfr_schema_type *type)
{
	unsigned int n = !!type->label + !!type->description + !!type->category[0] + type->content_type;

	for (const struct jfr_field *f = type->fields; f && f->name; f++)
		n += jfr_schema_has(t->schema, f);
	return n;
}

static void schema_put_class(struct tree *t, enum jfr_type id)
{
	const struct jfr_schema_type *type = &jfr_schema_types[id];
	const char *super = super_of(id);
	const struct jfr_field *f;

	jfr_type_write_element(&t->text, "class", 2 + !!super + type->simple);
	jfr_type_write_attribute(&t->text, "name", type->name);
	if (super)
		jfr_type_write_attribute(&t->text, "superType", super);
	if (type->simple)
		jfr_type_write_attribute(&t->text, "simpleType", "true");
	schema_put_type(t, "id", id);
	jfr_type_write_children(&t->text, children_of_type(t, type));
	for (f = type->fields; f && f->name; f++)
		if (jfr_schema_has(t->schema, f))
			schema_put_field(t, f);
	put_annotation(t, JFR_LABEL, type->label);
	put_annotation(t, JFR_DESCRIPTION, type->description);
	if (type->category[0])
		put_category(t, type->category);
	if (type->content_type)
		put_annotation(t, JFR_CONTENT_TYPE, NULL);
}

static void put_user_field(struct tree *t, const struct jfr_user_field *f)
{
	struct jfr_field as = {.name = f->name,
			       .type = f->type,
			       .label = f->label ?: f->name,
			       .description = f->description,
			       .unit = {{f->unit, f->unit_value}, {f->contextual ? JFR_CONTEXTUAL : 0, NULL}}};

	schema_put_field(t, &as);
}

/* A field of jdk.MethodTrace. Context is only what the user has marked, so the method is none. */
static void put_call_field(struct tree *t, const struct jfr_field *f)
{
	struct jfr_field as = *f;

	for (int i = 0; i < 2; i++)
		if (as.unit[i].type == JFR_CONTEXTUAL)
			as.unit[i].type = 0;
	schema_put_field(t, &as);
}

static unsigned int user_children(const struct tree *t, const struct jfr_user_type *type)
{
	unsigned int n = type->fields + 2 + (type->description != NULL) + type->calls;

	for (const struct jfr_field *f = jfr_schema_types[JFR_METHOD_TRACE].fields; f->name; f++)
		n += jfr_schema_has(t->schema, f);
	return n;
}

/* "Shop/Orders" are two categories. Empty parts do not count. */
static void put_user_category(struct tree *t, const char *path)
{
	unsigned int n = 0, i = 0;
	char name[24], part[256];

	path += strspn(path, "/");
	for (const char *at = path; *at; n++) {
		at += strcspn(at, "/");
		at += strspn(at, "/");
	}
	jfr_type_write_element(&t->text, "annotation", 1 + n);
	schema_put_type(t, "class", JFR_CATEGORY);
	for (; *path; i++) {
		size_t length = strcspn(path, "/");

		snprintf(name, sizeof(name), "value-%u", i);
		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		jfr_type_write_attribute(&t->text, name, part);
		path += length;
		path += strspn(path, "/");
	}
	jfr_type_write_children(&t->text, 0);
}

static void put_user_type(struct tree *t, uint32_t number)
{
	const struct jfr_user_type *type = &t->schema->user[number];
	const char *path = type->category ?: "";
	const struct jfr_field *f = jfr_schema_types[JFR_METHOD_TRACE].fields;

	jfr_type_write_element(&t->text, "class", 3);
	jfr_type_write_attribute(&t->text, "name", type->name);
	jfr_type_write_attribute(&t->text, "superType", "jdk.jfr.Event");
	jfr_type_write_number(&t->text, "id", JFR_TYPE_ID_BASE + JFR_TYPES + 1 + number);
	jfr_type_write_children(&t->text, user_children(t, type));
	for (int i = 0; i < JFR_HEAD_FIELDS; i++, f++)
		schema_put_field(t, f);
	for (uint32_t i = 0; i < type->fields; i++)
		put_user_field(t, &type->field[i]);
	for (; f->name; f++)
		if (jfr_schema_has(t->schema, f))
			put_call_field(t, f);
	put_annotation(t, JFR_LABEL, type->label ?: type->name);
	put_annotation(t, JFR_DESCRIPTION, type->description);
	put_user_category(t, path[strspn(path, "/")] ? path : "Methods");
	if (type->calls)
		put_annotation(t, JFR_CALLS, NULL);
}

static void schema_put_root(struct tree *t, const struct jfr_region *region)
{
	unsigned int i, n = t->schema->users;

	for (i = 0; i < JFR_TYPES; i++)
		n += jfr_schema_has_type(t->schema, i);
	jfr_type_write_element(&t->text, "root", 0);
	jfr_type_write_children(&t->text, 2);
	jfr_type_write_element(&t->text, "metadata", 0);
	jfr_type_write_children(&t->text, n);
	for (i = 0; i < JFR_TYPES; i++)
		if (jfr_schema_has_type(t->schema, i))
			schema_put_class(t, i);
	for (i = 0; i < t->schema->users; i++)
		put_user_type(t, i);
	jfr_type_write_element(&t->text, "region", 3);
	jfr_type_write_attribute(&t->text, "locale", region->locale ? region->locale : "en_US");
	jfr_type_write_number(&t->text, "gmtOffset", region->gmt_offset_ms);
	jfr_type_write_number(&t->text, "dst", region->dst_ms);
	jfr_type_write_children(&t->text, 0);
}

int jfr_schema_init(struct jfr_schema *s, const struct jfr_region *region, enum jfr_kernel kernel, bool jdk_fields,
		    uint64_t salt)
{
	struct tree t = {.schema = s};
	bool done;

	s->kernel = kernel;
	s->jdk_fields = jdk_fields;
	/* 2^24 blocks of 64 ids, after the fixed ones */
	s->pool_base = (1 << 15) + (hash_data(&salt, sizeof(salt)) >> 40) * 64;
	jfr_type_writer_init(&t.text);
	schema_put_root(&t, region);
	done = jfr_type_writer_write(&t.text, &s->body, &s->id);
	jfr_type_writer_release(&t.text);
	if (!done)
		jfr_schema_release(s);
	return done ? 0 : -ENOMEM;
}

void jfr_schema_release(struct jfr_schema *s)
{
	bytes_release(&s->body);
}

void jfr_schema_write(const struct jfr_schema *s, struct bytes *out, int64_t start_ticks)
{
	jfr_metadata_write(out, &s->body, s->id, start_ticks);
}
