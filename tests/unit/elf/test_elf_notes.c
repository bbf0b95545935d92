// SPDX-License-Identifier: BSD-2-Clause
/* USDT notes of a made-up ELF file. */
#include "tests/lib/test.h"
#include "uprobes/elf/elf_notes.h"
#include "tests/lib/test.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NOTES_AT 4096

#define CODE	0x10000 /* where the code and the data are in memory, and */
#define DATA	0x20000
#define CODE_AT 0x800 /* in the file */
#define DATA_AT 0xc00

/* Null section, notes, names, base; then the names, then the notes. */
static struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4];
	Elf64_Phdr segments[3];
	char names[48];
} image;

static uint64_t addresses[3]; /* of the next note: site, base, semaphore */
static const char *arguments; /* likewise */

static int fd;

static void put_note(const char *provider, const char *name)
{
	char text[128] = "";
	size_t a = strlen(provider) + 1, b = strlen(name) + 1, c = strlen(arguments) + 1, size = 24 + a + b + c;
	const Elf64_Nhdr h = {.n_namesz = 8, .n_descsz = size, .n_type = 3};
	off_t at = NOTES_AT + image.sections[1].sh_size;

	memcpy(text, addresses, sizeof(addresses));
	memcpy(text + 24, provider, a);
	memcpy(text + 24 + a, name, b);
	memcpy(text + 24 + a + b, arguments, c);
	size = (size + 3) & ~3ull;
	assert_int_equal(pwrite(fd, &h, sizeof(h), at), sizeof(h));
	assert_int_equal(pwrite(fd, "stapsdt", 8, at + sizeof(h)), 8);
	assert_int_equal(pwrite(fd, text, size, at + sizeof(h) + 8), size);
	image.sections[1].sh_size += sizeof(h) + 8 + size;
}

static int make_file(void **state)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	image.header.e_ident[EI_DATA] = ELFDATA2LSB;
	image.header.e_shoff = offsetof(struct image, sections);
	image.header.e_shentsize = sizeof(Elf64_Shdr);
	image.header.e_shnum = 4;
	image.header.e_shstrndx = 2;
	image.header.e_phoff = offsetof(struct image, segments);
	image.header.e_phentsize = sizeof(Elf64_Phdr);
	image.header.e_phnum = 3;
	image.segments[1] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE_AT, .p_vaddr = CODE, .p_filesz = 0x100};
	image.segments[2] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = DATA_AT, .p_vaddr = DATA, .p_filesz = 0x100};
	memcpy(image.names, "\0.note.stapsdt\0.shstrtab\0.stapsdt.base", 39);
	image.sections[1] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = NOTES_AT};
	image.sections[2] = (Elf64_Shdr){.sh_name = 15,
					 .sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct image, names),
					 .sh_size = sizeof(image.names)};
	image.sections[3] = (Elf64_Shdr){.sh_name = 25, .sh_type = SHT_NOBITS, .sh_addr = CODE + 0x80};
	addresses[0] = CODE + 0x10;
	addresses[1] = CODE + 0x80;
	addresses[2] = 0;
	arguments = "";
	fd = memfd_create("elf", MFD_CLOEXEC);
	put_note("hotspot", "gc__begin");
	put_note("hotspot", "gc__end");
	return 0;
}

static int close_file(void **state)
{
	return close(fd);
}

static struct elf_note found[ELF_NOTES_MAX_SITES];
static char found_arguments[128]; /* of the first one */

/* Returns the number of places, or an error. */
static int find(const char *provider, const char *name, struct diag *d)
{
	struct elf_notes *notes;
	int err;

	assert_int_equal(pwrite(fd, &image, sizeof(image), 0), sizeof(image));
	err = elf_notes_read(&notes, fd, "libjvm.so", d);
	if (err)
		return err;
	err = elf_notes_find(notes, provider, name, found, d);
	if (err > 0)
		snprintf(found_arguments, sizeof(found_arguments), "%s", found[0].arguments);
	elf_notes_free(notes);
	return err;
}

static int check(const char *name, struct diag *d)
{
	return find("hotspot", name, d);
}

static void refused(const char *why)
{
	struct diag d = {0};

	assert_int_equal(check("gc__begin", &d), -EBADMSG);
	assert_contains(d.text, "'libjvm.so'");
	assert_contains(d.text, why);
}

CASE(sites_are_found_by_provider_and_name, make_file, close_file)
{
	struct diag d;

	assert_int_equal(check("gc__begin", &d), 1);
	assert_int_equal(check("gc__end", &d), 1);
	assert_int_equal(check("gc__en", &d), 0);
	assert_int_equal(check("gc__end_", &d), 0);
	assert_int_equal(find("hotspo", "gc__end", &d), 0);
	image.header.e_shnum = image.header.e_shstrndx = 0;
	image.header.e_shoff = 0;
	assert_int_equal(check("gc__end", &d), 0);
}

CASE(place_semaphore_and_arguments_are_found, make_file, close_file)
{
	struct diag d;

	addresses[2] = DATA + 0x20;
	arguments = "8@%r12 -4@%eax";
	put_note("frtrace", "drain");
	arguments = "";
	addresses[0] = CODE + 0x30;
	addresses[2] = 0;
	put_note("frtrace", "drain");
	assert_int_equal(find("frtrace", "drain", &d), 2);
	assert_int_equal(found[0].offset, CODE_AT + 0x10);
	assert_int_equal(found[0].semaphore, DATA_AT + 0x20);
	assert_string_equal(found_arguments, "8@%r12 -4@%eax");
	assert_int_equal(found[1].offset, CODE_AT + 0x30);
	assert_int_equal(found[1].semaphore, 0);
}

/* prelink(8) changes all addresses but those in notes. */
CASE(moved_file_moves_its_notes, make_file, close_file)
{
	struct diag d;

	addresses[2] = DATA;
	put_note("frtrace", "drain");
	for (int i = 1; i < 3; i++)
		image.segments[i].p_vaddr += 0x5000;
	image.sections[3].sh_addr += 0x5000;
	assert_int_equal(find("frtrace", "drain", &d), 1);
	assert_int_equal(found[0].offset, CODE_AT + 0x10);
	assert_int_equal(found[0].semaphore, DATA_AT);
}

CASE(site_outside_the_code_is_refused, make_file, close_file)
{
	addresses[0] = DATA;
	put_note("hotspot", "gc__begin");
	refused("outside its code");
}

CASE(semaphore_outside_the_data_is_refused, make_file, close_file)
{
	addresses[2] = CODE;
	put_note("hotspot", "gc__begin");
	refused("outside its code");
}

/* The last text of a note must end in it. */
CASE(arguments_without_an_end_are_no_site, make_file, close_file)
{
	struct diag d;
	Elf64_Nhdr h = {.n_namesz = 8, .n_descsz = 24 + 8 + 8 + 1, .n_type = 3};

	arguments = "8@";
	put_note("hotspot", "gc__now");
	assert_int_equal(check("gc__now", &d), 1);
	assert_int_equal(pwrite(fd, &h, sizeof(h), NOTES_AT + image.sections[1].sh_size - 8 - 44 - sizeof(h)),
			 sizeof(h));
	assert_int_equal(check("gc__now", &d), 0);
}

/* 2 GB of a sparse file: the size is inside the file. */
CASE(giant_notes_cost_no_memory, make_file, close_file)
{
	struct rusage before, after;

	assert_int_equal(ftruncate(fd, 3ll << 30), 0);
	getrusage(RUSAGE_SELF, &before);
	image.sections[1].sh_size = 2ull << 30;
	refused("too large");
	image.sections[1].sh_size = ELF_NOTES_MAX_SIZE + 1;
	refused("too large");
	getrusage(RUSAGE_SELF, &after);
	assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 8 << 10);
}

CASE(headers_that_lie_are_refused, make_file, close_file)
{
	struct image good = image;

	image.sections[1].sh_size = 1ull << 40;
	refused("beyond its end");
	image = good;
	image.sections[1].sh_offset = ~0ull - 8;
	refused("beyond its end");
	image = good;
	image.sections[1].sh_type = SHT_PROGBITS;
	refused("not of notes");
	image = good;
	image.header.e_shnum = 0; /* the number is in the first section, without bound */
	refused("section headers");
	image = good;
	image.header.e_shnum = 65000;
	refused("too many sections");
	image = good;
	image.header.e_phnum = 65000;
	refused("too many sections or segments");
	image = good;
	image.header.e_phoff = ~0ull - 100;
	refused("program headers");
	image = good;
	image.header.e_shoff = ~0ull - 100;
	refused("section headers");
	image = good;
	image.header.e_shstrndx = 4;
	refused("section headers");
	image = good;
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	refused("64-bit ELF");
}

CASE(note_that_reaches_beyond_the_section_ends_the_walk, make_file, close_file)
{
	struct diag d;

	image.sections[1].sh_size -= 4;
	assert_int_equal(check("gc__begin", &d), 1);
	assert_int_equal(check("gc__end", &d), 0);
	image.sections[1].sh_size = 11;
	assert_int_equal(check("gc__begin", &d), 0);
	image.sections[1].sh_size = 0;
	assert_int_equal(check("gc__begin", &d), 0);
}

CASE(too_many_sites_of_one_name_are_refused, make_file, close_file)
{
	struct diag d;

	for (int i = 1; i < ELF_NOTES_MAX_SITES; i++)
		put_note("hotspot", "gc__begin");
	assert_int_equal(check("gc__begin", &d), ELF_NOTES_MAX_SITES);
	put_note("hotspot", "gc__begin");
	refused("too many sites");
	assert_int_equal(check("gc__end", &d), 1);
}
