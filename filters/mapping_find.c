// SPDX-License-Identifier: BSD-2-Clause
/* Which original method a method of the program is. */
#include "filters/java_type.h"
#include "filters/mapping_internal.h"

#include <string.h>

struct slice mapping_class(const struct mapping *m, struct slice name)
{
	const struct mapped_class *c = mapping_find(m, name, true);

	return c ? c->name : name;
}

static void put_slashes(struct bytes *out, struct slice name)
{
	for (size_t i = 0; i < name.length; i++)
		bytes_put_u8(out, name.at[i] == '.' ? '/' : name.at[i]);
}

void mapping_put_descriptor(const struct mapping *m, struct bytes *out, struct slice descriptor)
{
	const char *end = descriptor.at + descriptor.length;

	for (const char *at = descriptor.at, *semicolon; at < end; at++) {
		bytes_put_u8(out, *at);
		semicolon = *at == 'L' ? memchr(at, ';', end - at) : NULL;
		if (!semicolon)
			continue;
		put_slashes(out, mapping_class(m, (struct slice){at + 1, semicolon - at - 1}));
		at = semicolon - 1;
	}
}

static void put_class_type(const struct mapping *m, struct bytes *out, struct slice name, bool renamed)
{
	const struct mapped_class *c = renamed ? mapping_find(m, name, false) : NULL;

	bytes_put_u8(out, 'L');
	put_slashes(out, c ? c->renamed : name);
	bytes_put_u8(out, ';');
}

/* Append "java.lang.String[]" as [Ljava/lang/String; */
static void put_type(const struct mapping *m, struct bytes *out, struct slice type, bool renamed)
{
	while (type.length > 2 && memcmp(type.at + type.length - 2, "[]", 2) == 0) {
		bytes_put_u8(out, '[');
		type.length -= 2;
	}
	for (const char *letter = "BCDFIJSVZ"; *letter; letter++) {
		if (!slice_is(type, java_primitive(*letter)))
			continue;
		bytes_put_u8(out, *letter);
		return;
	}
	put_class_type(m, out, type, renamed);
}

void mapped_put_descriptor(const struct mapping *m, struct bytes *out, const struct mapped_member *member, bool renamed)
{
	struct slice types = member->types;

	if (renamed && member->descriptor.length) {
		bytes_put(out, member->descriptor.at, member->descriptor.length);
		return;
	}
	bytes_put_u8(out, '(');
	while (types.length) {
		const char *comma = memchr(types.at, ',', types.length);
		size_t length = comma ? (size_t)(comma - types.at) : types.length;

		put_type(m, out, (struct slice){types.at, length}, renamed);
		types.at += length + !!comma;
		types.length -= length + !!comma;
	}
	bytes_put_u8(out, ')');
	put_type(m, out, member->type, renamed);
}

const struct mapped_member *mapping_members(const struct mapping *m, const struct mapped_class *c, struct slice renamed,
					    size_t *count)
{
	const struct mapped_member *first = m->member + c->first;
	size_t low = 0, high = c->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2, common;
		struct slice name = first[middle].renamed;
		int order;

		common = name.length < renamed.length ? name.length : renamed.length;
		order = common ? memcmp(name.at, renamed.at, common) : 0;
		if (order < 0 || (order == 0 && name.length < renamed.length))
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < c->count && slice_equal(first[end].renamed, renamed);)
		end++;
	*count = end - low;
	return first + low;
}

bool mapped_is_inlined(const struct mapped_member *member, size_t left)
{
	const struct mapped_member *next = member + 1;

	return left > 1 && member->ranged && member->lined && next->ranged && next->lined &&
	       next->order == member->order + 1 && slice_equal(member->renamed, next->renamed) &&
	       member->from == next->from && member->to == next->to;
}

static bool members_are_same(const struct mapped_member *a, const struct mapped_member *b)
{
	return slice_equal(a->name, b->name) && slice_equal(a->types, b->types) && slice_equal(a->type, b->type) &&
	       slice_equal(a->class_name, b->class_name);
}

static bool has_line(const struct mapped_member *member, int64_t line)
{
	return member->ranged && line >= member->from && line <= member->to;
}

static bool has_descriptor(const struct mapping *m, const struct mapped_member *member, struct slice descriptor)
{
	struct bytes own;
	bool same;

	bytes_init(&own);
	mapped_put_descriptor(m, &own, member, true);
	same = !own.failed && slice_equal((struct slice){(const char *)own.data, own.size}, descriptor);
	bytes_release(&own);
	return same;
}

/* What members must have to be the method. */
struct mapped_wish {
	bool line, descriptor;
};

/* The first of the members that fits; NULL: none. *several: others do, too, which are not the same method. */
static const struct mapped_member *mapping_choose(const struct mapping *m, const struct mapped_member *member,
						  size_t count, struct mapped_wish wish, struct slice descriptor,
						  int64_t line, bool *several)
{
	const struct mapped_member *found = NULL;

	*several = false;
	for (size_t i = 0; i < count; i++) {
		if (!member[i].method || mapped_is_inlined(member + i, count - i) ||
		    (wish.line && !has_line(member + i, line)) ||
		    (wish.descriptor && !has_descriptor(m, member + i, descriptor)))
			continue;
		*several |= found && !members_are_same(found, member + i);
		found = found ?: member + i;
	}
	return found;
}

/* The line in the source. Where several lines became one, or one several, only a single one is known. */
static int64_t source_line(const struct mapped_member *member, int64_t line)
{
	if (!member->lined || line < 0)
		return line;
	if (!has_line(member, line))
		return -1;
	if (member->last == member->line)
		return member->line;
	return member->last - member->line == member->to - member->from ? member->line + (line - member->from) : -1;
}

struct mapped_method mapping_method(const struct mapping *m, struct slice class_name, struct slice name,
				    struct slice descriptor, int64_t line)
{
	static const struct mapped_wish wishes[] = {{true, true}, {true, false}, {false, true}, {false, false}};
	const struct mapped_class *c = mapping_find(m, class_name, true);
	struct mapped_method result = {.class_name = class_name, .name = name, .line = line};
	const struct mapped_member *member, *found = NULL;
	bool several = false;
	size_t count;

	if (!c)
		return result;
	result.class_name = c->name;
	member = mapping_members(m, c, name, &count);
	for (size_t i = 0; !found && i < sizeof(wishes) / sizeof(wishes[0]); i++)
		found = mapping_choose(m, member, count, wishes[i], descriptor, line, &several);
	if (!found)
		return result;
	result.line = several ? -1 : source_line(found, line);
	if (several)
		return result;
	result.class_name = found->class_name.length ? found->class_name : c->name;
	result.name = found->name;
	return result;
}
