// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_mem.h"
#include "tests/lib/test.h"

static unsigned char *find(const struct fake_mem *m, uint64_t address, uint64_t size)
{
	for (int i = 0; i < m->regions; i++) {
		const struct fake_mem_region *r = &m->region[i];

		if (address >= r->start && address - r->start <= r->size && size <= r->size - (address - r->start))
			return r->bytes + (address - r->start);
	}
	return NULL;
}

static int fake_mem_read(const struct mem *mem, uint64_t address, void *to, size_t size)
{
	struct fake_mem *m = (struct fake_mem *)mem;
	const unsigned char *from = find(m, address, size);

	if (++m->reads == m->fail || !from)
		return -EFAULT;
	memcpy(to, from, size);
	return 0;
}

void fake_mem_init(struct fake_mem *m)
{
	*m = (struct fake_mem){.mem = {fake_mem_read}};
}

void fake_mem_release(struct fake_mem *m)
{
	for (int i = 0; i < m->regions; i++)
		free(m->region[i].bytes);
	m->regions = 0;
}

void fake_mem_map(struct fake_mem *m, uint64_t start, uint64_t size)
{
	unsigned char *bytes = calloc(1, size);

	assert_non_null(bytes);
	assert_true(m->regions < FAKE_MEM_REGIONS);
	m->region[m->regions++] = (struct fake_mem_region){start, size, bytes};
}

void *fake_mem_at(struct fake_mem *m, uint64_t address, uint64_t size)
{
	unsigned char *at = find(m, address, size);

	assert_non_null(at);
	return at;
}

void fake_mem_put(struct fake_mem *m, uint64_t address, uint64_t value, unsigned int width)
{
	memcpy(fake_mem_at(m, address, width), &value, width);
}

void fake_mem_put_text(struct fake_mem *m, uint64_t address, const char *text)
{
	memcpy(fake_mem_at(m, address, strlen(text) + 1), text, strlen(text) + 1);
}
