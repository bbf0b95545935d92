// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_merge_types.h"
#include "format/jfr/jfr_schema.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>

#define NONE	  UINT32_MAX
#define MAX_DEPTH 16	    /* structs in structs, over all files */
#define MAX_WIDTH (1 << 16) /* bytes of a value; real ones have some hundred */

void jfr_merge_types_init(struct jfr_merge_types *u)
{
	*u = (struct jfr_merge_types){.last_id = 1}; /* 0 and 1 are metadata and checkpoint */
}

void jfr_merge_types_release(struct jfr_merge_types *u)
{
	for (uint32_t i = 0; i < u->count; i++)
		free(u->types[i].fields);
	for (uint32_t i = 0; i < u->kept_count; i++)
		jfr_metadata_put(u->kept[i]);
	free(u->types);
	free(u->kept);
	*u = (struct jfr_merge_types){0};
}

/* Returns the index or -1. */
static int32_t find_field(const struct union_type *t, const char *name)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (strcmp(t->fields[i].field->name, name) == 0)
			return i;
	return -1;
}

static bool field_agrees(const struct union_field *known, const struct meta_field *f)
{
	const struct meta_field *k = known->field;

	return k->array == f->array && k->constant == f->constant && k->timespan == f->timespan &&
	       k->timestamp == f->timestamp && strcmp(k->type->name, f->type->name) == 0;
}

/* The second field is the event's duration if it has that name. Elsewhere the name has another meaning. */
static bool duration_agrees(const struct union_type *known, const struct meta_type *t)
{
	int32_t k = find_field(known, "duration");
	int i = meta_type_field(t, "duration");

	return k < 0 || i < 0 || (k == 1) == (i == 1);
}

/* True if a value of type `t` can be used where the known type is expected. */
static bool type_agrees(const struct union_type *known, const struct meta_type *t)
{
	const struct meta_type *k = known->type;

	if (k->kind != t->kind || k->event != t->event || k->simple != t->simple || strcmp(k->name, t->name) != 0)
		return false;
	if (k->event && !duration_agrees(known, t))
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		int32_t j = find_field(known, t->fields[i].name);

		if (j >= 0 ? !field_agrees(&known->fields[j], &t->fields[i]) : k->simple)
			return false;
	}
	return true;
}

/* Maps the types of one metadata to those of the union. */
struct assignment {
	const struct jfr_merge_types *u;
	const struct jfr_metadata *m;
	uint32_t *to; /* by meta_type.index; NONE: a new type */
	bool *taken;  /* types of the union */
};

/* The next candidate from `first` on. */
static uint32_t find_type(const struct assignment *a, const struct meta_type *t, uint32_t first)
{
	for (uint32_t i = first; i < a->u->count; i++)
		if (!a->taken[i] && type_agrees(&a->u->types[i], t))
			return i;
	return NONE;
}

static void take_next(struct assignment *a, const struct meta_type *t, uint32_t first)
{
	uint32_t found = find_type(a, t, first);

	if (found != NONE)
		a->taken[found] = true;
	a->to[t->index] = found;
}

/* True if its fields have the types that they have in the union. */
static bool is_consistent(const struct assignment *a, const struct meta_type *t)
{
	const struct union_type *known = &a->u->types[a->to[t->index]];

	for (uint32_t i = 0; i < t->count; i++) {
		int32_t j = find_field(known, t->fields[i].name);

		if (j >= 0 && known->fields[j].type != a->to[t->fields[i].type->index])
			return false;
	}
	return true;
}

/* If a type turns out to differ from its namesake, the types that contain it may differ, too. */
static void merge_types_settle(struct assignment *a)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < a->m->count; i++) {
			uint32_t to = a->to[i];

			if (to == NONE || is_consistent(a, &a->m->types[i]))
				continue;
			a->taken[to] = false;
			take_next(a, &a->m->types[i], to + 1);
			changed = true;
		}
	}
}

static int assign(struct assignment *a, const struct jfr_merge_types *u, const struct jfr_metadata *m)
{
	*a = (struct assignment){.u = u, .m = m};
	a->to = calloc(m->count + 1, sizeof(*a->to));
	a->taken = calloc(u->count + 1, sizeof(*a->taken));
	if (!a->to || !a->taken)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->count; i++)
		take_next(a, &m->types[i], 0);
	merge_types_settle(a);
	return 0;
}

static void assignment_release(struct assignment *a)
{
	free(a->to);
	free(a->taken);
}

static bool id_is_used(const struct jfr_merge_types *u, uint64_t id)
{
	for (uint32_t i = 0; i < u->count; i++)
		if (u->types[i].id == id)
			return true;
	return false;
}

static int append_type(struct jfr_merge_types *u, const struct jfr_metadata *m, const struct meta_type *t)
{
	uint64_t id = t->id > 1 && t->id < INT32_MAX && !id_is_used(u, t->id) ? t->id : u->last_id + 1;

	if (vec_reserve(&u->types, &u->capacity, (size_t)u->count + 1))
		return -ENOMEM;
	u->types[u->count++] = (struct union_type){.type = t, .from = m, .id = id};
	if (id > u->last_id)
		u->last_id = id;
	return 0;
}

/* Add a field at the end; an event's duration as the second one, where readers look for it. */
static int add_field(struct union_type *t, const struct union_field *f, bool duration)
{
	uint32_t at = duration && t->count ? 1 : t->count;

	if (vec_reserve(&t->fields, &t->capacity, (size_t)t->count + 1))
		return -ENOMEM;
	memmove(&t->fields[at + 1], &t->fields[at], (t->count - at) * sizeof(*t->fields));
	t->fields[at] = *f;
	t->count++;
	return 0;
}

/* *changed is set if anything was new. */
static int extend_type(struct union_type *known, const struct assignment *a, const struct meta_type *t, bool *changed)
{
	uint32_t element = 0;
	int err = 0;

	for (uint32_t i = 0; i < t->count && !err; i++) {
		struct union_field f = {.field = &t->fields[i], .from = a->m, .type = a->to[t->fields[i].type->index]};

		element = jfr_tree_child(&a->m->tree, t->element, element, "field");
		f.element = element;
		/* the first two are an event's times, whatever they are called */
		if (find_field(known, f.field->name) >= 0 ||
		    (a->u->jdk_fields && i > 1 && jfr_schema_is_extra(known->type->name, f.field->name)))
			continue;
		err = add_field(known, &f, t->event && t->duration == (int)i);
		*changed = true;
	}
	return err;
}

/* The width of a type. The recursion ends, because deeper nesting is refused. */
static int merge_types_measure(struct jfr_merge_types *u, uint32_t index, unsigned int depth, uint32_t *width)
{
	struct union_type *t = &u->types[index];
	uint32_t inner = 0;

	if (t->type->kind != META_STRUCT || t->width) {
		*width = t->width ? t->width : LEB_MAX;
		return 0;
	}
	if (depth > MAX_DEPTH)
		return -EINVAL;
	*width = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct meta_field *f = t->fields[i].field;
		int err = f->array || f->constant ? 0 : merge_types_measure(u, t->fields[i].type, depth + 1, &inner);

		if (err)
			return err;
		*width += f->array || f->constant ? 1 : inner;
		if (*width > MAX_WIDTH)
			return -EINVAL;
	}
	t->width = *width;
	return 0;
}

static int merge_types_measure_all(struct jfr_merge_types *u)
{
	uint32_t width;
	int err = 0;

	for (uint32_t i = 0; i < u->count; i++)
		u->types[i].width = 0;
	for (uint32_t i = 0; i < u->count && !err; i++)
		err = merge_types_measure(u, i, 0, &width);
	return err;
}

static int merge_types_keep(struct jfr_merge_types *u, struct jfr_metadata *m)
{
	if (vec_reserve(&u->kept, &u->kept_capacity, u->kept_count + 1))
		return -ENOMEM;
	u->kept[u->kept_count++] = jfr_metadata_get(m);
	return 0;
}

static int extend(struct jfr_merge_types *u, struct assignment *a, bool *changed)
{
	int err = 0;

	for (uint32_t i = 0; i < a->m->count && !err; i++) {
		if (a->to[i] != NONE)
			continue;
		a->to[i] = u->count;
		err = append_type(u, a->m, &a->m->types[i]);
		*changed = true;
	}
	for (uint32_t i = 0; i < a->m->count && !err; i++)
		err = extend_type(&u->types[a->to[i]], a, &a->m->types[i], changed);
	return err;
}

int jfr_merge_types_add(struct jfr_merge_types *u, struct jfr_metadata *m)
{
	bool changed = false;
	struct assignment a;
	int err = merge_types_keep(u, m); /* before anything points into it */

	if (err)
		return err;
	err = assign(&a, u, m);
	if (!err)
		err = extend(u, &a, &changed);
	assignment_release(&a);
	if (!err && changed)
		err = merge_types_measure_all(u);
	if (!err && !changed)
		jfr_metadata_put(u->kept[--u->kept_count]);
	return err;
}

static void plan_type(struct union_plan *p, const struct union_type *known, const struct meta_type *t, int32_t *source)
{
	p->straight = known->count == t->count;
	p->source = source;
	for (uint32_t i = 0; i < known->count; i++) {
		source[i] = meta_type_field(t, known->fields[i].field->name);
		p->straight &= source[i] == (int32_t)i;
	}
}

int union_map_build(struct union_map *map, const struct jfr_merge_types *u, const struct jfr_metadata *m)
{
	struct assignment a;
	size_t fields = 0;
	int err = assign(&a, u, m);

	*map = (struct union_map){.plan = calloc(m->count + 1, sizeof(*map->plan))};
	for (uint32_t i = 0; i < m->count && !err; i++) {
		if (a.to[i] == NONE)
			err = -EINVAL;
		else
			fields += u->types[a.to[i]].count;
	}
	map->sources = calloc(fields + 1, sizeof(*map->sources));
	if (!err && (!map->plan || !map->sources))
		err = -ENOMEM;
	fields = 0;
	for (uint32_t i = 0; i < m->count && !err; i++) {
		map->plan[i].type = a.to[i];
		plan_type(&map->plan[i], &u->types[a.to[i]], &m->types[i], map->sources + fields);
		fields += u->types[a.to[i]].count;
	}
	assignment_release(&a);
	if (err)
		union_map_release(map);
	return err;
}

void union_map_release(struct union_map *map)
{
	free(map->plan);
	free(map->sources);
	*map = (struct union_map){0};
}
