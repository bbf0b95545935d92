// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/elf/elf_notes.h"
#include "uprobes/elf/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION	     ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define NAMES_AT     24 /* in a note: its address, base and semaphore come before provider, name and arguments */

struct elf_notes {
	struct elf_file *file;
	char path[128];
	uint64_t base; /* where BASE_SECTION is; prelink moves it without changing the notes. 0: unknown */
	char *notes;   /* NULL: none */
	uint64_t notes_size;
};

static int refuse_elf(const char *path, const char *why, struct diag *d)
{
	return diag_set(d, EBADMSG, "cannot look for USDT sites in '%s': %s", path, why);
}

static int read_notes(struct elf_notes *e, struct diag *d)
{
	const Elf64_Shdr *found = elf_file_section(e->file, SECTION), *base = elf_file_section(e->file, BASE_SECTION);

	if (!found)
		return 0;
	if (found->sh_type != SHT_NOTE || found->sh_size > ELF_NOTES_MAX_SIZE)
		return refuse_elf(e->path, "its section " SECTION " is too large, or not of notes", d);
	e->base = base ? base->sh_addr : 0;
	e->notes = elf_file_contents(e->file, found, ELF_NOTES_MAX_SIZE);
	if (!e->notes && errno != ENODATA)
		return diag_errno(d, errno, "cannot read '%s'", e->path);
	e->notes_size = e->notes ? found->sh_size : 0;
	return 0;
}

int elf_notes_read(struct elf_notes **out, int fd, const char *path, struct diag *d)
{
	struct elf_notes *e = calloc(1, sizeof(*e));
	struct diag why;
	int err;

	*out = NULL;
	if (!e)
		return diag_errno(d, ENOMEM, "cannot look for USDT sites in '%s'", path);
	snprintf(e->path, sizeof(e->path), "%s", path);
	err = elf_file_open(&e->file, fcntl(fd, F_DUPFD_CLOEXEC, 0), &why);
	if (err)
		refuse_elf(path, why.text, d);
	err = err ?: read_notes(e, d);
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
	elf_file_close(n->file);
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

/* False: it lies outside the code, or its semaphore outside the data. */
static bool locate_note(const struct elf_notes *e, const char *text, struct elf_note *out)
{
	uint64_t addresses[3], moved;

	memcpy(addresses, text, sizeof(addresses));
	moved = e->base && addresses[1] ? e->base - addresses[1] : 0;
	out->semaphore = 0;
	return elf_file_offset(e->file, addresses[0] + moved, PF_X, &out->offset) && out->offset &&
	       out->offset < e->file->size &&
	       (!addresses[2] || (elf_file_offset(e->file, addresses[2] + moved, PF_W, &out->semaphore) &&
				  out->semaphore && out->semaphore < e->file->size));
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
			return refuse_elf(n->path, "too many sites of one name", d);
		out[count].arguments = arguments;
		if (!locate_note(n, n->notes + text, &out[count++]))
			return refuse_elf(n->path, "a site lies outside its code", d);
	}
	return count;
}
