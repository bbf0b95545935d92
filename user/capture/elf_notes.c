// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/elf_notes.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTION	     ".note.stapsdt"
#define MAX_SECTIONS 1024
#define MAX_SEGMENTS 256
#define ADDRESSES    24 /* bytes before a note's names: location, base, semaphore */

struct elf {
	int fd;
	const char *path;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr sections[MAX_SECTIONS];
};

static int read_at(const struct elf *e, void *to, size_t size, uint64_t at)
{
	ssize_t n = at > e->size || size > e->size - at ? 0 : pread(e->fd, to, size, at);

	if (n == (ssize_t)size)
		return 0;
	return n < 0 ? -errno : -EBADMSG;
}

static int refuse_elf(const struct elf *e, const char *why, struct diag *d)
{
	return diag_set(d, EBADMSG, "cannot look for USDT sites in '%s': %s", e->path, why);
}

static int read_elf_header(struct elf *e, struct diag *d)
{
	struct stat st;

	if (fstat(e->fd, &st) || !S_ISREG(st.st_mode))
		return refuse_elf(e, "not a regular file", d);
	e->size = st.st_size;
	if (read_at(e, &e->header, sizeof(e->header), 0) || memcmp(e->header.e_ident, ELFMAG, SELFMAG) ||
	    e->header.e_ident[EI_CLASS] != ELFCLASS64 || e->header.e_ident[EI_DATA] != ELFDATA2LSB)
		return refuse_elf(e, "not a 64-bit ELF file", d);
	if (e->header.e_shnum > MAX_SECTIONS || e->header.e_phnum > MAX_SEGMENTS)
		return refuse_elf(e, "too many sections or segments", d);
	return 0;
}

/* A file without sections has no notes. */
static int read_sections(struct elf *e, struct diag *d)
{
	const Elf64_Ehdr *h = &e->header;
	uint64_t end;

	if (!h->e_shnum && !h->e_shoff)
		return -ENOENT;
	if (!h->e_shnum || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum ||
	    read_at(e, e->sections, h->e_shnum * sizeof(Elf64_Shdr), h->e_shoff))
		return refuse_elf(e, "wrong section headers", d);
	for (int i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &e->sections[i];

		if (s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL)
			continue;
		if (__builtin_add_overflow(s->sh_offset, s->sh_size, &end) || end > e->size)
			return refuse_elf(e, "a section reaches beyond its end", d);
	}
	return 0;
}

static bool section_is_notes(const struct elf *e, const Elf64_Shdr *s)
{
	char name[sizeof(SECTION)];

	return !read_at(e, name, sizeof(name), e->sections[e->header.e_shstrndx].sh_offset + s->sh_name) &&
	       !memcmp(name, SECTION, sizeof(name));
}

/* Read .note.stapsdt into *out (malloc'ed). Returns -ENOENT when there is none. */
static int read_notes(const struct elf *e, char **out, size_t *size, struct diag *d)
{
	const Elf64_Shdr *found = NULL;
	int err;

	if (e->sections[e->header.e_shstrndx].sh_size > ELF_NOTES_MAX_SIZE)
		return refuse_elf(e, "too many section names", d);
	for (int i = 0; i < e->header.e_shnum; i++) {
		if (!section_is_notes(e, &e->sections[i]))
			continue;
		if (e->sections[i].sh_type != SHT_NOTE || e->sections[i].sh_size > ELF_NOTES_MAX_SIZE)
			return refuse_elf(e, "its section " SECTION " is too large, or not of notes", d);
		found = found ?: &e->sections[i];
	}
	if (!found)
		return -ENOENT;
	*size = found->sh_size;
	*out = malloc(*size + 1);
	if (!*out)
		return diag_errno(d, ENOMEM, "cannot look for USDT sites in '%s'", e->path);
	err = read_at(e, *out, *size, found->sh_offset);
	if (!err)
		return 0;
	free(*out);
	return diag_errno(d, -err, "cannot read '%s'", e->path);
}

/* Provider and name follow the addresses, each with a terminating 0 byte. */
static bool note_is(const char *text, size_t size, const char *provider, const char *name)
{
	size_t first = strlen(provider) + 1, second = strlen(name) + 1;

	return size >= ADDRESSES + first + second && !memcmp(text + ADDRESSES, provider, first) &&
	       !memcmp(text + ADDRESSES + first, name, second);
}

static int count_sites(const char *notes, size_t size, const char *provider, const char *name)
{
	Elf64_Nhdr h;
	uint64_t at = 0, text;
	int count = 0;

	while (size - at >= sizeof(h)) {
		memcpy(&h, notes + at, sizeof(h));
		text = at + sizeof(h) + (((uint64_t)h.n_namesz + 3) & ~3ull);
		if (text > size || h.n_descsz > size - text)
			break;
		count += note_is(notes + text, h.n_descsz, provider, name);
		at = text + (((uint64_t)h.n_descsz + 3) & ~3ull);
		if (at > size)
			break;
	}
	return count;
}

static int check_notes(struct elf *e, const char *provider, const char *name, struct diag *d)
{
	char *notes = NULL;
	size_t size = 0;
	int err = read_elf_header(e, d), count;

	err = err ?: read_sections(e, d);
	err = err ?: read_notes(e, &notes, &size, d);
	if (err)
		return err;
	count = count_sites(notes, size, provider, name);
	free(notes);
	if (count > ELF_NOTES_MAX_SITES)
		return refuse_elf(e, "too many sites of one name", d);
	return count ? 0 : -ENOENT;
}

int elf_notes_check(int fd, const char *path, const char *provider, const char *name, struct diag *d)
{
	struct elf *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return diag_errno(d, ENOMEM, "cannot look for USDT sites in '%s'", path);
	e->fd = fd;
	e->path = path;
	err = check_notes(e, provider, name, d);
	free(e);
	return err;
}
