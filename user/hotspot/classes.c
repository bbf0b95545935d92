// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/classes.h"
#include "format/map.h"
#include "user/hotspot/page_cache.h"
#include "user/hotspot/symbol.h"

#include <stdlib.h>

#define MAX_SEEN (4u << 20) /* loaders and classes: 200 MB; a JVM with a million has tens of GiB of metaspace */

struct class_walk {
	const struct hotspot_layout *l;
	struct page_cache pages;
	int (*visit)(const struct loaded_class *c, void *context);
	void *context;
	struct map seen; /* addresses */
	char name[SYMBOL_MAX + 1];
};

/* An address that occurs a second time means a circle. */
static int note_seen(struct class_walk *w, uint64_t address)
{
	uint32_t *seen = w->seen.count < MAX_SEEN ? map_at(&w->seen, address, 0) : NULL;

	if (!seen)
		return w->seen.count < MAX_SEEN ? -ENOMEM : -EAGAIN;
	return (*seen)++ ? -EAGAIN : 0;
}

/* Unreadable memory was freed; or the process is gone. */
static int astray(int e)
{
	return e == -ESRCH || e == -EACCES || e == -EPERM ? e : -EAGAIN;
}

/* Returns 1 for a class to report; 0 for an array, or a class that is being created. */
static int classes_read_class(struct class_walk *w, uint64_t klass, struct loaded_class *c)
{
	const struct hotspot_layout *l = w->l;
	const struct mem *m = &w->pages.mem;
	uint64_t loader;
	uint32_t shape;
	int r = mem_u64(m, klass + l->klass_loader_data, &loader);

	r = r ?: mem_u32(m, klass + l->klass_shape, &shape);
	if (r)
		return astray(r);
	if (loader != c->loader)
		return -EAGAIN;
	if ((int32_t)shape <= 0)
		return 0;
	r = mem_u8(m, klass + l->klass_state, &c->state);
	if (r || !c->state)
		return r ? astray(r) : 0;
	r = symbol_read_name(l, m, klass, w->name);
	if (r < 0 || !symbol_names_class(w->name))
		return astray(r);
	c->length = r;
	return 1;
}

static int walk_classes(struct class_walk *w, uint64_t loader, bool boot)
{
	struct loaded_class c = {.loader = loader, .boot = boot, .name = w->name};
	int r = mem_u64(&w->pages.mem, loader + w->l->loader_klasses, &c.klass);

	while (!r && c.klass) {
		r = note_seen(w, c.klass);
		r = r ?: classes_read_class(w, c.klass, &c);
		if (r > 0)
			r = w->visit(&c, w->context);
		if (!r && mem_u64(&w->pages.mem, c.klass + w->l->klass_next, &c.klass))
			r = -EAGAIN;
	}
	return r;
}

/* The handle of the boot loader has no object. */
static int is_boot(const struct class_walk *w, uint64_t loader, bool *boot)
{
	uint64_t oop;
	int r = mem_u64(&w->pages.mem, loader + w->l->loader_oop, &oop);

	*boot = !oop;
	return r ? astray(r) : 0;
}

static int walk_loaders(struct class_walk *w)
{
	uint64_t loader;
	bool boot;
	int r = mem_u64(&w->pages.mem, w->l->loaders, &loader);

	while (!r && loader) {
		r = note_seen(w, loader);
		r = r ?: is_boot(w, loader, &boot);
		r = r ?: walk_classes(w, loader, boot);
		if (!r && mem_u64(&w->pages.mem, loader + w->l->loader_next, &loader))
			r = -EAGAIN;
	}
	return r;
}

int hotspot_each_class(const struct hotspot_layout *l, const struct mem *m,
		       int (*visit)(const struct loaded_class *c, void *context), void *context)
{
	struct class_walk *w;
	int r;

	if (l->without & HOTSPOT_CLASSES)
		return -ENOTSUP;
	w = malloc(sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->l = l;
	w->visit = visit;
	w->context = context;
	w->seen = (struct map){0};
	page_cache_init(&w->pages, m);
	r = walk_loaders(w);
	map_release(&w->seen);
	free(w);
	return r;
}
