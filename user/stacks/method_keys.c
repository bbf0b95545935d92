// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/method_keys.h"
#include "format/vec.h"
#include "user/jvm/hidden.h"
#include "user/segment/segment_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADER_TYPE 512
#define LOADER_NAME 128
#define MOST	    (1u << 24)

/* JVMS 4.1, 4.6 */
#define ACC_PUBLIC  0x0001
#define ACC_PRIVATE 0x0002
#define ACC_STATIC  0x0008
#define ACC_NATIVE  0x0100

void method_keys_init(struct method_keys *k, struct jfr_writer *writer, const struct segment *segment)
{
	memset(k, 0, sizeof(*k));
	k->writer = writer;
	k->segment = segment;
}

void method_keys_release(struct method_keys *k)
{
	packages_free(k->packages);
	free(k->resolved);
	k->packages = NULL;
	k->resolved = NULL;
	k->capacity = 0;
}

/* Is this the class of a loader that every JVM has once? JDK 8 has other names for them. */
static bool is_single(const char *type)
{
	static const char *const types[] = {
		"jdk/internal/loader/ClassLoaders$PlatformClassLoader",
		"jdk/internal/loader/ClassLoaders$AppClassLoader",
		"sun/misc/Launcher$ExtClassLoader",
		"sun/misc/Launcher$AppClassLoader",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static uint64_t loader_key(struct method_keys *k, const char *type, const char *name, uint64_t identity)
{
	struct jfr_loader_constant c = {
		.type = type, .name = name && *name ? name : NULL, .identity = is_single(type) ? 0 : identity};

	return jfr_loader(k->writer, &c);
}

static uint64_t boot_loader_key(struct method_keys *k)
{
	struct jfr_loader_constant c = {.name = "bootstrap"};

	return jfr_loader(k->writer, &c);
}

static uint64_t traced_loader(struct method_keys *k, uint32_t number)
{
	const struct frt_loader *l = segment_loader(k->segment, number);
	char type[LOADER_TYPE], name[LOADER_NAME];

	if (number == FRT_BOOT_LOADER || !l)
		return boot_loader_key(k);
	segment_string(k->segment, l->type, type, sizeof(type));
	segment_string(k->segment, l->name, name, sizeof(name));
	return loader_key(k, type, name, number);
}

/* A loader of unknown class is still a class loader. Addresses are larger than numbers, so the two do not collide. */
static uint64_t resolved_loader(struct method_keys *k, const struct resolved_method *m)
{
	if (!m->loader)
		return boot_loader_key(k);
	return loader_key(k, m->loader_type ? m->loader_type : "java/lang/ClassLoader", m->loader_name, m->loader);
}

/*
 * HotSpot calls a hidden class a/B$$Lambda+0x0000000098041000; JVMTI has a dot for the plus sign, recordings have a
 * slash. False: not a hidden class; no other class has a dot in its internal name.
 */
static bool make_hidden_name(char *name, char mark)
{
	char *at = strrchr(name, mark);

	if (!at || strncmp(at + 1, "0x", 2))
		return false;
	*at = '/';
	return true;
}

/* Up to JDK 14, JVMTI's name of a VM anonymous class, such as that of a lambda, ends with a slash and a number. */
static bool is_anonymous(const char *name)
{
	const char *number = strrchr(name, '/');

	return number && number[1] && !number[1 + strspn(number + 1, "0123456789")];
}

static struct jfr_module module_of(const struct resolved_module *m)
{
	return (struct jfr_module){
		.name = m->name, .version = m->version, .location = m->location, .exported = m->exported};
}

/* The module of a class that is known by name; NULL: unknown. */
static const struct jfr_module *named_module(struct method_keys *k, const struct class_name *c, struct jfr_module *out)
{
	struct resolved_module found;

	if (!k->packages || !packages_find(k->packages, c, &found))
		return NULL;
	*out = module_of(&found);
	return out;
}

static const struct jfr_module *traced_module(struct method_keys *k, const char *class_name, uint32_t number,
					      struct jfr_module *out)
{
	const struct frt_loader *l = segment_loader(k->segment, number);
	struct class_name c = {.name = class_name};
	char name[SEGMENT_NAME], type[LOADER_TYPE], loader[LOADER_NAME];

	if (number != FRT_BOOT_LOADER && l) {
		segment_string(k->segment, l->type, type, sizeof(type));
		segment_string(k->segment, l->name, loader, sizeof(loader));
		c.loader_type = type;
		c.loader_name = loader;
	}
	if (is_anonymous(class_name)) {
		snprintf(name, sizeof(name), "%s", class_name);
		*strrchr(name, '/') = 0;
		c.name = name;
	}
	return named_module(k, &c, out);
}

static uint64_t make_traced(struct method_keys *k, uint32_t id)
{
	struct segment_method_text n;
	const struct frt_method *m = segment_method_text(k->segment, id, &n);
	const struct frt_class *c = m ? segment_class(k->segment, m->class_id) : NULL;
	struct jfr_class_constant class = {.name = n.class_name};
	struct jfr_method_constant method = {.name = n.name, .descriptor = n.descriptor};
	struct jfr_module module;

	if (!c)
		return 0;
	class.module = traced_module(k, n.class_name, c->loader, &module);
	class.hidden = method.hidden = is_anonymous(n.class_name) || make_hidden_name(n.class_name, '.');
	if (c->loader == FRT_BOOT_LOADER)
		method.hidden |= hidden_method(n.class_name, n.name, n.descriptor);
	class.loader = traced_loader(k, c->loader);
	class.modifiers = c->modifiers;
	method.class_key = jfr_class(k->writer, &class);
	method.modifiers = m->modifiers;
	return jfr_method(k->writer, &method);
}

uint64_t method_keys_traced(struct method_keys *k, uint32_t id)
{
	if (id >= FRT_MAX_METHODS)
		return 0;
	if (!jfr_method_known(k->writer, k->traced[id]))
		k->traced[id] = make_traced(k, id);
	return k->traced[id];
}

static uint64_t make_resolved(struct method_keys *k, const struct resolved_method *m)
{
	char hidden[SEGMENT_NAME];
	struct jfr_module module = module_of(&m->module);
	struct jfr_class_constant class = {.name = m->class_hidden ? hidden : m->class_name,
					   .loader = resolved_loader(k, m),
					   .modifiers = m->class_modifiers,
					   .hidden = m->class_hidden,
					   .module = m->module.known ? &module : NULL};
	struct jfr_method_constant method = {.name = m->name,
					     .descriptor = m->descriptor,
					     .modifiers = m->modifiers,
					     .hidden = m->hidden || m->class_hidden};

	snprintf(hidden, sizeof(hidden), "%s", m->class_name);
	make_hidden_name(hidden, '+');
	method.class_key = jfr_class(k->writer, &class);
	return jfr_method(k->writer, &method);
}

static bool method_keys_grow(struct method_keys *k, uint32_t number)
{
	size_t before = k->capacity;

	if (number >= MOST || vec_reserve(&k->resolved, &k->capacity, (size_t)number + 1))
		return false;
	memset(k->resolved + before, 0, (k->capacity - before) * sizeof(*k->resolved));
	return true;
}

uint64_t method_keys_resolved(struct method_keys *k, const struct resolved_method *m)
{
	if (m->number >= k->capacity && !method_keys_grow(k, m->number))
		return make_resolved(k, m);
	if (!jfr_method_known(k->writer, k->resolved[m->number]))
		k->resolved[m->number] = make_resolved(k, m);
	return k->resolved[m->number];
}

void method_keys_forget_resolved(struct method_keys *k)
{
	if (k->resolved)
		memset(k->resolved, 0, k->capacity * sizeof(*k->resolved));
}

/* Compare a name with one that was cut to fit `size` bytes. */
static bool method_keys_is_same(const char *cut, size_t size, const char *whole)
{
	return !strncmp(cut, whole, size - 1);
}

uint64_t method_keys_continuation_entry(struct method_keys *k)
{
	static const struct class_name name = {.name = "jdk/internal/vm/Continuation"};
	struct jfr_module module;
	struct jfr_class_constant class = {.name = name.name,
					   .loader = boot_loader_key(k),
					   .modifiers = ACC_PUBLIC,
					   .module = named_module(k, &name, &module)};
	struct jfr_method_constant method = {.class_key = jfr_class(k->writer, &class),
					     .name = "enterSpecial",
					     .descriptor = "(Ljdk/internal/vm/Continuation;ZZ)V",
					     .modifiers = ACC_PRIVATE | ACC_STATIC | ACC_NATIVE};

	return jfr_method(k->writer, &method);
}

uint64_t method_keys_class(struct method_keys *k, uint32_t name)
{
	char text[SEGMENT_NAME];
	struct jfr_class_constant class = {.name = text};

	return segment_string(k->segment, name, text, sizeof(text)) ? jfr_class(k->writer, &class) : 0;
}

uint64_t method_keys_function(struct method_keys *k, const char *where, const char *name)
{
	struct jfr_class_constant class = {.name = where, .loader = boot_loader_key(k), .modifiers = ACC_PUBLIC};
	struct jfr_method_constant method = {.class_key = jfr_class(k->writer, &class),
					     .name = name,
					     .descriptor = "()V",
					     .modifiers = ACC_STATIC | ACC_NATIVE};

	return jfr_method(k->writer, &method);
}

bool method_keys_same(const struct method_keys *k, uint32_t id, const struct resolved_method *m)
{
	struct segment_method_text n;

	return segment_method_text(k->segment, id, &n) && method_keys_is_same(n.name, sizeof(n.name), m->name) &&
	       method_keys_is_same(n.class_name, sizeof(n.class_name), m->class_name) &&
	       method_keys_is_same(n.descriptor, sizeof(n.descriptor), m->descriptor);
}
