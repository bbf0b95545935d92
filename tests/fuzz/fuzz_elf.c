// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a library: symbols, build id and call frame information. Unwinding from anywhere in it must end, with the
 * stack pointer above what it was, in little memory.
 */
#include "uprobes/dwarf/cfi.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES 64
#define DEPTH  16

/* A stack on which each word is the address of another piece of the library. */
static bool read_stack(void *context, uint64_t address, uint64_t *to)
{
	*to = address % 4099;
	return address < 1 << 20;
}

static void unwind_from(struct cfi *c, uint64_t pc)
{
	struct cfi_frame f = {.known = (1ull << CFI_REGISTERS) - 1, .exact = pc % 2};
	int r = 1;

	for (int i = 0; i < CFI_REGISTERS; i++)
		f.reg[i] = 4096 + 8 * i;
	f.reg[CFI_PC] = pc;
	for (int i = 0; i < DEPTH && r == 1; i++) {
		uint64_t sp = f.reg[CFI_SP];

		r = cfi_unwind(c, &f, 0, read_stack, NULL);
		require(r != 1 || f.exact || f.reg[CFI_SP] >= sp + CFI_CALL, "the stack pointer does not rise");
		require(r != 1 || f.known & 1u << CFI_PC, "a caller without a program counter");
	}
}

static void ask_symbols(const struct elf_file *e, uint64_t address)
{
	char name[ELF_FILE_SYMBOL];
	uint64_t start = 0;

	if (!elf_file_symbol(e, address, name, &start))
		return;
	require(name[0] && strlen(name) < sizeof(name), "a symbol without a name");
	require(start <= address, "a symbol that begins behind the address");
}

static void ask(const struct elf_file *e)
{
	uint8_t id[ELF_FILE_BUILD_ID];
	char link[256];
	uint64_t address;
	struct cfi *c;

	require(elf_file_build_id(e, id) <= sizeof(id), "a build id that is too long");
	elf_file_debug_link(e, link);
	require(strlen(link) < sizeof(link) && !strchr(link, '/'), "a link to another directory");
	elf_file_find(e, "wait_here", &address);
	if (cfi_open(&c, e, 1 << 20))
		c = NULL;
	for (int i = 0; i < PLACES; i++) {
		address = e->header.e_entry + 16 * i;
		elf_file_address(e, 64 * i, &address);
		ask_symbols(e, address);
		if (c)
			unwind_from(c, address);
	}
	cfi_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("library", MFD_CLOEXEC);
	struct elf_file *e;
	struct diag d;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (!elf_file_open(&e, fd, &d))
		ask(e);
	elf_file_close(e);
	return 0;
}
