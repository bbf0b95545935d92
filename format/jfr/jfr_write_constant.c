// SPDX-License-Identifier: BSD-2-Clause
/*
 * Builds JFR's constants: a method needs a class and two symbols, a class needs a loader, a symbol and a package,
 * and so on. Each constant is interned after those that it refers to, because its payload contains their keys.
 *
 * Data from a target can be anything. A class without a name or with a broken array name, or an invalid
 * descriptor, makes `jfr print` or JMC fail on the whole file. Such constants are refused.
 */
#include "format/jfr/jfr_write_internal.h"

#include <stdlib.h>

#define SYMBOL_LIMIT 65535u /* of a name in a class file */
#define THREAD_LIMIT 1000u

static struct bytes *payload_begin(struct jfr_writer *w)
{
	bytes_clear(&w->scratch);
	return &w->scratch;
}

static uint64_t symbol(struct jfr_writer *w, const char *text)
{
	struct jfr_constant c = {.payload = payload_begin(w)};

	bytes_put_text(&w->scratch, text, SYMBOL_LIMIT);
	return jfr_pools_intern(&w->pools, JFR_SYMBOL, &c);
}

static bool has_key(const struct jfr_writer *w, enum jfr_type type, uint64_t key)
{
	return jfr_pool_find(&w->pools.pool[type - JFR_FIRST_POOL], key) != JFR_UNKNOWN;
}

static uint64_t symbol_or_none(struct jfr_writer *w, const char *text)
{
	return text && *text ? symbol(w, text) : 0;
}

static uint64_t module(struct jfr_writer *w, const struct jfr_module *m, uint64_t loader)
{
	uint64_t name = symbol_or_none(w, m->name), version = symbol_or_none(w, m->version);
	uint64_t location = symbol_or_none(w, m->location);
	struct bytes *p = payload_begin(w);
	struct jfr_constant c = {.ref = {name, version, location, loader}, .payload = p};

	for (int i = 0; i < JFR_REFS; i++)
		bytes_put_leb(p, c.ref[i]);
	return jfr_pools_intern(&w->pools, JFR_MODULE, &c);
}

/* The package of class `a/b/C`: the part before the last slash, of `length` bytes. */
static uint64_t package(struct jfr_writer *w, const struct jfr_class_constant *class, size_t length, uint64_t loader)
{
	struct jfr_constant c = {0};
	char *name = strndup(class->name, length);
	uint64_t key = name ? symbol(w, name) : 0, in = class->module ? module(w, class->module, loader) : 0;
	struct bytes *p = payload_begin(w);
	bool exported = class->module && class->module->exported;

	free(name);
	w->pools.failed |= !key;
	if (!key)
		return 0;
	bytes_put_leb(p, key);
	bytes_put_leb(p, in);
	bytes_put_u8(p, exported);
	c = (struct jfr_constant){.id = {key, in << 1 | exported}, .ref = {key, in}, .payload = p};
	return jfr_pools_intern(&w->pools, JFR_PACKAGE, &c);
}

/*
 * Length of the package in a class name, 0: none. JMC cuts the package name and one more byte off the class name,
 * so it must be a prefix. The name of a hidden class has one more slash or plus: a/b/C$$Lambda/0x00007f...,
 * a/b/C+0x...
 */
static size_t package_length(const char *name, bool hidden)
{
	const char *suffix = hidden ? strstr(name, "/0x") : NULL, *slash;
	size_t length = suffix ? (size_t)(suffix - name) : strnlen(name, SYMBOL_LIMIT + 1);

	if (*name == '[' || length > SYMBOL_LIMIT)
		return 0;
	slash = memrchr(name, '/', length);
	return slash ? slash - name : 0;
}

/* Step over one field descriptor (JVMS 4.3.2). Returns NULL if it is invalid. */
static const char *descriptor_step(const char *d)
{
	while (*d == '[')
		d++;
	if (*d == 'L') {
		const char *end = d + 1 + strcspn(d + 1, ";()[");

		return *end == ';' && end > d + 1 ? end + 1 : NULL;
	}
	return *d && strchr("BCDFIJSZ", *d) ? d + 1 : NULL;
}

/* JMC fails on a name that begins like an array's but does not continue like one. */
static bool class_name_is_usable(const char *name)
{
	const char *end;

	if (!name || !*name)
		return false;
	if (*name != '[')
		return true;
	end = descriptor_step(name);
	return end && !*end && end - name <= SYMBOL_LIMIT;
}

uint64_t jfr_class(struct jfr_writer *w, const struct jfr_class_constant *c)
{
	uint64_t name, pack = 0, loader = has_key(w, JFR_CLASS_LOADER, c->loader) ? c->loader : 0;
	struct jfr_constant add;
	struct bytes *p;
	size_t length;

	if (!class_name_is_usable(c->name))
		return 0;
	length = package_length(c->name, c->hidden);
	if (length)
		pack = package(w, c, length, loader);
	name = symbol(w, c->name);
	if (!name)
		return 0;
	p = payload_begin(w);
	bytes_put_leb(p, loader);
	bytes_put_leb(p, name);
	bytes_put_leb(p, pack);
	bytes_put_leb(p, c->modifiers);
	bytes_put_u8(p, c->hidden);
	add = (struct jfr_constant){.id = {name, loader}, .ref = {name, loader, pack}, .payload = p};
	return jfr_pools_intern(&w->pools, JFR_CLASS, &add);
}

uint64_t jfr_loader(struct jfr_writer *w, const struct jfr_loader_constant *c)
{
	struct jfr_class_constant type = {.name = c->type};
	uint64_t class = jfr_class(w, &type), name = c->name ? symbol(w, c->name) : 0;
	struct bytes *p = payload_begin(w);
	struct jfr_constant add = {.ref = {class, name}, .payload = p};

	bytes_put_leb(p, class);
	bytes_put_leb(p, name);
	add.id[0] = 1 + (class << 32 | name);
	add.id[1] = c->identity;
	return jfr_pools_intern(&w->pools, JFR_CLASS_LOADER, &add);
}

/* The JDK's tools fail on a method with an invalid descriptor. */
static bool descriptor_is_valid(const char *d)
{
	if (!d || strnlen(d, SYMBOL_LIMIT + 1) > SYMBOL_LIMIT || *d++ != '(')
		return false;
	while (d && *d != ')')
		d = descriptor_step(d);
	if (!d)
		return false;
	if (!strcmp(d, ")V"))
		return true;
	d = descriptor_step(d + 1);
	return d && !*d;
}

uint64_t jfr_method(struct jfr_writer *w, const struct jfr_method_constant *c)
{
	uint64_t name, descriptor;
	struct jfr_constant add;
	struct bytes *p;

	if (!has_key(w, JFR_CLASS, c->class_key))
		return 0;
	name = symbol(w, c->name ? c->name : "?");
	descriptor = symbol(w, descriptor_is_valid(c->descriptor) ? c->descriptor : "()V");
	if (!name || !descriptor)
		return 0;
	p = payload_begin(w);
	bytes_put_leb(p, c->class_key);
	bytes_put_leb(p, name);
	bytes_put_leb(p, descriptor);
	bytes_put_leb(p, c->modifiers);
	bytes_put_u8(p, c->hidden);
	add = (struct jfr_constant){
		.id = {c->class_key << 32 | name, descriptor}, .ref = {c->class_key, name, descriptor}, .payload = p};
	return jfr_pools_intern(&w->pools, JFR_METHOD, &add);
}

static uint64_t thread_group(struct jfr_writer *w, const char *name)
{
	struct bytes *p = payload_begin(w);
	struct jfr_constant add = {.payload = p};

	bytes_put_leb(p, 0); /* parent */
	bytes_put_text(p, name, THREAD_LIMIT);
	return jfr_pools_intern(&w->pools, JFR_THREAD_GROUP, &add);
}

/* Intern a constant that can be forgotten, and mark it used; otherwise it could be forgotten before its first event. */
static uint64_t intern_used(struct jfr_writer *w, enum jfr_type type, const struct jfr_constant *c)
{
	uint64_t key = jfr_pools_intern(&w->pools, type, c);

	if (key)
		jfr_pools_use(&w->pools, type, key);
	return key;
}

/* Readers show the Java name if there is a Java id, else the OS name. `jfr view` fails if that is null. */
uint64_t jfr_thread(struct jfr_writer *w, const struct jfr_thread_constant *c)
{
	bool is_java = c->java_id > 0;
	const char *name = c->name ? c->name : "";
	const char *os_name = c->os_name || (is_java && c->is_virtual) ? c->os_name : name;
	const char *group_name = c->group || !c->is_virtual ? c->group : "VirtualThreads";
	uint64_t group = group_name ? thread_group(w, group_name) : 0;
	struct bytes *p = payload_begin(w);
	struct jfr_constant add = {.ref = {group}, .payload = p};

	bytes_put_text(p, os_name, THREAD_LIMIT);
	bytes_put_leb(p, c->os_id);
	bytes_put_text(p, is_java ? name : NULL, THREAD_LIMIT);
	bytes_put_leb(p, is_java ? c->java_id : 0);
	bytes_put_leb(p, group);
	bytes_put_u8(p, c->is_virtual);
	return intern_used(w, JFR_THREAD, &add);
}

bool jfr_thread_known(const struct jfr_writer *w, uint64_t key)
{
	return has_key(w, JFR_THREAD, key);
}

/* Intern the method of unknown frames, once. Returns false without memory. */
static bool stack_prepare(struct jfr_writer *w)
{
	struct jfr_class_constant class = {.name = "<unknown>"};
	struct jfr_method_constant method = {.name = "<unknown>", .descriptor = "()V"};

	if (has_key(w, JFR_METHOD, w->unknown_method))
		return true;
	method.class_key = jfr_class(w, &class);
	w->unknown_method = jfr_method(w, &method);
	return w->unknown_method;
}

static unsigned char *frame_write(const struct jfr_writer *w, unsigned char *p, const struct jfr_frame *f)
{
	p = leb_write(p, has_key(w, JFR_METHOD, f->method) ? f->method : w->unknown_method);
	p = leb_write(p, (uint32_t)f->line); /* -1 in 5 bytes, as in HotSpot */
	p = leb_write(p, (uint32_t)f->bci);
	return leb_write(p, f->type);
}

/* Must match jfr_pools_mark(), which reads it. */
static struct bytes *stack_payload(struct jfr_writer *w, const struct jfr_frame *frames, size_t count, bool truncated)
{
	struct bytes *b = payload_begin(w);
	unsigned char *p = bytes_reserve(b, (1 + 4 * count) * LEB_MAX + 1), *start = p;
	size_t i;

	if (!p)
		return b;
	*p++ = truncated;
	p = leb_write(p, count);
	for (i = 0; i < count; i++)
		p = frame_write(w, p, &frames[i]);
	b->size = p - start;
	return b;
}

uint64_t jfr_stack(struct jfr_writer *w, const struct jfr_frame *frames, size_t count, bool truncated)
{
	size_t written = count < JFR_STACK_FRAMES ? count : JFR_STACK_FRAMES;
	struct jfr_constant c = {0};

	if (!count || !stack_prepare(w))
		return 0;
	c.payload = stack_payload(w, frames, written, truncated || written < count);
	return intern_used(w, JFR_STACK_TRACE, &c);
}

bool jfr_method_known(const struct jfr_writer *w, uint64_t key)
{
	return has_key(w, JFR_METHOD, key);
}

bool jfr_stack_known(const struct jfr_writer *w, uint64_t key)
{
	return has_key(w, JFR_STACK_TRACE, key);
}
