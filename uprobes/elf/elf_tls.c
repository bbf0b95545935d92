// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/elf/elf_tls.h"
#include "uprobes/elf/machine/machine.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MOST	 (16u << 20) /* bytes */
#define NAMES_MOST	 (16u << 20)
#define RELOCATIONS_MOST (64u << 20)
#define PIECE		 512u /* relocations that are read at once */

/* A defined variable, as relocations name it. */
struct tls_variable {
	uint32_t number; /* in .dynsym */
	uint64_t value;
};

/* All names are read at once: a read for each symbol of a forged file would take half a second. */
static bool tls_symbol_is(const char *names, size_t names_size, const Elf64_Sym *s, const char *name)
{
	size_t size = strlen(name) + 1;

	return ELF64_ST_TYPE(s->st_info) == STT_TLS && s->st_shndx != SHN_UNDEF && size <= names_size &&
	       s->st_name <= names_size - size && !memcmp(names + s->st_name, name, size);
}

static bool tls_find_variable(const struct elf_file *e, const char *name, struct tls_variable *out)
{
	const Elf64_Shdr *s = elf_file_section(e, ".dynsym");
	Elf64_Sym *symbols = s && s->sh_link < e->header.e_shnum && s->sh_entsize == sizeof(*symbols)
				     ? elf_file_contents(e, s, SYMBOLS_MOST)
				     : NULL;
	char *names = symbols ? elf_file_contents(e, &e->section[s->sh_link], NAMES_MOST) : NULL;
	bool found = false;

	for (size_t i = 0; names && !found && i < s->sh_size / sizeof(*symbols); i++) {
		found = tls_symbol_is(names, e->section[s->sh_link].sh_size, &symbols[i], name);
		*out = (struct tls_variable){i, symbols[i].st_value};
	}
	free(names);
	free(symbols);
	return found;
}

/* A relocation names the symbol or, where no other library can replace it, its place. */
static bool tls_relocates(const Elf64_Rela *r, const struct tls_variable *v)
{
	uint32_t type = ELF64_R_TYPE(r->r_info), symbol = ELF64_R_SYM(r->r_info);

	return (type == ELF_TLS_DESCRIPTOR || type == ELF_TLS_DISTANCE) &&
	       (symbol ? symbol == v->number && !r->r_addend : (uint64_t)r->r_addend == v->value);
}

static bool tls_find_word(const struct elf_file *e, const char *section, const struct tls_variable *v, Elf64_Rela *out)
{
	const Elf64_Shdr *s = elf_file_section(e, section);
	Elf64_Rela piece[PIECE];

	if (!s || s->sh_type != SHT_RELA || s->sh_entsize != sizeof(piece[0]) || s->sh_size > RELOCATIONS_MOST)
		return false;
	for (uint64_t at = 0, n; (n = (s->sh_size - at) / sizeof(piece[0])); at += n * sizeof(piece[0])) {
		n = n < PIECE ? n : PIECE;
		if (elf_file_read(e, piece, n * sizeof(piece[0]), s->sh_offset + at))
			return false;
		for (uint64_t i = 0; i < n; i++)
			if (tls_relocates(&piece[i], v)) {
				*out = piece[i];
				return true;
			}
	}
	return false;
}

bool elf_tls_find(const struct elf_file *e, const char *name, uint64_t *word, bool *descriptor)
{
	struct tls_variable v;
	Elf64_Rela r;

	if (e->header.e_machine != ELF_MACHINE || !tls_find_variable(e, name, &v) ||
	    (!tls_find_word(e, ".rela.dyn", &v, &r) && !tls_find_word(e, ".rela.plt", &v, &r)))
		return false;
	*descriptor = ELF64_R_TYPE(r.r_info) == ELF_TLS_DESCRIPTOR;
	*word = r.r_offset + (*descriptor ? sizeof(uint64_t) : 0);
	return true;
}
