// SPDX-License-Identifier: BSD-2-Clause
/*
 * Converts the tree of elements to types, in order of dependency: all types by id; the annotations that carry a
 * unit (ContentType); fields with their types and annotations; the nesting depth of structs, which must be finite.
 */
#include "format/jfr/jfr_metadata.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_STRUCTS 8 /* nesting depth; the JVM's types have 2 */

static const char *const kinds[] = {
	[META_BOOLEAN] = "boolean", [META_BYTE] = "byte",     [META_CHAR] = "char",
	[META_SHORT] = "short",	    [META_INT] = "int",	      [META_LONG] = "long",
	[META_FLOAT] = "float",	    [META_DOUBLE] = "double", [META_STRING] = "java.lang.String",
};

static const char *const roles[] = {
	[META_THREAD] = "java.lang.Thread",
	[META_CLASS] = "java.lang.Class",
	[META_CLASS_LOADER] = "jdk.types.ClassLoader",
	[META_METHOD] = "jdk.types.Method",
	[META_STACK_FRAME] = "jdk.types.StackFrame",
	[META_STACK_TRACE] = "jdk.types.StackTrace",
	[META_OLD_OBJECT] = "jdk.types.OldObject",
	[META_FRAME_TYPE] = "jdk.types.FrameType",
	[META_ACTIVE_SETTING] = "jdk.ActiveSetting",
	[META_JVM_INFORMATION] = "jdk.JVMInformation",
	[META_EXECUTION_SAMPLE] = "jdk.ExecutionSample",
};

static const char *const units[] = {
	[META_TICKS] = "TICKS",
	[META_NANOSECONDS] = "NANOSECONDS",
	[META_MICROSECONDS] = "MICROSECONDS",
	[META_MILLISECONDS] = "MILLISECONDS",
	[META_SECONDS] = "SECONDS",
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static unsigned int name_index(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] && strcmp(names[i], name) == 0)
			return i;
	return 0;
}

/* JDK 9 and 10, whose files have version 1.0 of the format, have these prefixes. */
static enum meta_role metadata_role(const char *name)
{
	static const char *const prefixes[][2] = {{"com.oracle.jfr.types.", "jdk.types."}, {"com.oracle.jdk.", "jdk."}};
	char today[64];

	for (size_t i = 0; i < LENGTH(prefixes); i++)
		if (strncmp(name, prefixes[i][0], strlen(prefixes[i][0])) == 0) {
			snprintf(today, sizeof(today), "%s%s", prefixes[i][1], name + strlen(prefixes[i][0]));
			return name_index(roles, LENGTH(roles), today);
		}
	return name_index(roles, LENGTH(roles), name);
}

struct type_wanted {
	const struct jfr_metadata *metadata;
	uint64_t id;
};

static bool type_has_id(const void *context, uint32_t row)
{
	const struct type_wanted *w = context;

	return w->metadata->types[row - 1].id == w->id;
}

const struct meta_type *jfr_metadata_type(const struct jfr_metadata *m, uint64_t id)
{
	uint32_t row = hash_find(&m->lookup, hash_number(hash_seed(), id), type_has_id, &(struct type_wanted){m, id});

	return row ? &m->types[row - 1] : NULL;
}

const struct meta_type *jfr_metadata_find(const struct jfr_metadata *m, const char *name)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (strcmp(m->types[i].name, name) == 0)
			return &m->types[i];
	return NULL;
}

int meta_type_field(const struct meta_type *t, const char *name)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (strcmp(t->fields[i].name, name) == 0)
			return i;
	return -1;
}

static uint32_t metadata_count_children(const struct jfr_tree *t, uint32_t parent, const char *name)
{
	uint32_t child = 0, n = 0;

	while ((child = jfr_tree_child(t, parent, child, name)))
		n++;
	return n;
}

static int allocate(struct jfr_metadata *m, uint32_t root)
{
	uint32_t type = 0, fields = 0;

	m->count = metadata_count_children(&m->tree, root, "class");
	while ((type = jfr_tree_child(&m->tree, root, type, "class")))
		fields += metadata_count_children(&m->tree, type, "field");
	m->types = calloc(m->count + 1, sizeof(*m->types));
	m->fields = calloc(fields + 1, sizeof(*m->fields));
	return m->types && m->fields ? 0 : -ENOMEM;
}

static bool metadata_is_primitive(const struct jfr_metadata *m, const struct meta_type *t)
{
	return !jfr_tree_child(&m->tree, t->element, 0, "field");
}

static void declare_types(struct jfr_metadata *m, uint32_t root)
{
	struct meta_type *t = m->types;
	uint32_t element = 0;

	while ((element = jfr_tree_child(&m->tree, root, element, "class"))) {
		const struct jfr_element *e = &m->tree.element[element];
		const char *name = jfr_element_get(e, "name"), *super = jfr_element_get(e, "superType");

		t->id = jfr_element_number(e, "id", -1);
		t->index = t - m->types;
		t->name = name ? name : "";
		t->element = element;
		t->event = super && strcmp(super, "jdk.jfr.Event") == 0;
		t->simple =
			jfr_element_get(e, "simpleType") && metadata_count_children(&m->tree, element, "field") == 1;
		if (metadata_is_primitive(m, t))
			t->kind = name_index(kinds, LENGTH(kinds), t->name);
		t->role = metadata_role(t->name);
		if (t->kind == META_STRING)
			m->string = t;
		t++;
	}
}

/* The last of several types with the same id counts. */
static int index_types(struct jfr_metadata *m)
{
	for (uint32_t row = m->count; row; row--) {
		uint64_t id = m->types[row - 1].id;

		if (!jfr_metadata_type(m, id) && hash_add(&m->lookup, hash_number(hash_seed(), id), row))
			return -ENOMEM;
	}
	return 0;
}

/* The type of an annotation. NULL: undeclared, therefore ignored. */
static const struct meta_type *annotation_type(const struct jfr_metadata *m, uint32_t element)
{
	return jfr_metadata_type(m, jfr_element_number(&m->tree.element[element], "class", -1));
}

static enum meta_unit metadata_unit_of(const char *value)
{
	unsigned int unit = name_index(units, LENGTH(units), value);

	if (unit)
		return unit;
	return strcmp(value, "MILLISECONDS_SINCE_EPOCH") == 0 ? META_MILLISECONDS : META_UNKNOWN_UNIT;
}

static void annotate_field(struct meta_field *f, const char *name, const char *value)
{
	if (strncmp(name, "jdk.jfr.", 8) != 0)
		return;
	name += 8;
	if (strcmp(name, "Label") == 0)
		f->label = value;
	else if (strcmp(name, "Timespan") == 0)
		f->timespan = metadata_unit_of(value);
	else if (strcmp(name, "Timestamp") == 0)
		f->timestamp = metadata_unit_of(value);
	else if (strcmp(name, "DataAmount") == 0)
		*(strcmp(value, "BITS") == 0 ? &f->bits : &f->bytes) = true;
	f->is_unsigned |= strcmp(name, "Unsigned") == 0;
	f->percentage |= strcmp(name, "Percentage") == 0;
	f->frequency |= strcmp(name, "Frequency") == 0;
	f->address |= strcmp(name, "MemoryAddress") == 0;
	f->contextual |= strcmp(name, "Contextual") == 0;
}

static void annotate_type(const struct jfr_metadata *m, struct meta_type *t)
{
	uint32_t i = 0;

	while ((i = jfr_tree_child(&m->tree, t->element, i, "annotation"))) {
		const struct meta_type *a = annotation_type(m, i);

		if (a && strcmp(a->name, "jdk.jfr.Label") == 0)
			t->label = jfr_element_get(&m->tree.element[i], "value");
		if (a && strcmp(a->name, "jdk.jfr.ContentType") == 0)
			t->gives_unit = true;
		if (a && strcmp(a->name, "frtrace.Calls") == 0)
			t->calls = true;
	}
}

static void metadata_read_field(struct jfr_metadata *m, uint32_t element, struct meta_field *f, struct cursor *c)
{
	const struct jfr_element *e = &m->tree.element[element];
	uint32_t i = 0;

	f->name = jfr_element_get(e, "name");
	f->type = jfr_metadata_type(m, jfr_element_number(e, "class", -1));
	f->array = jfr_element_number(e, "dimension", 0) > 0;
	f->constant = jfr_element_get(e, "constantPool") != NULL;
	if (!f->name || !f->type)
		cursor_fail(c, c->at, "a field without name or type");
	while ((i = jfr_tree_child(&m->tree, element, i, "annotation"))) {
		const struct meta_type *a = annotation_type(m, i);
		const char *value = jfr_element_get(&m->tree.element[i], "value");

		if (!a)
			continue;
		annotate_field(f, a->name, value ? value : "");
		f->content_type |= a->gives_unit;
	}
}

static int constant_field(const struct meta_type *t, const char *name, enum meta_role role)
{
	int i = meta_type_field(t, name);

	return i >= 0 && t->fields[i].constant && !t->fields[i].array && t->fields[i].type->role == role ? i : -1;
}

/* Readers need the time of an event without knowing its type: field 0 is startTime, and field 1 may be duration. */
static void describe_event(struct meta_type *t, struct cursor *c)
{
	t->duration = t->count > 1 && strcmp(t->fields[1].name, "duration") == 0 && t->fields[1].type->kind == META_LONG
			      ? 1
			      : -1;
	t->thread = constant_field(t, "eventThread", META_THREAD);
	t->stack = constant_field(t, "stackTrace", META_STACK_TRACE);
	if (!t->count || t->fields[0].type->kind != META_LONG || t->fields[0].constant || t->fields[0].array)
		cursor_fail(c, c->at, "an event that does not begin with its start time");
}

static void define_types(struct jfr_metadata *m, struct cursor *c)
{
	struct meta_field *f = m->fields;

	for (struct meta_type *t = m->types; t < m->types + m->count && cursor_ok(c); t++) {
		uint32_t element = 0;

		t->fields = f;
		while ((element = jfr_tree_child(&m->tree, t->element, element, "field")))
			metadata_read_field(m, element, f++, c);
		t->count = f - t->fields;
		if (t->id == UINT64_MAX)
			cursor_fail(c, c->at, "a type without number");
		if (t->event && cursor_ok(c))
			describe_event(t, c);
	}
}

/* Check that the nesting of structs ends, and that a struct has something to read. */
static unsigned int measure_depth(struct meta_type *t, unsigned int level, struct cursor *c)
{
	unsigned int depth = 0, inner;

	if (t->depth || t->kind != META_STRUCT)
		return t->depth;
	if (!t->count || level > MAX_STRUCTS) {
		cursor_fail(c, c->at, t->count ? "types are nested too deep" : "a field of a type without fields");
		return MAX_STRUCTS;
	}
	for (uint32_t i = 0; i < t->count && cursor_ok(c); i++) {
		if (t->fields[i].constant)
			continue;
		inner = measure_depth((struct meta_type *)t->fields[i].type, level + 1, c);
		if (inner > depth)
			depth = inner;
	}
	t->depth = depth + 1;
	return t->depth;
}

static void check_depth(struct jfr_metadata *m, struct cursor *c)
{
	for (uint32_t i = 0; i < m->count && cursor_ok(c); i++) {
		if (m->types[i].count)
			measure_depth(&m->types[i], 1, c);
		if (cursor_ok(c) && m->types[i].depth > MAX_STRUCTS)
			cursor_fail(c, c->at, "types are nested too deep");
	}
}

static void read_region(struct jfr_metadata *m, uint32_t region)
{
	const struct jfr_element *e = &m->tree.element[region];
	int64_t ms = jfr_element_number(e, "gmtOffset", 0), dst = jfr_element_number(e, "dst", 0);

	if (ms < -86400000 || ms > 86400000 || dst < -86400000 || dst > 86400000)
		return;
	m->utc_offset = (ms + dst) / 1000;
	if (m->utc_offset < -18 * 3600 || m->utc_offset > 18 * 3600)
		m->utc_offset = 0;
}

static int metadata_build(struct jfr_metadata *m, struct cursor *c)
{
	uint32_t root = jfr_tree_child(&m->tree, 0, 0, "metadata"), region = jfr_tree_child(&m->tree, 0, 0, "region");
	int err;

	if (!root) {
		cursor_fail(c, c->at, "the description of the types has no types");
		return -EINVAL;
	}
	err = allocate(m, root);
	if (err)
		return err;
	declare_types(m, root);
	err = index_types(m);
	if (err)
		return err;
	for (uint32_t i = 0; i < m->count; i++)
		annotate_type(m, &m->types[i]);
	define_types(m, c);
	check_depth(m, c);
	if (region)
		read_region(m, region);
	return cursor_ok(c) ? 0 : -EINVAL;
}

int jfr_metadata_read(struct jfr_metadata **out, struct cursor *c)
{
	struct jfr_metadata *m = calloc(1, sizeof(*m));
	int err;

	*out = NULL;
	if (!m)
		return -ENOMEM;
	m->references = 1;
	err = jfr_tree_read(&m->tree, c);
	if (!err)
		err = metadata_build(m, c);
	if (err)
		jfr_metadata_put(m);
	else
		*out = m;
	return err;
}

struct jfr_metadata *jfr_metadata_get(struct jfr_metadata *m)
{
	m->references++;
	return m;
}

void jfr_metadata_put(struct jfr_metadata *m)
{
	if (!m || --m->references)
		return;
	jfr_tree_release(&m->tree);
	free(m->types);
	free(m->fields);
	hash_release(&m->lookup);
	free(m);
}

const char *meta_type_category(const struct jfr_metadata *m, const struct meta_type *t, unsigned int n)
{
	char name[24];
	uint32_t i = 0;

	snprintf(name, sizeof(name), "value-%u", n);
	while ((i = jfr_tree_child(&m->tree, t->element, i, "annotation"))) {
		const struct meta_type *a = annotation_type(m, i);

		if (a && strcmp(a->name, "jdk.jfr.Category") == 0)
			return jfr_element_get(&m->tree.element[i], name);
	}
	return NULL;
}
