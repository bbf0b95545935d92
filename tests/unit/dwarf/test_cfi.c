// SPDX-License-Identifier: BSD-2-Clause
/* Unwinding through libraries: the corpus of the fuzzer, which has both kinds of information, and the C library. */
#include "tests/lib/test.h"
#include "uprobes/dwarf/cfi.h"
#include "uprobes/elf/machine/machine.h"
#include "tests/lib/test.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLAIN	    "tests/fuzz/corpus/elf/plain"
#define DEBUG_FRAME "tests/fuzz/corpus/elf/debug_frame"

#define KEPT ((const uint8_t[])CFI_SAVED)[0] /* a register that callees save */

#define SP     0x7ffe0000ull
#define CALLER 0x7f0000001234ull
#define BIAS   0x7f0000000000ull

static struct diag d;
static struct elf_file *file;
static struct cfi *cfi;
static bool stack_is_known;

static void open_library(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(&file, fd, &d), 0);
	if (file->header.e_machine != ELF_MACHINE) {
		elf_file_close(file);
		skip(); /* the corpus is x86-64's */
	}
	assert_int_equal(cfi_open(&cfi, file, 16 << 20), 0);
	stack_is_known = true;
}

static void close_library(void)
{
	cfi_close(cfi);
	elf_file_close(file);
}

static bool read_stack(void *context, uint64_t address, uint64_t *to)
{
	*to = address == SP ? CALLER : address;
	return stack_is_known;
}

static int unwind_at(uint64_t address, struct cfi_frame *f)
{
	*f = (struct cfi_frame){.known = 1ull << CFI_SP | 1ull << CFI_PC | 1ull << KEPT, .exact = true};
	f->reg[CFI_SP] = SP;
	f->reg[KEPT] = 17;
	f->reg[CFI_RETURN] = CALLER; /* where it is not on the stack */
	f->known |= 1ull << CFI_RETURN;
	f->reg[CFI_PC] = address + BIAS;
	return cfi_unwind(cfi, f, BIAS, read_stack, NULL);
}

static uint64_t function(const char *name)
{
	uint64_t address;

	assert_true(elf_file_find(file, name, &address));
	return address;
}

/* At its first instruction a function has nothing on the stack but the return address. */
static void assert_entry(uint64_t address)
{
	struct cfi_frame f;

	assert_int_equal(unwind_at(address, &f), 1);
	assert_int_equal(f.reg[CFI_PC], CALLER);
	assert_int_equal(f.reg[CFI_SP], SP + CFI_CALL);
	assert_true(f.known & 1ull << KEPT);
	assert_int_equal(f.reg[KEPT], 17);
	assert_false(f.known & 1ull << CFI_FP);
	assert_false(f.exact);
}

CASE(a_caller_is_found_from_the_entry_of_each_function)
{
	static const char *const libraries[] = {PLAIN, DEBUG_FRAME};
	static const char *const functions[] = {"wait_here", "grow", "aligned", "out"};

	for (size_t i = 0; i < 2; i++) {
		open_library(libraries[i]);
		for (size_t k = 0; k < 4; k++)
			assert_entry(function(functions[k]));
		close_library();
	}
}

CASE(functions_of_the_c_library_too)
{
	char command[512], line[512], name[256], type;
	uint64_t address, size;
	int count = 0;
	Dl_info info;
	FILE *f;

	assert_true(dladdr((void *)gnu_get_libc_version, &info));
	open_library(info.dli_fname);
	snprintf(command, sizeof(command), "nm -D -S --defined-only '%s'", info.dli_fname);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &address, &size, &type, name) == 4 &&
		    (type == 'T' || type == 'W') && size > 16 && name[0] != '_') {
			assert_entry(address);
			count++;
		}
	pclose(f);
	assert_true(count > 1000);
	close_library();
}

/* A register that the function has overwritten is on the stack; if that is not known, the register is not. */
CASE(saved_registers_come_from_the_stack)
{
	struct cfi_frame f;
	uint64_t at, saved;
	bool seen = false;

	open_library(PLAIN);
	for (at = function("wait_here"); at < function("wait_here") + 64; at++)
		if (unwind_at(at, &f) == 1 && f.reg[CFI_SP] > SP + 8 && f.reg[KEPT] != 17) {
			assert_true(f.known & 1ull << KEPT);
			read_stack(NULL, f.reg[CFI_SP] - 16, &saved); /* below the return address */
			assert_int_equal(f.reg[KEPT], saved);
			seen = true;
		}
	assert_true(seen);
	close_library();
}

CASE(unknown_stacks_and_unknown_code_end_the_walk)
{
	struct cfi_frame f;

	open_library(PLAIN);
	stack_is_known = false;
	assert_int_equal(unwind_at(function("out"), &f), -EFAULT);
	assert_int_equal(unwind_at(0x10000000, &f), -ENODATA);
	assert_int_equal(unwind_at(-BIAS, &f), -ENODATA);
	close_library();
}

/* A copy of a library with another byte where this text is. */
static struct elf_file *changed(const char *path, const char *text, size_t size, size_t at, char by)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), fd = memfd_create("changed", MFD_CLOEXEC);
	struct elf_file *e;
	char data[8192], *place;
	ssize_t n = read(from, data, sizeof(data));

	assert_true(n > 0 && n < (ssize_t)sizeof(data));
	close(from);
	place = memmem(data, n, text, size);
	assert_non_null(place);
	place[at] = by;
	assert_int_equal(write(fd, data, n), n);
	assert_int_equal(elf_file_open(&e, fd, &d), 0);
	return e;
}

CASE(information_that_takes_memory_is_refused)
{
	static const char cie[] = "zR\0\1\x78\x10"; /* of the return address: register 16 */
	struct elf_file *e = changed(PLAIN, cie, sizeof(cie) - 1, 5, '\xff');
	struct cfi *c;

	assert_int_equal(cfi_open(&c, e, 1 << 20), -EBADMSG);
	assert_null(c);
	elf_file_close(e);
	e = changed(PLAIN, "zR\0\1\x78\x10", 6, 0, 'z');
	assert_int_equal(cfi_open(&c, e, 16), -EFBIG);
	assert_int_equal(cfi_open(&c, e, 1 << 20), 0);
	assert_in_range(cfi_size(c), 256, 64 << 10);
	cfi_close(c);
	elf_file_close(e);
	cfi_close(NULL);
}

CASE(a_file_without_information_has_none)
{
	struct elf_file *e = changed(PLAIN, ".eh_frame\0", 10, 1, 'X');
	struct cfi *c;

	assert_int_equal(cfi_open(&c, e, 1 << 20), -ENODATA);
	elf_file_close(e);
}
