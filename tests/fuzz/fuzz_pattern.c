// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a compiled block: matching stays within them and ends. */
#include "filters/block.h"
#include "filters/pattern.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"a/b/C", "m", "", "A", "<init>", "com/acme/Cart", "checkout"};

static void match_all(const struct pattern *p)
{
	const size_t count = sizeof(names) / sizeof(names[0]);

	(void)pattern_valid(p);
	(void)pattern_any_class(p);
	for (size_t i = 0; i < count; i++) {
		(void)pattern_class(p, names[i], strlen(names[i]));
		for (size_t k = 0; k < count; k++)
			(void)pattern_method(p, names[i], strlen(names[i]), names[k], strlen(names[k]), "()V", 3);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct block_header h;
	char *block = malloc(size + 1);

	memcpy(block, data, size);
	match_all(&(struct pattern){block, size});
	/* past the header's own checks */
	if (size >= sizeof(h)) {
		memcpy(&h, block, sizeof(h));
		h.magic = BLOCK_MAGIC;
		h.version = BLOCK_VERSION;
		h.size = (uint32_t)size;
		h.buckets = 1u << (h.buckets % 6);
		h.entries %= (uint32_t)(size / sizeof(struct block_entry)) + 2;
		memcpy(block, &h, sizeof(h));
		match_all(&(struct pattern){block, size});
	}
	free(block);
	return 0;
}
