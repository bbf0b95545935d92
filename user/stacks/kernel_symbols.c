// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/kernel_symbols.h"
#include "format/vec.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_MOST (1u << 20) /* bytes; no function is as long */

struct symbol {
	uint64_t address;
	char *name;
};

struct kernel_symbols {
	struct symbol *list; /* sorted by address */
	size_t count, capacity;
};

static bool kernel_symbols_add(struct kernel_symbols *s, uint64_t address, const char *name)
{
	if (vec_reserve(&s->list, &s->capacity, s->count + 1))
		return false;
	s->list[s->count] = (struct symbol){address, strdup(name)};
	return s->list[s->count].name && ++s->count;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/*
 * Read the next function: "ffffffff81000000 T _stext", with a tab and the module's name if there is one. False: end
 * of file.
 */
static bool next_function(FILE *f, uint64_t *address, char name[512])
{
	char line[1024], type;

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %c %511s", address, &type, name) == 3 && strchr("tTwW", type))
			return true;
	return false;
}

static bool read_symbols(struct kernel_symbols *s, FILE *f)
{
	uint64_t address;
	char name[512];
	bool good = true;

	while (good && next_function(f, &address, name))
		if (address)
			good = kernel_symbols_add(s, address, name);
	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_address);
	return good && s->count;
}

struct kernel_symbols *kernel_symbols_parse(FILE *f)
{
	struct kernel_symbols *s = calloc(1, sizeof(*s));

	if (s && read_symbols(s, f))
		return s;
	kernel_symbols_free(s);
	return NULL;
}

struct kernel_symbols *kernel_symbols_read(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct kernel_symbols *s = f ? kernel_symbols_parse(f) : NULL;

	if (f)
		fclose(f);
	return s;
}

/* Readers without permission see all addresses as 0. */
const char *kernel_symbols_hidden(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char name[512];

	if (!f)
		return "this kernel does not tell them (/proc/kallsyms)";
	for (int i = 0; i < 16 && !address && next_function(f, &address, name); i++)
		;
	fclose(f);
	return address ? "" : "it hides them (kernel.kptr_restrict, or CAP_SYSLOG is missing)";
}

void kernel_symbols_free(struct kernel_symbols *s)
{
	for (size_t i = 0; s && i < s->count; i++)
		free(s->list[i].name);
	if (s)
		free(s->list);
	free(s);
}

const char *kernel_symbols_find(const struct kernel_symbols *s, uint64_t address)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - s->list[low - 1].address < FUNCTION_MOST ? s->list[low - 1].name : NULL;
}
