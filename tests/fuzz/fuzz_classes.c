// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any memory as a JVM's class graph: the walk terminates, and so does reading each class. What is reported is
 * plausible.
 *
 * Input: a number that selects the filters (1 byte), the offset of the pointer to the first loader (2 bytes,
 * little-endian), the memory at FUZZ_BASE.
 */
#include "filters/filter_list.h"
#include "tests/fuzz/fuzz_mem.h"
#include "tests/lib/fake_layout.h"
#include "user/jvm/matches.h"

#define FUZZ_HEAD 3

static void check_match(const struct match *m)
{
	check(m->method && m->method->class_name[0] && !strpbrk(m->method->class_name, ".;["));
	check(m->method->name && m->method->descriptor && m->reason < FRT_SKIP_REASONS);
	check(m->verdict.trace && !m->verdict.timing);
}

static void *compile(const char *filters, size_t *size)
{
	struct filter_list *list = filter_list_new();
	void *program = NULL;
	struct diag d;

	if (list && !filter_list_add(list, filters, FILTER_TRACE, &d))
		filter_list_compile(list, &program, size, &d);
	filter_list_free(list);
	return program;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const filters[] = {"*", "+a.Store", "@a.Timed;a.Cart::add(int)", "a.*;!+a.Base;!@a.Timed"};
	struct fuzz_mem m = {.mem.read = fuzz_read, .reads_left = 20000000};
	struct hotspot_layout l = fake_layout(FAKE_17);
	struct matcher p = {.size = 0};
	struct matches found;
	void *program;

	if (size < FUZZ_HEAD)
		return 0;
	program = compile(filters[data[0] % 4], &p.size);
	if (!program)
		return 0;
	p.program = program;
	m.data = data + FUZZ_HEAD;
	m.size = size - FUZZ_HEAD;
	l.loaders = FUZZ_BASE + (data[1] | data[2] << 8);
	if (!matches_find(&found,
			  &(struct matches_setup){.layout = &l, .mem = &m.mem, .pattern = &p, .jdk_version = 17}))
		for (uint32_t i = 0; i < found.count; i++)
			check_match(&found.match[i]);
	matches_release(&found);
	free(program);
	return 0;
}
