// SPDX-License-Identifier: BSD-2-Clause
/* USDT notes of a made-up ELF file. */
#include "user/capture/elf_notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NOTES_AT 4096

/* Null section, notes, names; then the names, then the notes. */
static struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[32];
} image;

static int fd;

static void put_note(const char *provider, const char *name)
{
	char text[128] = "";
	size_t a = strlen(provider) + 1, b = strlen(name) + 1, size = 24 + a + b + 1;
	const Elf64_Nhdr h = {.n_namesz = 8, .n_descsz = size, .n_type = 3};
	off_t at = NOTES_AT + image.sections[1].sh_size;

	memcpy(text + 24, provider, a);
	memcpy(text + 24 + a, name, b);
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
	image.header.e_shnum = 3;
	image.header.e_shstrndx = 2;
	memcpy(image.names, "\0.note.stapsdt\0.shstrtab", 25);
	image.sections[1] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = NOTES_AT};
	image.sections[2] = (Elf64_Shdr){.sh_name = 15,
					 .sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct image, names),
					 .sh_size = sizeof(image.names)};
	fd = memfd_create("elf", MFD_CLOEXEC);
	put_note("hotspot", "gc__begin");
	put_note("hotspot", "gc__end");
	return 0;
}

static int close_file(void **state)
{
	return close(fd);
}

static int check(const char *name, struct diag *d)
{
	assert_int_equal(pwrite(fd, &image, sizeof(image), 0), sizeof(image));
	return elf_notes_check(fd, "libjvm.so", "hotspot", name, d);
}

static void refused(const char *why)
{
	struct diag d = {0};

	assert_int_equal(check("gc__begin", &d), -EBADMSG);
	assert_non_null(strstr(d.text, "'libjvm.so'"));
	assert_non_null(strstr(d.text, why));
}

static void sites_are_found_by_provider_and_name(void **state)
{
	struct diag d;

	assert_int_equal(check("gc__begin", &d), 0);
	assert_int_equal(check("gc__end", &d), 0);
	assert_int_equal(check("gc__en", &d), -ENOENT);
	assert_int_equal(check("gc__end_", &d), -ENOENT);
	assert_int_equal(elf_notes_check(fd, "x", "hotspo", "gc__end", &d), -ENOENT);
	image.header.e_shnum = image.header.e_shstrndx = 0;
	image.header.e_shoff = 0;
	assert_int_equal(check("gc__end", &d), -ENOENT);
}

/* 2 GB of a sparse file: the size is inside the file. */
static void giant_notes_cost_no_memory(void **state)
{
	struct rusage before, after;

	assert_int_equal(ftruncate(fd, 3ll << 30), 0);
	getrusage(RUSAGE_SELF, &before);
	image.sections[1].sh_size = 2ull << 30;
	refused("too large");
	image.sections[1].sh_size = ELF_NOTES_MAX_SIZE + 1;
	refused("too large");
	image.sections[1].sh_size = 100;
	image.sections[2].sh_size = 2ull << 30;
	refused("too many section names");
	getrusage(RUSAGE_SELF, &after);
	assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 8 << 10);
}

static void headers_that_lie_are_refused(void **state)
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
	image.header.e_shoff = ~0ull - 100;
	refused("section headers");
	image = good;
	image.header.e_shstrndx = 3;
	refused("section headers");
	image = good;
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	refused("64-bit ELF");
}

static void note_that_reaches_beyond_the_section_ends_the_walk(void **state)
{
	struct diag d;

	image.sections[1].sh_size -= 4;
	assert_int_equal(check("gc__begin", &d), 0);
	assert_int_equal(check("gc__end", &d), -ENOENT);
	image.sections[1].sh_size = 11;
	assert_int_equal(check("gc__begin", &d), -ENOENT);
	image.sections[1].sh_size = 0;
	assert_int_equal(check("gc__begin", &d), -ENOENT);
}

static void too_many_sites_of_one_name_are_refused(void **state)
{
	struct diag d;

	for (int i = 1; i < ELF_NOTES_MAX_SITES; i++)
		put_note("hotspot", "gc__begin");
	assert_int_equal(check("gc__begin", &d), 0);
	put_note("hotspot", "gc__begin");
	refused("too many sites");
	assert_int_equal(check("gc__end", &d), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_file, close_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sites_are_found_by_provider_and_name),   TEST(giant_notes_cost_no_memory),
		TEST(headers_that_lie_are_refused),	      TEST(note_that_reaches_beyond_the_section_ends_the_walk),
		TEST(too_many_sites_of_one_name_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
