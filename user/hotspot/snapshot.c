// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/snapshot.h"

static int snapshot_page(struct snapshot *s, uint64_t page, const unsigned char **out)
{
	unsigned int i = page / SNAPSHOT_PAGE % SNAPSHOT_PAGES;
	int r = 0;

	if (s->page[i] != page + 1) {
		s->page[i] = 0;
		r = mem_read(s->source, page, s->data[i], SNAPSHOT_PAGE);
		if (!r)
			s->page[i] = page + 1;
	}
	*out = s->data[i];
	return r;
}

static int snapshot_read(const struct mem *m, uint64_t address, void *to, size_t size)
{
	struct snapshot *s = (struct snapshot *)m;

	while (size) {
		size_t at = address % SNAPSHOT_PAGE, n = SNAPSHOT_PAGE - at;
		const unsigned char *page;
		int r;

		if (n > size)
			n = size;
		r = snapshot_page(s, address - at, &page);
		if (!r)
			memcpy(to, page + at, n);
		else /* an image's part may be less than a page */
			r = mem_read(s->source, address, to, n);
		if (r)
			return r;
		address += n;
		to = (char *)to + n;
		size -= n;
	}
	return 0;
}

void snapshot_init(struct snapshot *s, const struct mem *source)
{
	s->mem.read = snapshot_read;
	s->source = source;
	snapshot_clear(s);
}

void snapshot_clear(struct snapshot *s)
{
	memset(s->page, 0, sizeof(s->page));
}
