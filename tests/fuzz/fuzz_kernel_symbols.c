// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as /proc/kallsyms: each address on a well-formed line must resolve to a function, whatever the other lines
 * are.
 */
#include "user/stacks/kernel_symbols.h"
#include "tests/fuzz/fuzz.h"

/* The address in "ffffffff81000000 T _stext", or 0 if the line is malformed. */
static uint64_t function_at(const char *line)
{
	if (strspn(line, "0123456789abcdef") != 16 || strncmp(line + 16, " T ", 3) != 0 ||
	    strspn(line + 19, "abcdefghij_") == 0)
		return 0;
	return strtoull(line, NULL, 16);
}

static void ask(const struct kernel_symbols *s, const char *line)
{
	uint64_t address = function_at(line);

	require(!address || (s && kernel_symbols_find(s, address)), "a function is not found");
	for (unsigned int shift = 0; s && shift < 64; shift++) {
		const char *name = kernel_symbols_find(s, address ^ 1ull << shift);

		require(!name || name[0], "a function has no name");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *line, *next;
	struct kernel_symbols *s;
	FILE *f;

	memcpy(text, data, size);
	f = fmemopen(text, strlen(text) + 1, "r");
	s = kernel_symbols_parse(f);
	for (line = text; strlen(text) == size && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (strlen(line) > 100)
			break; /* a line that is too long counts as two */
		ask(s, line);
	}
	kernel_symbols_free(s);
	fclose(f);
	free(text);
	return 0;
}
