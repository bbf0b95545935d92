// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/elf/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MOST    64u	 /* bytes of a section's name that is looked for */
#define SYMBOLS_MOST (64u << 20) /* bytes of a symbol table */
#define EXPORTS_MOST (16u << 20)
#define PIECE	     1024u /* symbols that are read at once */
#define NOTES_MOST   4096u
#define PAGE	     4096ull

int elf_file_read(const struct elf_file *e, void *to, size_t size, uint64_t at)
{
	ssize_t n = at > e->size || size > e->size - at ? 0 : pread(e->fd, to, size, at);

	if (n == (ssize_t)size)
		return 0;
	return n < 0 ? -errno : -EBADMSG;
}

static int elf_read_header(struct elf_file *e, struct diag *why)
{
	struct stat st;

	if (fstat(e->fd, &st) || !S_ISREG(st.st_mode))
		return diag_set(why, EBADMSG, "not a regular file");
	e->size = st.st_size;
	if (elf_file_read(e, &e->header, sizeof(e->header), 0) || memcmp(e->header.e_ident, ELFMAG, SELFMAG) ||
	    e->header.e_ident[EI_CLASS] != ELFCLASS64 || e->header.e_ident[EI_DATA] != ELFDATA2LSB)
		return diag_set(why, EBADMSG, "not a 64-bit ELF file");
	if (e->header.e_shnum > ELF_FILE_SECTIONS || e->header.e_phnum > ELF_FILE_SEGMENTS)
		return diag_set(why, EBADMSG, "too many sections or segments");
	return 0;
}

/* A table of headers; none is right, too. */
static int elf_read_table(const struct elf_file *e, void **out, size_t count, size_t size, uint64_t at)
{
	if (!count)
		return 0;
	*out = calloc(count, size);
	return *out ? elf_file_read(e, *out, count * size, at) : -ENOMEM;
}

static bool section_fits(const struct elf_file *e, const Elf64_Shdr *s)
{
	uint64_t end;

	return s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL ||
	       (!__builtin_add_overflow(s->sh_offset, s->sh_size, &end) && end <= e->size);
}

static int elf_read_sections(struct elf_file *e, struct diag *why)
{
	const Elf64_Ehdr *h = &e->header;

	if (!h->e_shnum && !h->e_shoff)
		return 0;
	if (!h->e_shnum || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum ||
	    elf_read_table(e, (void **)&e->section, h->e_shnum, sizeof(Elf64_Shdr), h->e_shoff))
		return diag_set(why, EBADMSG, "wrong section headers");
	for (int i = 0; i < h->e_shnum; i++)
		if (!section_fits(e, &e->section[i]))
			return diag_set(why, EBADMSG, "a section reaches beyond its end");
	return 0;
}

static int elf_read_segments(struct elf_file *e, struct diag *why)
{
	const Elf64_Ehdr *h = &e->header;

	if (h->e_phnum && (h->e_phentsize != sizeof(Elf64_Phdr) ||
			   elf_read_table(e, (void **)&e->segment, h->e_phnum, sizeof(Elf64_Phdr), h->e_phoff)))
		return diag_set(why, EBADMSG, "wrong program headers");
	return 0;
}

int elf_file_open(struct elf_file **out, int fd, struct diag *why)
{
	struct elf_file *e = calloc(1, sizeof(*e));
	int err;

	*out = NULL;
	if (!e) {
		close(fd);
		return diag_set(why, ENOMEM, "%s", strerror(ENOMEM));
	}
	e->fd = fd;
	err = elf_read_header(e, why) ?: elf_read_sections(e, why) ?: elf_read_segments(e, why);
	if (err)
		elf_file_close(e);
	else
		*out = e;
	return err;
}

void elf_file_close(struct elf_file *e)
{
	if (!e)
		return;
	close(e->fd);
	free(e->section);
	free(e->segment);
	free(e);
}

const Elf64_Shdr *elf_file_section(const struct elf_file *e, const char *name)
{
	size_t size = strlen(name) + 1;
	char own[NAME_MOST];

	for (int i = 0; e->section && size <= sizeof(own) && i < e->header.e_shnum; i++) {
		const Elf64_Shdr *names = &e->section[e->header.e_shstrndx], *s = &e->section[i];

		if (s->sh_name < names->sh_size && !elf_file_read(e, own, size, names->sh_offset + s->sh_name) &&
		    !memcmp(own, name, size))
			return s;
	}
	return NULL;
}

void *elf_file_contents(const struct elf_file *e, const Elf64_Shdr *section, size_t limit)
{
	int err = ENODATA;
	void *data;

	if (section->sh_size > limit)
		err = EFBIG;
	if (err == EFBIG || section->sh_type == SHT_NOBITS || !section->sh_size || section->sh_flags & SHF_COMPRESSED) {
		errno = err;
		return NULL;
	}
	data = malloc(section->sh_size);
	err = data ? -elf_file_read(e, data, section->sh_size, section->sh_offset) : ENOMEM;
	if (!err)
		return data;
	free(data);
	errno = err;
	return NULL;
}

bool elf_file_address(const struct elf_file *e, uint64_t offset, uint64_t *address)
{
	for (int i = 0; e->segment && i < e->header.e_phnum; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		/* a mapping begins with the page in which the segment does */
		if (p->p_type == PT_LOAD && p->p_flags & PF_X && offset >= (p->p_offset & ~(PAGE - 1)) &&
		    offset - (p->p_offset & ~(PAGE - 1)) < p->p_filesz + (p->p_offset & (PAGE - 1))) {
			*address = offset - p->p_offset + p->p_vaddr;
			return true;
		}
	}
	return false;
}

bool elf_file_offset(const struct elf_file *e, uint64_t address, uint32_t flags, uint64_t *offset)
{
	for (int i = 0; e->segment && i < e->header.e_phnum; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		if (p->p_type == PT_LOAD && p->p_flags & flags && address - p->p_vaddr < p->p_filesz) {
			*offset = address - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}

/* A question to a symbol table, and the best answer so far. */
struct symbol_search {
	uint64_t address;
	const char *name; /* looked for; NULL: by address */
	const Elf64_Shdr *names;
	Elf64_Sym best;
	bool found;
};

static bool symbol_is_function(const Elf64_Sym *s)
{
	unsigned int type = ELF64_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Of "read", "__read" and the local "__GI___libc_read" the first is the one that people know. */
static int symbol_rank(const struct elf_file *e, const struct symbol_search *q, const Elf64_Sym *s)
{
	char first = 0;

	if (s->st_name < q->names->sh_size)
		elf_file_read(e, &first, 1, q->names->sh_offset + s->st_name);
	return 2 * (ELF64_ST_BIND(s->st_info) != STB_LOCAL) + (first != '_');
}

static bool symbol_is_better(const struct elf_file *e, const struct symbol_search *q, const Elf64_Sym *s)
{
	if (!symbol_is_function(s) || q->address - s->st_value >= s->st_size)
		return false;
	if (!q->found || s->st_value != q->best.st_value)
		return !q->found || s->st_value > q->best.st_value;
	return symbol_rank(e, q, s) > symbol_rank(e, q, &q->best);
}

static bool symbol_has_name(const struct elf_file *e, const struct symbol_search *q, const Elf64_Sym *s)
{
	size_t size = strlen(q->name) + 1;
	char own[ELF_FILE_SYMBOL];

	return size <= sizeof(own) && symbol_is_function(s) && s->st_name < q->names->sh_size &&
	       !elf_file_read(e, own, size, q->names->sh_offset + s->st_name) && !memcmp(own, q->name, size);
}

static void search_piece(const struct elf_file *e, struct symbol_search *q, const Elf64_Sym *s, size_t count)
{
	for (size_t i = 0; i < count && !(q->name && q->found); i++)
		if (q->name ? symbol_has_name(e, q, &s[i]) : symbol_is_better(e, q, &s[i])) {
			q->best = s[i];
			q->found = true;
		}
}

static bool search_table(const struct elf_file *e, struct symbol_search *q, const char *table)
{
	const Elf64_Shdr *s = elf_file_section(e, table);
	Elf64_Sym piece[PIECE];

	if (!s || s->sh_type == SHT_NOBITS || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_size > SYMBOLS_MOST ||
	    s->sh_link >= e->header.e_shnum)
		return false;
	q->names = &e->section[s->sh_link];
	q->found = false;
	for (uint64_t at = 0, count; (count = (s->sh_size - at) / sizeof(Elf64_Sym)); at += count * sizeof(Elf64_Sym)) {
		if (count > PIECE)
			count = PIECE;
		if (elf_file_read(e, piece, count * sizeof(Elf64_Sym), s->sh_offset + at))
			return false;
		search_piece(e, q, piece, count);
	}
	return q->found && q->names->sh_type != SHT_NOBITS;
}

static bool search_tables(const struct elf_file *e, struct symbol_search *q)
{
	return search_table(e, q, ".symtab") || search_table(e, q, ".dynsym");
}

bool elf_file_symbol(const struct elf_file *e, uint64_t address, char name[ELF_FILE_SYMBOL], uint64_t *start)
{
	struct symbol_search q = {.address = address};
	size_t size = ELF_FILE_SYMBOL - 1;

	if (!search_tables(e, &q) || q.best.st_name >= q.names->sh_size)
		return false;
	if (size > q.names->sh_size - q.best.st_name)
		size = q.names->sh_size - q.best.st_name;
	if (elf_file_read(e, name, size, q.names->sh_offset + q.best.st_name))
		return false;
	name[size] = 0;
	name[strcspn(name, "@")] = 0; /* of its version */
	if (start)
		*start = q.best.st_value;
	return name[0];
}

bool elf_file_find(const struct elf_file *e, const char *name, uint64_t *address)
{
	struct symbol_search q = {.name = name};

	if (!search_tables(e, &q))
		return false;
	*address = q.best.st_value;
	return true;
}

void elf_file_exports(const struct elf_file *e, const char *prefix,
		      void (*visit)(const char *name, uint64_t address, void *context), void *context)
{
	const Elf64_Shdr *s = elf_file_section(e, ".dynsym");
	const Elf64_Shdr *t = s && s->sh_link < e->header.e_shnum ? &e->section[s->sh_link] : NULL;
	Elf64_Sym *symbols = t && s->sh_entsize == sizeof(*symbols) ? elf_file_contents(e, s, EXPORTS_MOST) : NULL;
	char *names = symbols ? elf_file_contents(e, t, EXPORTS_MOST) : NULL;
	size_t end = names ? t->sh_size : 0; /* behind the last name that ends; looked for once, not for each symbol */

	while (end && names[end - 1])
		end--;
	for (size_t i = 0; names && i < s->sh_size / sizeof(*symbols); i++) {
		uint32_t at = symbols[i].st_name;

		if (symbol_is_function(&symbols[i]) && at < end && !strncmp(names + at, prefix, strlen(prefix)))
			visit(names + at, symbols[i].st_value, context);
	}
	free(names);
	free(symbols);
}

size_t elf_file_build_id(const struct elf_file *e, uint8_t id[ELF_FILE_BUILD_ID])
{
	const Elf64_Shdr *s = elf_file_section(e, ".note.gnu.build-id");
	uint8_t *note = s ? elf_file_contents(e, s, NOTES_MOST) : NULL;
	const size_t at = sizeof(Elf64_Nhdr) + sizeof("GNU");
	Elf64_Nhdr h = {0};
	size_t size = 0;

	if (note && s->sh_size >= at)
		memcpy(&h, note, sizeof(h));
	if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof("GNU") &&
	    !memcmp(note + sizeof(h), "GNU", sizeof("GNU")) && h.n_descsz <= ELF_FILE_BUILD_ID &&
	    h.n_descsz <= s->sh_size - at)
		size = h.n_descsz;
	if (size)
		memcpy(id, note + at, size);
	free(note);
	return size;
}

void elf_file_debug_link(const struct elf_file *e, char name[256])
{
	const Elf64_Shdr *s = elf_file_section(e, ".gnu_debuglink");
	char *text = s ? elf_file_contents(e, s, NOTES_MOST) : NULL;
	size_t length = text ? strnlen(text, s->sh_size) : 0;

	name[0] = 0;
	if (text && length < s->sh_size && length < 256 && !memchr(text, '/', length))
		memcpy(name, text, length + 1);
	free(text);
}
