// SPDX-License-Identifier: BSD-2-Clause
/* Libraries that the compiler makes here; where their variables are, the loader says. */
#include "tests/lib/machine/machine.h"
#include "tests/lib/test.h"
#include "uprobes/agent/machine/machine.h"
#include "uprobes/elf/elf_tls.h"
#include "tests/lib/test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <unistd.h>

#define VARIABLE "published_here"

static char directory[] = "/tmp/frtrace-tls.XXXXXX", path[64];
static struct diag d;

static int setup(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/lib.so", directory);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(directory);
}

static void compile(const char *options, const char *source)
{
	char command[512];
	FILE *to;

	snprintf(command, sizeof(command), COMPILER " -O2 -shared -fPIC %s -x c -o %s -", options, path);
	to = popen(command, "w");
	assert_non_null(to);
	fputs(source, to);
	assert_int_equal(pclose(to), 0);
}

static struct elf_file *open_library(void)
{
	struct elf_file *e;

	assert_int_equal(elf_file_open(&e, open(path, O_RDONLY | O_CLOEXEC), &d), 0);
	return e;
}

/* The variable is not the only one, and has an initial value, so that its place is not 0. */
#define SOURCE(access)                                                          \
	"__thread long before[5] = {1}; " access "__thread void *" VARIABLE ";" \
	" void **place(void) { return &" VARIABLE "; }"

static void find_it(const char *options, const char *source, bool is_descriptor)
{
	bool descriptor = !is_descriptor;
	struct elf_file *e;
	struct link_map *m;
	uint64_t word, value;
	void **(*place)(void);
	void *library;

	compile(options, source);
	e = open_library();
	assert_true(elf_tls_find(e, VARIABLE, &word, &descriptor));
	assert_int_equal(descriptor, is_descriptor);
	elf_file_close(e);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &m), 0);
	*(void **)&place = dlsym(library, "place");
	memcpy(&value, (void *)(m->l_addr + word), sizeof(value));
	assert_in_range(FRT_TLS_DISTANCE(value), 1, FRT_CONTEXT_NEAR);
	assert_true(sys_thread_pointer() + value == (uint64_t)place());
	dlclose(library);
}

CASE(word_of_a_descriptor_is_found)
{
	find_it(TLS_DESCRIPTORS, SOURCE(""), true);
}

CASE(word_of_a_descriptor_without_a_symbol_is_found)
{
	find_it(TLS_DESCRIPTORS " -Wl,-Bsymbolic", SOURCE(""), true);
}

CASE(word_of_initial_exec_is_found)
{
	find_it("", SOURCE("__attribute__((tls_model(\"initial-exec\"))) "), false);
}

CASE(other_libraries_have_none)
{
	static const char *const sources[] = {
		"void *" VARIABLE ";",								 /* not thread-local */
		"extern __thread void *" VARIABLE "; void **p(void) { return &" VARIABLE "; }",	 /* not its own */
		"static __thread void *" VARIABLE "; void **p(void) { return &" VARIABLE "; }",	 /* not exported */
		"__thread void *" VARIABLE "_too; void **p(void) { return &" VARIABLE "_too; }", /* another one */
		"__thread void *" VARIABLE ";",							 /* not used */
	};
	struct elf_file *e;
	bool descriptor;
	uint64_t word;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		compile(TLS_DESCRIPTORS, sources[i]);
		e = open_library();
		assert_false(elf_tls_find(e, VARIABLE, &word, &descriptor));
		elf_file_close(e);
	}
}

/* Each byte of the headers and tables is changed: nothing is read beyond them. */
CASE(forged_libraries_do_no_harm)
{
	static unsigned char image[1 << 16], copy[1 << 16];
	struct elf_file *e;
	bool descriptor;
	uint64_t word;
	FILE *f;
	size_t n;

	compile(TLS_DESCRIPTORS, SOURCE(""));
	f = fopen(path, "r");
	n = fread(image, 1, sizeof(image), f);
	fclose(f);
	for (size_t i = 0; i < n; i += i < 4096 ? 1 : 7) {
		int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);

		memcpy(copy, image, n);
		copy[i] ^= 0xff;
		assert_int_equal(write(fd, copy, n), n);
		if (!elf_file_open(&e, fd, &d))
			elf_tls_find(e, VARIABLE, &word, &descriptor);
		elf_file_close(e);
	}
}

int main(void)
{
	return test_main(setup, teardown);
}
