// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/native_places.h"
#include "filters/quote.h"
#include "format/vec.h"
#include "uprobes/elf/elf_file.h"
#include "user/hotspot/method.h"
#include "user/jvm/bindings.h"
#include "user/jvm/jni_name.h"
#include "user/jvm/jvm_model.h"
#include "user/jvm/native_entry.h"
#include "user/process/interrupt.h"
#include "user/process/root_path.h"
#include "user/text/io.h"
#include "user/text/java_name.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PAUSE_US       1000
#define CRITICAL_UP_TO 17 /* JDK-8258192 took them out; JDK 16 and 17 have them off by default */
#define JDK_LIBRARY    (256 << 20)
#define JDK_LIBRARIES  256
#define SOURCES_MOST   1024
#define EXPORTS_MOST   65536
#define NAME_TEXT      2048

/* A file with functions for native methods. */
struct source {
	uint64_t device, inode;
	struct elf_file *file; /* NULL: it has none */
};

struct exported {
	char *name;
	size_t source;
	uint64_t offset; /* in the file */
};

struct native_places {
	const struct target *target;
	struct jvm_model model;
	struct matches_setup setup; /* of `bindings`, without a pattern */
	struct bindings *bindings;
	struct libraries *libraries;
	struct source *source;
	size_t sources, source_capacity;
	struct exported *exported;
	size_t exports, export_capacity;
	bool jdk;      /* its libraries have been read */
	bool critical; /* the JVM calls JavaCritical_ functions */
};

static bool has_criticals(const struct target *t)
{
	struct diag ignored;
	bool on = true;

	return t->jdk_version <= CRITICAL_UP_TO && (jvm_model_read_flag(t, "CriticalJNINatives", &on, &ignored) || on);
}

int native_places_new(struct native_places **out, const struct target *t, struct diag *d)
{
	struct native_places *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return diag_errno(d, ENOMEM, "cannot look for native methods");
	p->target = t;
	err = jvm_model_open_classes(&p->model, t, d);
	if (!err) {
		p->setup = (struct matches_setup){.layout = &p->model.layout,
						  .mem = &p->model.remote.mem,
						  .jdk_version = t->jdk_version,
						  .pause_us = PAUSE_US};
		p->bindings = bindings_new(t, &p->setup);
		p->libraries = libraries_new(t, false);
		p->critical = has_criticals(t);
		if (!p->bindings || !p->libraries)
			err = diag_errno(d, ENOMEM, "cannot look for native methods");
	}
	if (err)
		native_places_free(p);
	else
		*out = p;
	return err;
}

static void sources_release(struct native_places *p)
{
	for (size_t i = 0; i < p->sources; i++)
		elf_file_close(p->source[i].file);
	for (size_t i = 0; i < p->exports; i++)
		free(p->exported[i].name);
	free(p->source);
	free(p->exported);
}

void native_places_free(struct native_places *p)
{
	if (!p)
		return;
	bindings_free(p->bindings);
	libraries_free(p->libraries);
	sources_release(p);
	jvm_model_close(&p->model);
	free(p);
}

const struct jvm_model *native_places_model(const struct native_places *p)
{
	return &p->model;
}

/* ---- methods */

static int add_filter(struct filter_list *filters, const struct native_method *m)
{
	char *class_name = strdup(m->class_name), *filter = NULL;
	struct diag ignored;
	int err;

	if (class_name) {
		java_name_dots(class_name);
		filter = quote_filter(class_name, m->name, NULL);
	}
	err = filter ? filter_list_add(filters, filter, FILTER_TRACE, &ignored) : -ENOMEM;
	free(filter);
	free(class_name);
	return err;
}

static void take_match(const struct match *m, struct native_method *method, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct native_method *at = &method[i];

		if (at->address || at->boot != !m->loader || strcmp(at->class_name, m->method->class_name) ||
		    strcmp(at->name, m->method->name) || strcmp(at->descriptor, m->method->descriptor))
			continue;
		at->address = m->address;
		return;
	}
}

void native_places_find_methods(struct native_places *p, struct native_method *method, size_t count)
{
	struct filter_list *filters = filter_list_new();
	struct matches found = {.count = 0};
	struct diag ignored;
	bool any = false;

	for (size_t i = 0; filters && i < count; i++)
		if (!method[i].address)
			any |= !add_filter(filters, &method[i]);
	if (any && !matches_find_by(&found, p->setup, filters, &ignored))
		for (uint32_t i = 0; i < found.count; i++)
			if (found.match[i].reason == FRT_SKIP_NATIVE)
				take_match(&found.match[i], method, count);
	matches_release(&found);
	filter_list_free(filters);
}

/* ---- places */

static bool place_at(const struct elf_file *e, uint64_t offset, struct native_place *out)
{
	uint8_t code[NATIVE_ENTRY_CODE];
	size_t size = sizeof(code);
	struct stat st;

	if (offset >= e->size)
		return false;
	if (size > e->size - offset)
		size = e->size - offset;
	if (fstat(e->fd, &st) || elf_file_read(e, code, size, offset))
		return false;
	*out = (struct native_place){.device = st.st_dev,
				     .inode = st.st_ino,
				     .offset = offset + native_entry_skip(code, size),
				     .fd = fcntl(e->fd, F_DUPFD_CLOEXEC, 0)};
	return out->fd >= 0;
}

/* ---- functions by their names */

static bool is_source(const struct native_places *p, uint64_t device, uint64_t inode)
{
	for (size_t i = 0; i < p->sources; i++)
		if (p->source[i].device == device && p->source[i].inode == inode)
			return true;
	return false;
}

static void on_export(const char *name, uint64_t address, void *context)
{
	struct native_places *p = context;
	struct exported e = {.source = p->sources};

	if (p->exports == EXPORTS_MOST || !elf_file_offset(p->source[p->sources].file, address, PF_X, &e.offset) ||
	    vec_reserve(&p->exported, &p->export_capacity, p->exports + 1) || !(e.name = strdup(name)))
		return;
	p->exported[p->exports++] = e;
}

/* Take the functions of a file that is not known yet. The descriptor is closed if it has none, or with the source. */
static void add_source(struct native_places *p, int fd)
{
	size_t before = p->exports;
	struct elf_file *file = NULL;
	struct diag ignored;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || is_source(p, st.st_dev, st.st_ino) || p->sources == SOURCES_MOST ||
	    vec_reserve(&p->source, &p->source_capacity, p->sources + 1)) {
		io_close(fd);
		return;
	}
	if (elf_file_open(&file, fd, &ignored))
		file = NULL;
	p->source[p->sources] = (struct source){.device = st.st_dev, .inode = st.st_ino, .file = file};
	if (file)
		elf_file_exports(file, "Java", on_export, p);
	if (p->exports == before) {
		elf_file_close(file);
		p->source[p->sources].file = NULL;
	}
	p->sources++;
}

static int add_library(const struct library *mapped, void *context)
{
	struct native_places *p = context;
	const struct library *l = libraries_at(p->libraries, mapped->map.start);

	if (l && l->file)
		add_source(p, fcntl(l->file->fd, F_DUPFD_CLOEXEC, 0));
	return interrupted();
}

/* The directory above that of libjvm.so has the JDK's libraries, also those that are not loaded yet. */
static void add_jdk(struct native_places *p)
{
	int root = root_path_open(p->target, "root"), at = -1;
	char directory[sizeof(p->target->libjvm)], path[sizeof(directory) + 256];
	const struct dirent *entry;
	DIR *list = NULL;

	snprintf(directory, sizeof(directory), "%s", p->target->libjvm);
	for (int i = 0; i < 2; i++)
		directory[path_base(directory) - directory - (path_base(directory) > directory)] = 0;
	if (root >= 0 && directory[0])
		at = root_path_open_at(root, directory, O_DIRECTORY | O_RDONLY);
	if (at >= 0)
		list = fdopendir(at);
	for (int n = 0; list && n < JDK_LIBRARIES && (entry = readdir(list)); n++) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (strstr(entry->d_name, ".so"))
			add_source(p, root_path_open_file(p->target, root, path, JDK_LIBRARY));
	}
	if (list)
		closedir(list);
	else
		io_close(at);
	io_close(root);
}

/* The JVM looks for the short name first. NULL: there is no such function. */
static const struct exported *find_export(const struct native_places *p, const struct native_method *m,
					  const char *prefix)
{
	char name[JNI_NAME];

	for (int i = 0; i < 2; i++) {
		bool has = jni_name(name, prefix, m->class_name, m->name, m->descriptor, i);

		for (size_t k = 0; has && k < p->exports; k++)
			if (!strcmp(p->exported[k].name, name))
				return &p->exported[k];
	}
	return NULL;
}

static bool find_named(struct native_places *p, struct native_method *method, struct native_place *out)
{
	const struct exported *e = find_export(p, method, NULL);
	bool found = e && place_at(p->source[e->source].file, e->offset, out);

	method->state = found ? NATIVE_PLACED : NATIVE_UNBOUND;
	return found;
}

static bool find_bound(struct native_places *p, struct native_method *method, uint64_t address,
		       struct native_place *out)
{
	const struct library *l = libraries_at(p->libraries, address);
	uint64_t offset;

	if (!l) {
		method->state = NATIVE_MEMORY;
		return false;
	}
	method->state = NATIVE_UNKNOWN;
	if (!l->file || !elf_file_offset(l->file, address - l->bias, PF_X, &offset) || !place_at(l->file, offset, out))
		return false;
	method->state = NATIVE_PLACED;
	return true;
}

/*
 * While a JVM starts, nothing tells what methods without a binding have. A function that is there for one method is no such
 * thing.
 */
static bool is_of_a_method(struct native_places *p, uint64_t address)
{
	const struct library *l = address ? libraries_at(p->libraries, address) : NULL;
	char name[ELF_FILE_SYMBOL];
	uint64_t start;

	return l && l->file && elf_file_symbol(l->file, address - l->bias, name, &start) &&
	       start == address - l->bias && (!strncmp(name, "JVM_", 4) || !strncmp(name, "Java_", 5));
}

bool native_places_find(struct native_places *p, struct native_method *method, struct native_place *out)
{
	struct match m = {.address = method->address};
	struct binding b = {.kind = BINDING_NONE};

	if (p->critical && find_export(p, method, "JavaCritical_")) {
		method->state = NATIVE_CRITICAL;
		return false;
	}
	if (method->address)
		bindings_find(p->bindings, &m, &b);
	method->code = b.address;
	if (b.kind == BINDING_LIBRARY || b.kind == BINDING_MEMORY ||
	    (b.kind == BINDING_UNKNOWN && is_of_a_method(p, b.address)))
		return find_bound(p, method, b.address, out);
	return find_named(p, method, out);
}

/* A class may have been unloaded, and its memory be used for something else. */
static bool native_places_has_method(const struct native_places *p, const struct native_method *method)
{
	struct method_table table = {0};
	struct bytes lines = {0};
	struct method found;
	bool same;

	same = !method_read(&found, &p->model.layout, &p->model.remote.mem, method->address, &table, &lines) &&
	       !strcmp(found.resolved->class_name, method->class_name) && !strcmp(found.resolved->name, method->name) &&
	       !strcmp(found.resolved->descriptor, method->descriptor);
	method_table_release(&table);
	bytes_release(&lines);
	return same;
}

bool native_places_is_rebound(const struct native_places *p, const struct native_method *method)
{
	uint64_t code;

	return method->address && method->code &&
	       !method_native_code(&p->model.layout, &p->model.remote.mem, method->address, &code) &&
	       code != method->code && native_places_has_method(p, method);
}

void native_places_look(struct native_places *p)
{
	libraries_expire(p->libraries);
	libraries_each(p->libraries, add_library, p);
	if (!p->jdk)
		add_jdk(p);
	p->jdk = true;
}
