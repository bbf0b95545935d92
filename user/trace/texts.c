// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/texts.h"

#include <stdlib.h>
#include <string.h>

/* No file can choose texts with equal hashes, see hash_number(). */
static uint64_t texts_hash(const char *text)
{
	uint64_t seed = hash_seed(), hash = 0, word;
	size_t size = strlen(text), n;

	for (size_t i = 0; i < size; i += n) {
		n = size - i < sizeof(word) ? size - i : sizeof(word);
		word = 0;
		memcpy(&word, text + i, n);
		hash = hash_number(seed, hash ^ word);
	}
	return hash;
}

struct texts_wanted {
	const struct texts *texts;
	const char *text;
};

static bool text_is_wanted(const void *context, uint32_t row)
{
	const struct texts_wanted *w = context;

	return strcmp(w->texts->text[row - 1], w->text) == 0;
}

uint32_t texts_add(struct texts *s, const char *text)
{
	uint64_t hash = texts_hash(text);
	uint32_t row;

	if (!s->count && *text && texts_add(s, "") == UINT32_MAX)
		return UINT32_MAX;
	row = hash_find(&s->lookup, hash, text_is_wanted, &(struct texts_wanted){s, text});
	if (row)
		return row - 1;
	if (vec_reserve(&s->text, &s->capacity, s->count + 1))
		return UINT32_MAX;
	s->text[s->count] = strdup(text);
	if (!s->text[s->count] || hash_add(&s->lookup, hash, s->count + 1)) {
		free(s->text[s->count]);
		return UINT32_MAX;
	}
	return s->count++;
}

uint32_t texts_find(const struct texts *s, const char *text)
{
	uint32_t row = hash_find(&s->lookup, texts_hash(text), text_is_wanted, &(struct texts_wanted){s, text});

	return row ? row - 1 : 0;
}

void texts_release(struct texts *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->text[i]);
	free(s->text);
	hash_release(&s->lookup);
	*s = (struct texts){0};
}
