// SPDX-License-Identifier: BSD-2-Clause
/* The libraries of this process itself, and one that is replaced by another at the same address. */
#include "tests/lib/test.h"
#include "user/process/libraries.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLAIN "tests/fuzz/corpus/elf/plain"

static struct libraries *libraries;
static struct target target;

static int setup(void **state)
{
	target.pid = getpid();
	target.uid = getuid();
	libraries = libraries_new(&target, true);
	return 0;
}

static int teardown(void **state)
{
	libraries_free(libraries);
	return 0;
}

CASE(code_has_its_library_and_its_symbol, setup, teardown)
{
	const struct library *l = libraries_at(libraries, (uint64_t)gnu_get_libc_version);
	char name[ELF_FILE_SYMBOL];
	Dl_info info;

	assert_non_null(l);
	assert_true(dladdr((void *)gnu_get_libc_version, &info));
	assert_string_equal(path_base(l->map.path), path_base(info.dli_fname));
	assert_int_equal(l->bias, (uint64_t)info.dli_fbase);
	assert_non_null(l->cfi);
	assert_true(library_symbol(l, (uint64_t)gnu_get_libc_version + 1, name));
	assert_string_equal(name, "gnu_get_libc_version");
}

CASE(memory_without_a_file_has_none, setup, teardown)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_null(libraries_at(libraries, (uint64_t)code));
	assert_null(libraries_at(libraries, (uint64_t)&target));
	assert_null(libraries_at(libraries, 0));
	assert_null(libraries_at(libraries, UINT64_MAX));
	munmap(code, 4096);
}

static void copy_file(const char *from, const char *to)
{
	int a = open(from, O_RDONLY | O_CLOEXEC), b = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	char data[16384];
	ssize_t n = read(a, data, sizeof(data));

	assert_true(n > 0 && write(b, data, n) == n);
	close(a);
	close(b);
}

static void *map_code(const char *path, void *at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *code = mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);

	assert_ptr_not_equal(code, MAP_FAILED);
	close(fd);
	return code;
}

CASE(another_file_at_the_same_place_is_another_library, setup, teardown)
{
	char path[] = "/tmp/frtrace-library.XXXXXX";
	const struct library *l;
	uint32_t serial;
	void *code;

	close(mkstemp(path));
	copy_file(PLAIN, path);
	code = map_code(path, NULL);
	l = libraries_at(libraries, (uint64_t)code);
	assert_non_null(l);
	assert_non_null(l->file);
	serial = l->serial;
	libraries_expire(libraries);
	assert_int_equal(libraries_at(libraries, (uint64_t)code)->serial, serial);
	unlink(path);
	copy_file(PLAIN, path);
	map_code(path, code);
	assert_int_equal(libraries_at(libraries, (uint64_t)code)->serial, serial); /* not looked at yet */
	libraries_expire(libraries);
	assert_int_not_equal(libraries_at(libraries, (uint64_t)code)->serial, serial);
	munmap(code, 4096);
	libraries_expire(libraries);
	assert_null(libraries_at(libraries, (uint64_t)code));
	unlink(path);
}

/* What is mapped need not be a library. */
CASE(a_file_of_another_kind_has_no_symbols, setup, teardown)
{
	void *code = map_code("Makefile", NULL);
	const struct library *l = libraries_at(libraries, (uint64_t)code);
	char name[ELF_FILE_SYMBOL];

	assert_non_null(l);
	assert_null(l->file);
	assert_null(l->cfi);
	assert_false(library_symbol(l, (uint64_t)code, name));
	munmap(code, 4096);
}

static int count_library(const struct library *l, void *context)
{
	return ++*(int *)context == 2 ? 17 : 0;
}

CASE(all_are_visited_until_the_visitor_stops, setup, teardown)
{
	int count = 0;

	assert_int_equal(libraries_each(libraries, count_library, &count), 17);
	assert_int_equal(count, 2);
}
