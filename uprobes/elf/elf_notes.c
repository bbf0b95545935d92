// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/elf/elf_notes.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTION	     ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define MAX_SECTIONS 1024
#define MAX_SEGMENTS 64
#define NAMES_AT     24 /* in a note: its address, base and semaphore come before provider, name and arguments */

struct elf_notes {
	int fd; /* while it is read */
	char path[128];
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr segments[MAX_SEGMENTS];
	Elf64_Shdr sections[MAX_SECTIONS];
	uint64_t base;	     /* where BASE_SECTION is; prelink moves it without changing the notes. 0: unknown */
	char *notes;	     /* NULL: none */
	uint64_t notes_size; /* a 0 byte follows */
};

static int read_at(const struct elf_notes *e, void *to, size_t size, uint64_t at)
{
	ssize_t n = at > e->size || size > e->size - at ? 0 : pread(e->fd, to, size, at);

	if (n == (ssize_t)size)
		return 0;
	return n < 0 ? -errno : -EBADMSG;
}

static int refuse_elf(const struct elf_notes *e, const char *why, struct diag *d)
{
	return diag_set(d, EBADMSG, "cannot look for USDT sites in '%s': %s", e->path, why);
}

static int read_elf_header(struct elf_notes *e, struct diag *d)
{
	const Elf64_Ehdr *h = &e->header;
	struct stat st;

	if (fstat(e->fd, &st) || !S_ISREG(st.st_mode))
		return refuse_elf(e, "not a regular file", d);
	e->size = st.st_size;
	if (read_at(e, &e->header, sizeof(e->header), 0) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return refuse_elf(e, "not a 64-bit ELF file", d);
	if (h->e_shnum > MAX_SECTIONS || h->e_phnum > MAX_SEGMENTS)
		return refuse_elf(e, "too many sections or segments", d);
	return 0;
}

static int read_segments(struct elf_notes *e, struct diag *d)
{
	const Elf64_Ehdr *h = &e->header;

	if (h->e_phnum && (h->e_phentsize != sizeof(Elf64_Phdr) ||
			   read_at(e, e->segments, h->e_phnum * sizeof(Elf64_Phdr), h->e_phoff)))
		return refuse_elf(e, "wrong program headers", d);
	return 0;
}

/* A file without sections has no notes. */
static int read_sections(struct elf_notes *e, struct diag *d)
{
	const Elf64_Ehdr *h = &e->header;
	uint64_t end;

	if (!h->e_shnum && !h->e_shoff)
		return 0;
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

/* The first section of that name; `size` is that of the name with its 0 byte. NULL: there is none. */
static const Elf64_Shdr *find_section(const struct elf_notes *e, const char *name, size_t size)
{
	char text[sizeof(SECTION) + sizeof(BASE_SECTION)];

	for (int i = 0; i < e->header.e_shnum; i++) {
		uint64_t at = e->sections[e->header.e_shstrndx].sh_offset + e->sections[i].sh_name;

		if (!read_at(e, text, size, at) && !memcmp(text, name, size))
			return &e->sections[i];
	}
	return NULL;
}

static int read_notes(struct elf_notes *e, struct diag *d)
{
	const Elf64_Shdr *found = find_section(e, SECTION, sizeof(SECTION));
	const Elf64_Shdr *base = find_section(e, BASE_SECTION, sizeof(BASE_SECTION));
	int err;

	if (!found)
		return 0;
	if (found->sh_type != SHT_NOTE || found->sh_size > ELF_NOTES_MAX_SIZE)
		return refuse_elf(e, "its section " SECTION " is too large, or not of notes", d);
	e->base = base ? base->sh_addr : 0;
	e->notes = calloc(1, found->sh_size + 1);
	if (!e->notes)
		return diag_errno(d, ENOMEM, "cannot look for USDT sites in '%s'", e->path);
	e->notes_size = found->sh_size;
	err = read_at(e, e->notes, e->notes_size, found->sh_offset);
	return err ? diag_errno(d, -err, "cannot read '%s'", e->path) : 0;
}

int elf_notes_read(struct elf_notes **out, int fd, const char *path, struct diag *d)
{
	struct elf_notes *e = calloc(1, sizeof(*e));
	int err;

	*out = NULL;
	if (!e)
		return diag_errno(d, ENOMEM, "cannot look for USDT sites in '%s'", path);
	e->fd = fd;
	snprintf(e->path, sizeof(e->path), "%s", path);
	err = read_elf_header(e, d) ?: read_segments(e, d) ?: read_sections(e, d) ?: read_notes(e, d);
	if (err)
		elf_notes_free(e);
	else
		*out = e;
	return err;
}

void elf_notes_free(struct elf_notes *n)
{
	if (!n)
		return;
	free(n->notes);
	free(n);
}

/* Provider, name and arguments follow the addresses, each with a terminating 0 byte. Returns the arguments, or NULL. */
static const char *note_arguments(const char *text, size_t size, const char *provider, const char *name)
{
	size_t first = strlen(provider) + 1, second = strlen(name) + 1, before = NAMES_AT + first + second;

	if (size <= before || memcmp(text + NAMES_AT, provider, first) || memcmp(text + NAMES_AT + first, name, second))
		return NULL;
	return memchr(text + before, 0, size - before) ? text + before : NULL;
}

/* Where an address lies in the file, in a segment with these flags. 0: nowhere. */
static uint64_t file_offset(const struct elf_notes *e, uint64_t address, uint32_t flags)
{
	for (int i = 0; i < e->header.e_phnum; i++) {
		const Elf64_Phdr *s = &e->segments[i];

		if (s->p_type == PT_LOAD && (s->p_flags & flags) == flags && address - s->p_vaddr < s->p_filesz)
			return address - s->p_vaddr + s->p_offset;
	}
	return 0;
}

/* False: it lies outside the code, or its semaphore outside the data. */
static bool locate_note(const struct elf_notes *e, const char *text, struct elf_note *out)
{
	uint64_t addresses[3], moved;

	memcpy(addresses, text, sizeof(addresses));
	moved = e->base && addresses[1] ? e->base - addresses[1] : 0;
	out->offset = file_offset(e, addresses[0] + moved, PF_X);
	out->semaphore = addresses[2] ? file_offset(e, addresses[2] + moved, PF_W) : 0;
	return out->offset && out->offset < e->size && out->semaphore < e->size && (!addresses[2] || out->semaphore);
}

int elf_notes_find(const struct elf_notes *n, const char *provider, const char *name,
		   struct elf_note out[ELF_NOTES_MAX_SITES], struct diag *d)
{
	const char *arguments;
	uint64_t at = 0, text;
	Elf64_Nhdr h;
	int count = 0;

	while (at < n->notes_size && n->notes_size - at >= sizeof(h)) {
		memcpy(&h, n->notes + at, sizeof(h));
		text = at + sizeof(h) + (((uint64_t)h.n_namesz + 3) & ~3ull);
		if (text > n->notes_size || h.n_descsz > n->notes_size - text)
			break;
		at = text + (((uint64_t)h.n_descsz + 3) & ~3ull);
		arguments = note_arguments(n->notes + text, h.n_descsz, provider, name);
		if (!arguments)
			continue;
		if (count == ELF_NOTES_MAX_SITES)
			return refuse_elf(n, "too many sites of one name", d);
		out[count].arguments = arguments;
		if (!locate_note(n, n->notes + text, &out[count++]))
			return refuse_elf(n, "a site lies outside its code", d);
	}
	return count;
}
