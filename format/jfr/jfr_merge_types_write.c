// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes the metadata of a union. The files' elements are copied with all their attributes, except for changed ids
 * of classes and the "class" attributes that refer to them.
 */
#include "format/jfr/jfr_type_write.h"
#include "format/jfr/jfr_merge_types.h"

#include <errno.h>
#include <stdlib.h>

struct describer {
	const struct jfr_merge_types *u;
	struct jfr_type_writer text;
	struct union_map *maps; /* of u->kept */
};

static const struct union_map *map_of(const struct describer *s, const struct jfr_metadata *m)
{
	uint32_t i = 0;

	while (s->u->kept[i] != m)
		i++;
	return &s->maps[i];
}

/* The id in the union; `id` itself if it is undeclared. */
static uint64_t new_id(const struct describer *s, const struct jfr_metadata *m, uint64_t id)
{
	const struct meta_type *t = jfr_metadata_type(m, id);

	return t ? s->u->types[map_of(s, m)->plan[t->index].type].id : id;
}

static void put_attributes(struct describer *s, const struct jfr_metadata *m, const struct jfr_element *e)
{
	for (uint32_t i = 0; i < e->attributes; i++) {
		const struct jfr_attribute *a = &e->attribute[i];

		if (strcmp(a->name, "class") == 0)
			jfr_type_write_number(&s->text, a->name, new_id(s, m, jfr_element_number(e, a->name, -1)));
		else
			jfr_type_write_attribute(&s->text, a->name, a->value);
	}
}

static uint32_t merge_types_write_count_children(const struct jfr_tree *t, uint32_t element, const char *but)
{
	uint32_t child = 0, n = 0;

	while ((child = jfr_tree_child(t, element, child, NULL)))
		n += !but || strcmp(t->element[child].name, but) != 0;
	return n;
}

static bool is_annotation_of(const struct jfr_element *e, const struct meta_type *t)
{
	return t && strcmp(e->name, "annotation") == 0 && (uint64_t)jfr_element_number(e, "class", -1) == t->id;
}

/* Copy an element with its children. Its depth was limited when it was read. */
static void put_whole(struct describer *s, const struct jfr_metadata *m, uint32_t element)
{
	const struct jfr_element *e = &m->tree.element[element];
	uint32_t child = 0;

	jfr_type_write_element(&s->text, e->name, e->attributes);
	put_attributes(s, m, e);
	jfr_type_write_children(&s->text, merge_types_write_count_children(&m->tree, element, NULL));
	while ((child = jfr_tree_child(&m->tree, element, child, NULL)))
		put_whole(s, m, child);
}

/* A field under another name, and without @Contextual: it is not its event that gives the context. */
static void put_renamed(struct describer *s, const struct union_field *f)
{
	const struct jfr_tree *tree = &f->from->tree;
	const struct jfr_element *e = &tree->element[f->element];
	const struct meta_type *contextual = jfr_metadata_find(f->from, "jdk.jfr.Contextual");
	uint32_t child = 0, n = merge_types_write_count_children(tree, f->element, NULL);

	jfr_type_write_element(&s->text, e->name, e->attributes);
	for (uint32_t i = 0; i < e->attributes; i++) {
		if (strcmp(e->attribute[i].name, "name") == 0)
			jfr_type_write_attribute(&s->text, "name", f->field->name);
		else if (strcmp(e->attribute[i].name, "class") == 0)
			jfr_type_write_number(&s->text, "class",
					      new_id(s, f->from, jfr_element_number(e, "class", -1)));
		else
			jfr_type_write_attribute(&s->text, e->attribute[i].name, e->attribute[i].value);
	}
	while ((child = jfr_tree_child(tree, f->element, child, NULL)))
		n -= is_annotation_of(&tree->element[child], contextual);
	jfr_type_write_children(&s->text, n);
	while ((child = jfr_tree_child(tree, f->element, child, NULL)))
		if (!is_annotation_of(&tree->element[child], contextual))
			put_whole(s, f->from, child);
}

static void put_children(struct describer *s, const struct union_type *t, bool annotations)
{
	const struct jfr_tree *tree = &t->from->tree;
	uint32_t child = 0;

	while ((child = jfr_tree_child(tree, t->type->element, child, NULL)))
		if (strcmp(tree->element[child].name, "field") != 0 &&
		    (strcmp(tree->element[child].name, "annotation") == 0) == annotations)
			put_whole(s, t->from, child);
}

/* Readers match settings, fields and annotations by their order. */
static void merge_types_write_put_type(struct describer *s, const struct union_type *t)
{
	const struct jfr_element *e = &t->from->tree.element[t->type->element];

	jfr_type_write_element(&s->text, e->name, e->attributes);
	for (uint32_t i = 0; i < e->attributes; i++) {
		if (strcmp(e->attribute[i].name, "id") == 0)
			jfr_type_write_number(&s->text, "id", t->id);
		else
			jfr_type_write_attribute(&s->text, e->attribute[i].name, e->attribute[i].value);
	}
	jfr_type_write_children(&s->text,
				t->count + merge_types_write_count_children(&t->from->tree, t->type->element, "field"));
	put_children(s, t, false);
	for (uint32_t i = 0; i < t->count; i++)
		if (t->fields[i].context)
			put_renamed(s, &t->fields[i]);
		else
			put_whole(s, t->fields[i].from, t->fields[i].element);
	put_children(s, t, true);
}

static void merge_types_write_put_root(struct describer *s, const struct jfr_metadata *region)
{
	uint32_t element = jfr_tree_child(&region->tree, 0, 0, "region");

	jfr_type_write_element(&s->text, "root", 0);
	jfr_type_write_children(&s->text, 2);
	jfr_type_write_element(&s->text, "metadata", 0);
	jfr_type_write_children(&s->text, s->u->count);
	for (uint32_t i = 0; i < s->u->count; i++)
		merge_types_write_put_type(s, &s->u->types[i]);
	if (element) {
		put_whole(s, region, element);
		return;
	}
	jfr_type_write_element(&s->text, "region", 0);
	jfr_type_write_children(&s->text, 0);
}

static int build_maps(struct describer *s)
{
	int err = 0;

	s->maps = calloc(s->u->kept_count + 1, sizeof(*s->maps));
	if (!s->maps)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->u->kept_count && !err; i++)
		err = union_map_build(&s->maps[i], s->u, s->u->kept[i]);
	return err;
}

int jfr_merge_types_describe(const struct jfr_merge_types *u, const struct jfr_metadata *region, struct bytes *body,
			     uint64_t *id)
{
	struct describer s = {.u = u};
	int err = build_maps(&s);

	jfr_type_writer_init(&s.text);
	if (!err)
		merge_types_write_put_root(&s, region);
	if (!err && !jfr_type_writer_write(&s.text, body, id))
		err = -ENOMEM;
	jfr_type_writer_release(&s.text);
	for (uint32_t i = 0; s.maps && i < u->kept_count; i++)
		union_map_release(&s.maps[i]);
	free(s.maps);
	return err;
}
