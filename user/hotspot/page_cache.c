// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/page_cache.h"

/* Pages in use often lie at round distances, so the low bits of an address would select the same set. */
static struct page_cache_set *set_of(struct page_cache *s, uint64_t page)
{
	return &s->set[page / PAGE_CACHE_PAGE * 0x9e3779b97f4a7c15ULL >> 58];
}

_Static_assert(PAGE_CACHE_SETS == 1 << (64 - 58), "as many bits of the hash");

static int snapshot_page(struct page_cache *s, uint64_t page, const unsigned char **out)
{
	struct page_cache_set *set = set_of(s, page);
	unsigned char(*data)[PAGE_CACHE_PAGE] = s->data[set - s->set];
	unsigned int i = 0;
	int r = 0;

	while (i < PAGE_CACHE_WAYS && set->page[i] != page + 1)
		i++;
	if (i == PAGE_CACHE_WAYS) {
		i = set->oldest;
		set->oldest = (i + 1) % PAGE_CACHE_WAYS;
		set->page[i] = 0;
		r = mem_read(s->source, page, data[i], PAGE_CACHE_PAGE);
		if (!r)
			set->page[i] = page + 1;
	}
	*out = data[i];
	return r;
}

static int snapshot_read(const struct mem *m, uint64_t address, void *to, size_t size)
{
	struct page_cache *s = (struct page_cache *)m;

	while (size) {
		size_t at = address % PAGE_CACHE_PAGE, n = PAGE_CACHE_PAGE - at;
		const unsigned char *page;
		int r;

		if (n > size)
			n = size;
		r = snapshot_page(s, address - at, &page);
		if (!r)
			memcpy(to, page + at, n);
		else /* part of an image may be smaller than a page */
			r = mem_read(s->source, address, to, n);
		if (r)
			return r;
		address += n;
		to = (char *)to + n;
		size -= n;
	}
	return 0;
}

void page_cache_init(struct page_cache *s, const struct mem *source)
{
	s->mem.read = snapshot_read;
	s->source = source;
	for (unsigned int i = 0; i < PAGE_CACHE_SETS; i++)
		s->set[i].oldest = 0;
	page_cache_clear(s);
}

void page_cache_clear(struct page_cache *s)
{
	for (unsigned int i = 0; i < PAGE_CACHE_SETS; i++)
		memset(s->set[i].page, 0, sizeof(s->set[i].page));
}
