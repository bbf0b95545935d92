// SPDX-License-Identifier: BSD-2-Clause
/*
 * Class and name of a class loader. On JDK 8 only the loader's object gives its class, after the mark word: as an
 * address, or as 32 bits to be shifted and added to a base. The object may move while it is read, so only a valid
 * class name is accepted.
 */
#include "user/hotspot/loader.h"
#include "user/hotspot/symbol.h"

/* What is no such text stays unknown. */
static int loader_read_name(const struct hotspot_layout *l, const struct mem *m, uint64_t symbol,
			    bool (*plausible)(const char *text), struct method_table *t, const char **out)
{
	return symbol_keep(out, l, m, symbol, plausible, t) == -ENOMEM ? -ENOMEM : 0;
}

static int read_class_name(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, struct method_table *t,
			   const char **out)
{
	uint64_t symbol;

	if (!klass || mem_u64(m, klass + l->walk.klass_name, &symbol))
		return 0;
	return loader_read_name(l, m, symbol, symbol_names_class, t, out);
}

static int read_object(const struct hotspot_layout *l, const struct mem *m, uint64_t oop, struct method_table *t,
		       const char **out)
{
	uint64_t base, klass;
	uint32_t shift, narrow;
	int r = 0;

	if (mem_u64(m, l->narrow_base, &base) || mem_u32(m, l->narrow_shift, &shift) || shift > 8 ||
	    mem_u64(m, oop + l->oop_klass, &klass) || mem_u32(m, oop + l->oop_klass, &narrow))
		return 0;
	if (!base && !shift)
		r = read_class_name(l, m, klass, t, out);
	if (!r && !*out)
		r = read_class_name(l, m, base + ((uint64_t)narrow << shift), t, out);
	return r;
}

/* Use the agent's names for the loaders of JDK 8; since JDK 9 loaders have names of their own. */
static int name_well_known(struct method_table *t, struct resolved_method *out)
{
	static const char *const names[][2] = {
		{"sun/misc/Launcher$AppClassLoader", "app"},
		{"sun/misc/Launcher$ExtClassLoader", "ext"},
	};

	for (int i = 0; i < 2; i++) {
		if (strcmp(out->loader_type, names[i][0]))
			continue;
		out->loader_name = method_table_text(t, names[i][1], 3);
		return out->loader_name ? 0 : -ENOMEM;
	}
	return 0;
}

static int read_by_object(const struct hotspot_layout *l, const struct mem *m, uint64_t loader, struct method_table *t,
			  struct resolved_method *out)
{
	uint64_t oop;
	int r;

	if (!l->narrow_base || !l->narrow_shift || l->oop_klass == FRT_NO_OFFSET ||
	    mem_u64(m, loader + l->loader_oop, &oop) || !oop)
		return 0;
	r = read_object(l, m, oop, t, &out->loader_type);
	return r || !out->loader_type ? r : name_well_known(t, out);
}

int loader_read(const struct hotspot_layout *l, const struct mem *m, uint64_t loader, struct method_table *t,
		struct resolved_method *out)
{
	uint64_t klass, symbol;
	int r = 0;

	if (l->loader_klass == FRT_NO_OFFSET)
		return read_by_object(l, m, loader, t, out);
	if (!mem_u64(m, loader + l->loader_klass, &klass))
		r = read_class_name(l, m, klass, t, &out->loader_type);
	if (!r && l->loader_name != FRT_NO_OFFSET && !mem_u64(m, loader + l->loader_name, &symbol) && symbol)
		r = loader_read_name(l, m, symbol, symbol_is_text, t, &out->loader_name);
	return r;
}
