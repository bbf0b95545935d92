// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as the records of a value, read as each kind of number and as a text. Every record is taken, at least one at a
 * time, and a text is not longer than its records.
 */
#include "user/record/user_value.h"
#include "tests/fuzz/fuzz.h"

static void read_all(enum plan_kind kind, const struct frt_field *f, size_t n, struct bytes *text)
{
	for (size_t i = 0; i < n;) {
		struct jfr_user_value v;
		size_t taken = user_value_read(&v, kind, &f[i], n - i, text, NULL);

		require(taken && taken <= n - i, "not all records are taken");
		require(v.null || kind != PLAN_TEXT || v.length * (v.wide ? 2 : 1) <= text->size,
			"a text has no bytes");
		/* a class's name grows by "[]" for each of its '[', and a cut text by its length */
		require(v.length <= taken * sizeof(f->data) * 2 + 32, "a text is longer than its records");
		i += taken;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size / sizeof(struct frt_field);
	struct frt_field *f = malloc(n * sizeof(*f) + !n);
	struct bytes text;

	memcpy(f, data, n * sizeof(*f));
	bytes_init(&text);
	for (enum plan_kind kind = 0; kind <= PLAN_TEXT; kind++)
		read_all(kind, f, n, &text);
	bytes_release(&text);
	free(f);
	return 0;
}
