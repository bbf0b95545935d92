// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/libraries.h"
#include "format/vec.h"
#include "user/process/maps.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct libraries {
	const struct target *target;
	struct library *library[LIBRARIES_MOST]; /* by address */
	size_t count;
	uint32_t serial;  /* the last one given */
	size_t cfi_bytes; /* that all have */
	bool current, frames;
};

struct libraries *libraries_new(const struct target *t, bool frames)
{
	struct libraries *l = calloc(1, sizeof(*l));

	if (l)
		*l = (struct libraries){.target = t, .frames = frames};
	return l;
}

static void library_free(struct libraries *l, struct library *b)
{
	if (b->cfi)
		l->cfi_bytes -= cfi_size(b->cfi);
	cfi_close(b->cfi);
	elf_file_close(b->file);
	elf_file_close(b->debug);
	free(b);
}

void libraries_free(struct libraries *l)
{
	for (size_t i = 0; l && i < l->count; i++)
		library_free(l, l->library[i]);
	free(l);
}

void libraries_expire(struct libraries *l)
{
	l->current = false;
}

/* Mappings and files alike: another file at the same path and address is another library. */
static bool library_is(const struct library *b, const struct mapping *m)
{
	return b->map.start == m->start && b->map.end == m->end && b->map.offset == m->offset &&
	       b->map.device == m->device && b->map.inode == m->inode && !strcmp(b->map.path, m->path);
}

static struct library *libraries_known(const struct libraries *l, const struct mapping *m)
{
	for (size_t i = 0; i < l->count; i++)
		if (library_is(l->library[i], m))
			return l->library[i];
	return NULL;
}

static int libraries_add(const struct mapping *m, void *context)
{
	struct libraries *l = context;
	struct library *b;

	if (m->permissions[2] != 'x' || m->path[0] != '/' || !m->inode)
		return 0;
	b = libraries_known(l, m);
	if (b) {
		b->kept = true;
		return 0;
	}
	b = l->count < LIBRARIES_MOST ? calloc(1, sizeof(*b)) : NULL;
	if (!b)
		return 0;
	b->map = *m;
	b->serial = ++l->serial;
	b->kept = true;
	l->library[l->count++] = b;
	return 0;
}

static int library_compare(const void *a, const void *b)
{
	const struct library *const *x = a, *const *y = b;

	return ((*x)->map.start > (*y)->map.start) - ((*x)->map.start < (*y)->map.start);
}

/* What is gone goes last, because the new mappings are compared with it. */
static void libraries_sweep(struct libraries *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		if (l->library[i]->kept)
			l->library[kept++] = l->library[i];
		else
			library_free(l, l->library[i]);
	l->count = kept;
	qsort(l->library, l->count, sizeof(l->library[0]), library_compare);
}

static void libraries_read(struct libraries *l)
{
	if (l->current)
		return;
	for (size_t i = 0; i < l->count; i++)
		l->library[i]->kept = false;
	if (proc_each_mapping(l->target->pid, libraries_add, l) >= 0) /* else the target is ending: keep them */
		libraries_sweep(l);
	l->current = true;
}

static int library_open_mapped(const struct libraries *l, struct library *b, struct diag *d)
{
	int fd;

	if (proc_mount_is_fuse(l->target->pid, b->map.device))
		return diag_set(d, ENOTSUP, "on a FUSE file system");
	fd = target_open_mapping(l->target, &b->map, LIBRARY_FILE, d);
	return fd < 0 ? fd : elf_file_open(&b->file, fd, d);
}

/* A debug file that has the same build id. */
static bool library_try_debug(const struct libraries *l, struct library *b, int root, const char *path)
{
	uint8_t id[ELF_FILE_BUILD_ID], own[ELF_FILE_BUILD_ID];
	int fd = root_path_open_file(l->target, root, path, LIBRARY_FILE);
	size_t size = elf_file_build_id(b->file, own);
	struct diag ignored;

	if (fd < 0 || elf_file_open(&b->debug, fd, &ignored))
		return false;
	if (size && elf_file_build_id(b->debug, id) == size && !memcmp(id, own, size))
		return true;
	elf_file_close(b->debug);
	b->debug = NULL;
	return false;
}

static void debug_path_by_id(const struct elf_file *e, char *path, size_t size)
{
	uint8_t id[ELF_FILE_BUILD_ID];
	size_t length = elf_file_build_id(e, id), at;

	at = snprintf(path, size, "/usr/lib/debug/.build-id/");
	for (size_t i = 0; i < length && at < size; i++)
		at += snprintf(path + at, size - at, i ? "%02x" : "%02x/", id[i]);
	if (at < size)
		snprintf(path + at, size - at, ".debug");
}

/* Where debuggers look for it: by build id, and by name beside the library, below it and in /usr/lib/debug. */
static void library_open_debug(const struct libraries *l, struct library *b)
{
	static const char *const forms[] = {"%.*s%s", "%.*s.debug/%s", "/usr/lib/debug%.*s%s"};
	int root = root_path_open(l->target, "root");
	int directory = path_base(b->map.path) - b->map.path;
	char link[256], path[1024];
	bool found;

	debug_path_by_id(b->file, path, sizeof(path));
	found = root >= 0 && library_try_debug(l, b, root, path);
	elf_file_debug_link(b->file, link);
	for (size_t i = 0; root >= 0 && link[0] && !found && i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(path, sizeof(path), forms[i], directory, b->map.path, link);
		found = library_try_debug(l, b, root, path);
	}
	io_close(root);
}

static void library_open(struct libraries *l, struct library *b)
{
	size_t left = LIBRARIES_MEMORY - (l->cfi_bytes < LIBRARIES_MEMORY ? l->cfi_bytes : LIBRARIES_MEMORY);
	struct diag ignored;
	uint64_t address;

	if (b->opened)
		return;
	b->opened = true;
	if (library_open_mapped(l, b, &ignored))
		return;
	if (!elf_file_address(b->file, b->map.offset, &address)) {
		elf_file_close(b->file);
		b->file = NULL;
		return;
	}
	b->bias = b->map.start - address;
	if (!elf_file_section(b->file, ".symtab"))
		library_open_debug(l, b);
	if (l->frames && !cfi_open(&b->cfi, b->file, left < LIBRARY_FRAMES ? left : LIBRARY_FRAMES))
		l->cfi_bytes += cfi_size(b->cfi);
}

const struct library *libraries_at(struct libraries *l, uint64_t address)
{
	size_t after;

	libraries_read(l);
	after = lower_bound(i, l->count, l->library[i]->map.start > address);
	if (!after || address >= l->library[after - 1]->map.end)
		return NULL;
	library_open(l, l->library[after - 1]);
	return l->library[after - 1];
}

uint64_t library_place(const struct library *l, uint64_t address)
{
	return l->file ? address - l->bias : address - l->map.start + l->map.offset;
}

bool library_symbol(const struct library *l, uint64_t address, char name[ELF_FILE_SYMBOL])
{
	uint64_t own = address - l->bias;

	return l->file &&
	       ((l->debug && elf_file_symbol(l->debug, own, name, NULL)) || elf_file_symbol(l->file, own, name, NULL));
}

int libraries_each(struct libraries *l, int (*visit)(const struct library *library, void *context), void *context)
{
	int r = 0;

	libraries_read(l);
	for (size_t i = 0; i < l->count && !r; i++)
		r = visit(l->library[i], context);
	return r;
}
