// SPDX-License-Identifier: BSD-2-Clause
/* Real libraries, with nm and readelf as the oracles, and copies of one with damaged headers. */
#include "tests/lib/test.h"
#include "uprobes/elf/elf_file.h"
#include "tests/lib/test.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

static struct diag d;
static char libc[256];

/* The C library that this test runs with. */
static int setup(void **state)
{
	Dl_info info;

	assert_true(dladdr((void *)gnu_get_libc_version, &info));
	snprintf(libc, sizeof(libc), "%s", info.dli_fname);
	return 0;
}

static struct elf_file *open_file(const char *path)
{
	struct elf_file *e;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(&e, fd, &d), 0);
	return e;
}

static FILE *run(const char *form, ...)
{
	char command[512];
	va_list list;
	FILE *f;

	va_start(list, form);
	vsnprintf(command, sizeof(command), form, list);
	va_end(list);
	f = popen(command, "r");
	assert_non_null(f);
	return f;
}

CASE(functions_are_those_that_nm_prints)
{
	FILE *f = run("nm -D -S --defined-only --without-symbol-versions '%s'", libc);
	struct elf_file *e = open_file(libc);
	uint64_t address, size, start, found;
	char line[512], name[256], type, own[ELF_FILE_SYMBOL];
	int compared = 0;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &address, &size, &type, name) != 4 ||
		    !strchr("TWi", type) || !size)
			continue;
		if (compared++ % 16)
			continue;
		assert_true(elf_file_symbol(e, address + size - 1, own, &start));
		assert_true(start <= address + size - 1);
		assert_true(elf_file_find(e, name, &found));
		if (found == address) /* other versions of a function have the same name */
			assert_true(elf_file_symbol(e, found, own, &start) && start == found);
	}
	pclose(f);
	assert_true(compared > 500);
	elf_file_close(e);
}

static void on_export(const char *name, uint64_t address, void *context)
{
	const struct elf_file *e = ((const struct elf_file **)context)[0];
	uint64_t found;

	(*(size_t *)((void **)context)[1])++;
	assert_memory_equal(name, "pthread_", strlen("pthread_"));
	assert_true(elf_file_find(e, name, &found));
}

CASE(exports_are_those_of_nm)
{
	FILE *f = run("nm -D --defined-only '%s' | grep -c ' [TWi] pthread_'", libc);
	struct elf_file *e = open_file(libc);
	size_t seen = 0;
	void *context[] = {e, &seen};
	unsigned int wanted = 0;

	assert_int_equal(fscanf(f, "%u", &wanted), 1);
	pclose(f);
	elf_file_exports(e, "pthread_", on_export, context);
	assert_true(wanted > 20);
	assert_int_equal(seen, wanted);
	elf_file_close(e);
}

CASE(build_id_is_that_of_readelf)
{
	FILE *f = run("readelf -n '%s' | sed -n 's/.*Build ID: //p'", libc);
	uint8_t id[ELF_FILE_BUILD_ID];
	struct elf_file *e = open_file(libc);
	char wanted[128] = "", own[2 * ELF_FILE_BUILD_ID + 1] = "";
	size_t size = elf_file_build_id(e, id);

	assert_non_null(fgets(wanted, sizeof(wanted), f));
	wanted[strcspn(wanted, "\n")] = 0;
	for (size_t i = 0; i < size; i++)
		snprintf(own + 2 * i, 3, "%02x", id[i]);
	assert_string_equal(own, wanted);
	pclose(f);
	elf_file_close(e);
}

static int find_code(struct dl_phdr_info *info, size_t size, void *context)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (strcmp(info->dlpi_name, libc) == 0 && p->p_type == PT_LOAD && p->p_flags & PF_X)
			*(ElfW(Phdr) *)context = *p;
	}
	return 0;
}

CASE(offsets_become_addresses_as_the_loader_maps_them)
{
	struct elf_file *e = open_file(libc);
	ElfW(Phdr) code = {0};
	uint64_t address;

	dl_iterate_phdr(find_code, &code);
	assert_int_not_equal(code.p_filesz, 0);
	assert_true(elf_file_address(e, code.p_offset + 100, &address));
	assert_int_equal(address, code.p_vaddr + 100);
	assert_true(elf_file_address(e, code.p_offset & ~4095ul, &address));
	assert_int_equal(address, code.p_vaddr - code.p_offset % 4096);
	assert_false(elf_file_address(e, code.p_offset + code.p_filesz, &address));
	assert_false(elf_file_address(e, UINT64_MAX, &address));
	elf_file_close(e);
}

CASE(an_address_without_a_function_has_no_name)
{
	struct elf_file *e = open_file(libc);
	char name[ELF_FILE_SYMBOL];
	uint64_t address;

	assert_false(elf_file_symbol(e, 0, name, NULL));
	assert_false(elf_file_symbol(e, UINT64_MAX, name, NULL));
	assert_false(elf_file_find(e, "no_such_function", &address));
	assert_false(elf_file_find(e, "", &address));
	elf_file_close(e);
}

/* A copy of a library in which `size` bytes at `at` have another value. */
static int damaged(const char *path, size_t at, const void *by, size_t size)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), fd = memfd_create("damaged", MFD_CLOEXEC);
	char piece[65536];
	ssize_t n;

	while ((n = read(from, piece, sizeof(piece))) > 0)
		assert_int_equal(write(fd, piece, n), n);
	close(from);
	assert_int_equal(pwrite(fd, by, size, at), (ssize_t)size);
	return fd;
}

static void refused(size_t at, const void *by, size_t size, const char *why)
{
	struct elf_file *e;

	assert_int_equal(elf_file_open(&e, damaged(libc, at, by, size), &d), -EBADMSG);
	assert_null(e);
	assert_contains(d.text, why);
}

CASE(forged_headers_are_refused)
{
	struct elf_file *e = open_file(libc);
	const Elf64_Shdr text = {.sh_type = SHT_PROGBITS, .sh_offset = 4096, .sh_size = UINT64_MAX - 4000};
	const uint16_t many = 0xfff0, none = 0;
	const uint64_t far = UINT64_MAX - 8;

	refused(0, "\177ELG", 4, "not a 64-bit ELF file");
	refused(EI_CLASS, "\1", 1, "not a 64-bit ELF file");
	refused(offsetof(Elf64_Ehdr, e_shnum), &many, 2, "too many");
	refused(offsetof(Elf64_Ehdr, e_phnum), &many, 2, "too many");
	refused(offsetof(Elf64_Ehdr, e_shnum), &none, 2, "wrong section headers");
	refused(offsetof(Elf64_Ehdr, e_shoff), &far, 8, "wrong section headers");
	refused(offsetof(Elf64_Ehdr, e_phoff), &far, 8, "wrong program headers");
	refused(offsetof(Elf64_Ehdr, e_phentsize), &many, 2, "wrong program headers");
	refused(e->header.e_shoff + 3 * sizeof(text), &text, sizeof(text), "beyond its end");
	elf_file_close(e);
}

/* A symbol table whose links, sizes and names lead nowhere: no answer, and no read outside of the file. */
CASE(forged_symbol_tables_have_no_answers)
{
	struct elf_file *e = open_file(libc), *forged;
	const Elf64_Shdr *s = elf_file_section(e, ".dynsym");
	size_t at = e->header.e_shoff + (s - e->section) * sizeof(*s);
	const Elf64_Shdr changes[] = {{.sh_link = 60000}, {.sh_entsize = 1}, {.sh_type = SHT_NOBITS}};
	char name[ELF_FILE_SYMBOL];
	uint64_t address;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		Elf64_Shdr other = *s;

		other.sh_link = changes[i].sh_link ?: other.sh_link;
		other.sh_entsize = changes[i].sh_entsize ?: other.sh_entsize;
		other.sh_type = changes[i].sh_type ?: other.sh_type;
		assert_int_equal(elf_file_open(&forged, damaged(libc, at, &other, sizeof(other)), &d), 0);
		assert_false(elf_file_find(forged, "puts", &address));
		assert_false(elf_file_symbol(forged, 0x30000, name, NULL));
		elf_file_close(forged);
	}
	elf_file_close(e);
}

CASE(contents_are_bounded)
{
	struct elf_file *e = open_file(libc);
	const Elf64_Shdr *s = elf_file_section(e, ".dynstr");
	Elf64_Shdr packed = *s;
	char *data = elf_file_contents(e, s, s->sh_size);

	assert_non_null(data);
	assert_int_equal(data[0], 0);
	free(data);
	assert_null(elf_file_contents(e, s, s->sh_size - 1));
	assert_int_equal(errno, EFBIG);
	packed.sh_flags |= SHF_COMPRESSED;
	assert_null(elf_file_contents(e, &packed, SIZE_MAX));
	assert_int_equal(errno, ENODATA);
	assert_null(elf_file_section(e, ".no_such_section"));
	elf_file_close(e);
}

CASE(what_is_no_regular_file_is_refused)
{
	struct elf_file *e;

	assert_int_equal(elf_file_open(&e, open("/dev/zero", O_RDONLY | O_CLOEXEC), &d), -EBADMSG);
	assert_int_equal(elf_file_open(&e, open("/", O_RDONLY | O_CLOEXEC), &d), -EBADMSG);
	elf_file_close(NULL);
}

int main(void)
{
	return test_main(setup, NULL);
}
