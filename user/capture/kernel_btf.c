// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/kernel_btf.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#define MOST_NESTED 4

int64_t kernel_btf_variable(const struct btf *btf, const char *name)
{
	int32_t id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	int32_t variable = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *section = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (int i = 0; section && variable >= 0 && i < btf_vlen(section); i++)
		if (btf_var_secinfos(section)[i].type == (uint32_t)variable)
			return btf_var_secinfos(section)[i].offset;
	return -1;
}

static int64_t btf_member_offset(const struct btf *btf, uint32_t id, const char *name, int nested)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	for (int i = 0; type && btf_is_composite(type) && nested && i < btf_vlen(type); i++) {
		const struct btf_member *m = &btf_members(type)[i];
		const char *own = btf__name_by_offset(btf, m->name_off);
		int64_t at = btf_member_bit_offset(type, i) / 8, inside;

		if (own[0] && !strcmp(own, name))
			return at;
		inside = own[0] ? -1 : btf_member_offset(btf, m->type, name, nested - 1);
		if (inside >= 0)
			return at + inside;
	}
	return -1;
}

int64_t kernel_btf_member(const struct btf *btf, const char *type, const char *member)
{
	int32_t id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);

	return id < 0 ? -1 : btf_member_offset(btf, id, member, MOST_NESTED);
}

bool kernel_btf_has_value(const struct btf *btf, const char *enumeration, const char *value)
{
	int32_t id = btf__find_by_name_kind(btf, enumeration, BTF_KIND_ENUM);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (int i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), value))
			return true;
	return false;
}

bool kernel_btf_has_tracepoint(const struct btf *btf, const char *name)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) >= 0;
}
