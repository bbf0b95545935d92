// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/kernel_symbols.h"
#include "format/vec.h"

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

#define LINE_MOST 1024

/*
 * Read the next function: "ffffffff81000000 T _stext", with a tab and the module's name if there is one. Its name, in `line`.
 * NULL: end of file. A kernel has more than 100,000 symbols, too many for sscanf().
 */
static const char *next_function(FILE *f, uint64_t *address, char line[LINE_MOST])
{
	char *at;

	while (fgets(line, LINE_MOST, f)) {
		*address = strtoull(line, &at, 16);
		if (at == line || at[0] != ' ' || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ' ||
		    strchr(" \t\n", at[3]))
			continue;
		at[3 + strcspn(at + 3, " \t\n")] = '\0';
		return at + 3;
	}
	return NULL;
}

static bool read_symbols(struct kernel_symbols *s, FILE *f)
{
	const char *name;
	uint64_t address;
	char line[LINE_MOST];
	bool good = true;

	while (good && (name = next_function(f, &address, line)))
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
	char line[LINE_MOST];

	if (!f)
		return "this kernel does not tell them (/proc/kallsyms)";
	for (int i = 0; i < 16 && !address && next_function(f, &address, line); i++)
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
