// SPDX-License-Identifier: BSD-2-Clause
/*
 * In a JDK 17, addresses shortened:
 *
 *	PackageEntry	6b74321d44  0  "java/lang"  module  1  0
 *	ModuleEntry	6b76606995  0  "java.base"  handle  0  loader  reads  "17.0.15"  "jrt:/java.base"  ffffffff
 *
 * and in a JDK 25:
 *
 *	PackageEntry	"java/lang"  module  1  0
 *	ModuleEntry	handle  0  "java.base"  loader  0  "25.0.3"  "jrt:/java.base"  ffffffff
 *
 * Texts are Symbols, the loader is a ClassLoaderData. In both the flags of the package follow its name and module,
 * and the list of modules that it is exported to follows the flags. In both four flags of one byte each come after the
 * module's location, in JDK 17 and later also after an int: the module can read all unnamed modules; has default
 * edges; must be walked; is open. The first and the last of them are set in an unnamed module and clear in java.base.
 */
#include "user/hotspot/modules.h"
#include "user/hotspot/symbol.h"

#include <stdio.h>

#define WORD	      8u
#define KLASS_WORDS   128u
#define LOADER_WORDS  64u
#define ENTRY_WORDS   16u /* of a PackageEntry or ModuleEntry: more than are looked at */
#define NAME_WORDS    4u  /* a name is one of the first words */
#define NOT_FOUND     UINT32_MAX
#define EXPORT_FLAGS  3u /* to all; to all unnamed modules */
#define OPEN_FROM_ANY 3u /* bytes from "can read all unnamed modules" to "is open" */

struct search {
	const struct hotspot_layout *l;
	const struct mem *m;
	uint64_t loader; /* ClassLoaderData of the boot loader */
};

/* The words of a structure. False: there is none. */
static bool words_read(const struct search *s, uint64_t address, uint64_t *to, uint32_t count)
{
	return address && !(address % WORD) && !mem_read(s->m, address, to, WORD * count);
}

/* Does the symbol's text begin with `text`, or, if `whole`, equal it? */
static bool symbol_has(const struct search *s, uint64_t symbol, const char *text, bool whole)
{
	const struct frt_layout *w = &s->l->walk;
	size_t length = strlen(text);
	uint16_t has;
	char at[32];

	if (!symbol || length > sizeof(at) ||
	    mem_u16(s->m, symbol + w->symbol_length + w->symbol_length_shift / 8, &has) || has < length ||
	    (whole && has != length))
		return false;
	return !mem_read(s->m, symbol + w->symbol_body, at, length) && !memcmp(at, text, length);
}

/* The only word that is a symbol with this text. */
static uint32_t words_find_symbol(const struct search *s, const uint64_t *word, uint32_t count, const char *text)
{
	uint32_t found = NOT_FOUND;

	for (uint32_t i = 0; i < count; i++) {
		if (!symbol_has(s, word[i], text, true))
			continue;
		if (found != NOT_FOUND)
			return NOT_FOUND;
		found = i;
	}
	return found;
}

/*
 * The only word with the address of a structure that has this name among its first words. `name` is set to the name's
 * place.
 */
static uint32_t words_find_named(const struct search *s, const uint64_t *word, uint32_t count, const char *text,
				 uint32_t *name)
{
	uint32_t found = NOT_FOUND;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t entry[NAME_WORDS];
		uint32_t at = words_read(s, word[i], entry, NAME_WORDS) ? words_find_symbol(s, entry, NAME_WORDS, text)
									: NOT_FOUND;

		if (at == NOT_FOUND)
			continue;
		if (found != NOT_FOUND)
			return NOT_FOUND;
		found = i;
		*name = at;
	}
	return found;
}

static uint32_t words_find(const uint64_t *word, uint32_t from, uint32_t count, uint64_t value)
{
	while (from < count && word[from] != value)
		from++;
	return from < count ? from : NOT_FOUND;
}

/* Find the PackageEntry of java.lang.Object, and the ModuleEntry in it. Returns the latter, or 0. */
static uint64_t find_entries(const struct search *s, uint64_t object, struct hotspot_modules *out)
{
	uint64_t klass[KLASS_WORDS], package[ENTRY_WORDS];
	uint32_t words = s->l->klass_size / WORD, at, name, module, module_name;

	if (words > KLASS_WORDS || !words_read(s, object, klass, words))
		return 0;
	at = words_find_named(s, klass, words, "java/lang", &name);
	if (at == NOT_FOUND || !words_read(s, klass[at], package, ENTRY_WORDS))
		return 0;
	module = words_find_named(s, package, NAME_WORDS, "java.base", &module_name);
	if (module == NOT_FOUND)
		return 0;
	out->klass_package = WORD * at;
	out->package_name = WORD * name;
	out->package_module = WORD * module;
	out->package_exports = WORD * ((name > module ? name : module) + 1);
	out->module_name = WORD * module_name;
	return package[module];
}

/* Is the class in this package, which java.base exports to all? */
static bool class_agrees(const struct search *s, const struct hotspot_modules *f, uint64_t klass, const char *package,
			 uint64_t module)
{
	uint64_t at, entry[ENTRY_WORDS];

	return !mem_u64(s->m, klass + f->klass_package, &at) && words_read(s, at, entry, ENTRY_WORDS) &&
	       symbol_has(s, entry[f->package_name / WORD], package, true) &&
	       entry[f->package_module / WORD] == module && (uint32_t)entry[f->package_exports / WORD] == 1 &&
	       !entry[f->package_exports / WORD + 1];
}

static void find_location(const struct search *s, const uint64_t *module, uint32_t from, struct hotspot_modules *out)
{
	uint32_t at = words_find_symbol(s, module + from, ENTRY_WORDS - from, "jrt:/java.base");
	char version[16];

	if (at == NOT_FOUND || !at)
		return;
	out->module_location = WORD * (from + at);
	snprintf(version, sizeof(version), "%u", s->l->walk.jdk_version);
	if (symbol_has(s, module[from + at - 1], version, false))
		out->module_version = WORD * (from + at - 1);
}

/* The boot loader's unnamed module: the only one in its ClassLoaderData that is a module of this loader. */
static uint64_t find_unnamed(const struct search *s, const struct hotspot_modules *f, uint32_t module_loader)
{
	uint64_t loader[LOADER_WORDS], entry[ENTRY_WORDS], found = 0;
	uint32_t words = s->l->loader_size / WORD;

	if (words > LOADER_WORDS || !words_read(s, s->loader, loader, words))
		return 0;
	for (uint32_t i = 0; i < words; i++) {
		if (loader[i] == found || !words_read(s, loader[i], entry, ENTRY_WORDS) ||
		    entry[f->module_name / WORD] || entry[module_loader] != s->loader)
			continue;
		if (found)
			return 0;
		found = loader[i];
	}
	return found;
}

static void find_open(const struct search *s, uint64_t base, uint64_t unnamed, struct hotspot_modules *out)
{
	uint8_t set[16], clear[16];
	uint16_t from = out->module_location + WORD;

	if (!unnamed || mem_read(s->m, unnamed + from, set, sizeof(set)) ||
	    mem_read(s->m, base + from, clear, sizeof(clear)))
		return;
	for (uint32_t i = 0; i <= 4; i += 4)
		if (set[i] == 1 && !clear[i] && set[i + OPEN_FROM_ANY] == 1 && !clear[i + OPEN_FROM_ANY])
			out->module_open = from + i + OPEN_FROM_ANY;
}

/* What a module has beyond its name is optional. */
static void find_details(const struct search *s, uint64_t base, struct hotspot_modules *out)
{
	uint64_t module[ENTRY_WORDS];
	uint32_t loader;

	if (!words_read(s, base, module, ENTRY_WORDS))
		return;
	loader = words_find(module, out->module_name / WORD + 1, ENTRY_WORDS, s->loader);
	if (loader == NOT_FOUND)
		return;
	find_location(s, module, loader + 1, out);
	if (out->module_location)
		find_open(s, base, find_unnamed(s, out, loader), out);
}

void hotspot_find_modules(struct hotspot_layout *l, const struct mem *m)
{
	struct search s = {.l = l, .m = m};
	struct hotspot_modules found = {.known = true};
	uint64_t object, handle, base;

	l->modules.known = false;
	if (!l->object_class || !l->handle_class || l->klass_size == FRT_NO_OFFSET || l->loader_size == FRT_NO_OFFSET ||
	    l->klass_loader_data == FRT_NO_OFFSET || mem_u64(m, l->object_class, &object) ||
	    mem_u64(m, l->handle_class, &handle) || mem_u64(m, object + l->klass_loader_data, &s.loader))
		return;
	base = find_entries(&s, object, &found);
	if (!base || !class_agrees(&s, &found, object, "java/lang", base) ||
	    !class_agrees(&s, &found, handle, "java/lang/invoke", base))
		return;
	find_details(&s, base, &found);
	l->modules = found;
}

/* ---- the module of a class */

/* Is it the name of the class's package? */
static bool is_package_of(const char *package, size_t length, const char *class_name)
{
	const char *slash = strrchr(class_name, '/');

	return slash && (size_t)(slash - class_name) == length && !memcmp(package, class_name, length);
}

/* The text of a symbol in a structure; NULL: there is none. */
static int entry_text(const struct hotspot_layout *l, const struct mem *m, uint64_t at, struct method_table *t,
		      const char **out)
{
	uint64_t symbol;
	int e = mem_u64(m, at, &symbol);

	return e || !symbol ? e : symbol_keep(out, l, m, symbol, symbol_is_text, t);
}

static int module_read_entry(const struct hotspot_layout *l, const struct mem *m, uint64_t entry,
			     struct method_table *t, struct resolved_module *out)
{
	const struct hotspot_modules *f = &l->modules;
	int e = entry_text(l, m, entry + f->module_name, t, &out->name);

	if (!e && out->name && f->module_version)
		e = entry_text(l, m, entry + f->module_version, t, &out->version);
	if (!e && out->name && f->module_location)
		e = entry_text(l, m, entry + f->module_location, t, &out->location);
	return e;
}

/*
 * Like the JDK's recordings: exported to any module at all. A list remains after the last module in it is gone; an
 * unnamed module is open, and an open module exports all its packages.
 */
static int read_exported(const struct hotspot_layout *l, const struct mem *m, uint64_t package, uint64_t module,
			 struct resolved_module *out)
{
	const struct hotspot_modules *f = &l->modules;
	uint8_t open = !out->name;
	uint32_t flags;
	uint64_t list;
	int e = mem_u32(m, package + f->package_exports, &flags);

	e = e ?: mem_u64(m, package + f->package_exports + WORD, &list);
	if (!e && !open && f->module_open)
		e = mem_u8(m, module + f->module_open, &open);
	if (!e && (flags > EXPORT_FLAGS || open > 1))
		e = -EBADMSG;
	if (!e)
		out->exported = open || flags || list;
	return e;
}

static int module_read_package(const struct hotspot_layout *l, const struct mem *m, uint64_t package,
			       struct method_table *t, struct resolved_method *out)
{
	char name[SYMBOL_MAX + 1];
	const struct hotspot_modules *f = &l->modules;
	struct resolved_module module = {.known = true};
	uint64_t symbol, entry;
	int e = mem_u64(m, package + f->package_name, &symbol), length;

	e = e ?: mem_u64(m, package + f->package_module, &entry);
	if (e)
		return e;
	length = symbol_read(l, m, symbol, name);
	if (length < 0 || !entry || !is_package_of(name, length, out->class_name))
		return length < 0 ? length : 0;
	e = module_read_entry(l, m, entry, t, &module);
	e = e ?: read_exported(l, m, package, entry, &module);
	if (!e)
		out->module = module;
	return e;
}

int module_read(const struct hotspot_layout *l, const struct mem *m, uint64_t klass, struct method_table *t,
		struct resolved_method *out)
{
	uint64_t package;
	int e;

	if (!l->modules.known || !strchr(out->class_name, '/'))
		return 0;
	e = mem_u64(m, klass + l->modules.klass_package, &package);
	if (!e && package)
		e = module_read_package(l, m, package, t, out);
	return e == -ENOMEM ? e : 0;
}
