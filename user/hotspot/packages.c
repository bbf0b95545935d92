// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/packages.h"
#include "format/map.h"
#include "format/vec.h"
#include "user/hotspot/classes.h"
#include "user/hotspot/loader.h"
#include "user/hotspot/modules.h"
#include "user/hotspot/page_cache.h"

#include <stdlib.h>

/* A walk counts as one more for each CLASSES classes, and as ASTRAY more if it fails, since a forged list may be long. */
#define CLASSES 65536u
#define ASTRAY	3u

struct package {
	/* texts of the table */
	const char *name, *loader_type, *loader_name;
	struct resolved_module module;
	bool doubtful; /* there is another one, and it is different */
};

struct packages {
	const struct hotspot_layout *l;
	struct page_cache pages;
	struct method_table table; /* of texts */
	struct package *package;
	size_t capacity;
	uint32_t count, classes; /* of the last walk */
	uint32_t walks;		 /* used up */
	struct hash_index by_name;
	struct map entries; /* the addresses that the last walk has seen */
};

struct packages *packages_new(const struct hotspot_layout *l, const struct mem *m)
{
	struct packages *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->l = l;
	page_cache_init(&p->pages, m);
	return p;
}

void packages_free(struct packages *p)
{
	if (!p)
		return;
	hash_release(&p->by_name);
	map_release(&p->entries);
	method_table_release(&p->table);
	free(p->package);
	free(p);
}

/* ---- by name */

/* A package to be found or added; `length` is that of its name. */
struct package_key {
	const struct packages *p;
	const char *name, *loader_type, *loader_name;
	size_t length;
};

static struct package_key key_of(const struct packages *p, const struct class_name *c)
{
	const char *slash = strrchr(c->name, '/');

	return (struct package_key){
		.p = p,
		.name = c->name,
		.loader_type = c->loader_type ?: "",
		.loader_name = c->loader_name ?: "",
		.length = slash ? (size_t)(slash - c->name) : 0,
	};
}

static uint64_t key_hash(const struct package_key *k)
{
	uint64_t h = hash_mix(hash_data(k->name, k->length), hash_data(k->loader_type, strlen(k->loader_type)));

	return hash_mix(h, hash_data(k->loader_name, strlen(k->loader_name)));
}

static bool package_is(const void *context, uint32_t row)
{
	const struct package_key *k = context;
	const struct package *p = &k->p->package[row - 1];

	return !strncmp(p->name, k->name, k->length) && !p->name[k->length] &&
	       !strcmp(p->loader_type, k->loader_type) && !strcmp(p->loader_name, k->loader_name);
}

static struct package *packages_lookup(const struct packages *p, const struct package_key *k)
{
	uint32_t row = hash_find(&p->by_name, key_hash(k), package_is, k);

	return row ? &p->package[row - 1] : NULL;
}

static int package_add(struct packages *p, const struct package_key *k, const struct resolved_module *module)
{
	struct package new = {.name = method_table_text(&p->table, k->name, k->length),
			      .loader_type = k->loader_type,
			      .loader_name = k->loader_name,
			      .module = *module};

	if (!new.name || vec_reserve(&p->package, &p->capacity, (size_t)p->count + 1))
		return -ENOMEM;
	p->package[p->count++] = new;
	return hash_add(&p->by_name, key_hash(k), p->count);
}

/* ---- the walk */

static int note_package(struct packages *p, const struct loaded_class *c)
{
	const struct mem *m = &p->pages.mem;
	struct resolved_method class = {.class_name = c->name};
	struct package_key key;
	struct package *known;
	int r = c->boot ? 0 : loader_read(p->l, m, c->loader, &p->table, &class);

	r = r ?: module_read(p->l, m, c->klass, &p->table, &class);
	if (r || !class.module.known || (!c->boot && !class.loader_type))
		return r;
	key = key_of(p, &(struct class_name){c->name, class.loader_type, class.loader_name});
	known = packages_lookup(p, &key);
	if (!known)
		return package_add(p, &key, &class.module);
	known->doubtful |= !resolved_module_is(&known->module, &class.module);
	return 0;
}

static int on_class(const struct loaded_class *c, void *context)
{
	struct packages *p = context;
	uint64_t entry;
	uint32_t *seen;

	p->classes++;
	if (mem_u64(&p->pages.mem, c->klass + p->l->modules.klass_package, &entry) || !entry)
		return 0;
	seen = map_at(&p->entries, entry, 0);
	if (!seen)
		return -ENOMEM;
	return (*seen)++ ? 0 : note_package(p, c);
}

/* What has been seen until an error is true all the same. */
static void packages_walk(struct packages *p)
{
	int r;

	p->count = p->classes = 0;
	hash_clear(&p->by_name);
	map_clear(&p->entries);
	page_cache_clear(&p->pages);
	r = hotspot_each_class(p->l, &p->pages.mem, on_class, p);
	p->walks += 1 + p->classes / CLASSES + (r ? ASTRAY : 0);
}

bool packages_find(struct packages *p, const struct class_name *c, struct resolved_module *out)
{
	struct package_key key = key_of(p, c);
	const struct package *found;

	if (!key.length || !p->l->modules.known)
		return false;
	found = packages_lookup(p, &key);
	if (!found && p->walks < PACKAGES_WALKS) {
		packages_walk(p);
		found = packages_lookup(p, &key);
	}
	if (!found || found->doubtful)
		return false;
	*out = found->module;
	return true;
}
