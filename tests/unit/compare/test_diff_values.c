// SPDX-License-Identifier: BSD-2-Clause
/* Two recordings compared by the values of a field: which SQL became slower? */
#include "tests/unit/view/valued.h"
#include "user/compare/diff.h"

/* 200 calls with each of two values, a third one in the second recording only, and calls without a value. */
static void record_run(struct run *run, const char *by, bool slow)
{
	struct jfr_file file;

	for (int i = 0; i < 200; i++) {
		int64_t from = 1000 * i;

		query("select a", 1, from, from + 10 + i % 5);
		query("select b", 2, from + 200, from + 210 + i % 5 + (slow ? 40 : 0));
		call(1, "query", from + 400, from + 405 + i % 5);
		if (slow && i == 0)
			query("select c", 3, 500, 501);
	}
	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	*run = (struct run){.by = by};
	run_read(run, &file, &filter);
	run_read_splits(run, &file, &filter);
	assert_null(file.fault.what);
	jfr_file_release(&file);
}

static void compare_by(const char *by, struct bytes *text, char **json)
{
	struct run before, after;
	struct diff diff = {0};
	size_t size;
	FILE *to = open_memstream(json, &size);

	record_run(&before, by, false);
	recording_free(&r);
	setup_users(NULL);
	record_run(&after, by, true);
	diff_make(&diff, &before, &after);
	bytes_init(text);
	diff_put(text, &diff, 20, 80);
	bytes_put_u8(text, 0);
	diff_put_json(to, &diff);
	fclose(to);
	diff_release(&diff);
	run_release(&before);
	run_release(&after);
}

CASE(each_value_is_compared_by_itself, setup_users, teardown)
{
	struct bytes text;
	char *json;

	compare_by("sql", &text, &json);
	assert_contains((char *)text.data, "Cart.query sql=select b p90 +286 % (14.0 ms → 54.0 ms)");
	assert_contains((char *)text.data, "\ncom.acme.Cart.query() sql=select a\n");
	assert_contains((char *)text.data, "\ncom.acme.Cart.query() sql=select b\n");
	assert_contains((char *)text.data, "\ncom.acme.Cart.query() sql=select c   only in the new one\n");
	assert_contains((char *)text.data, "\ncom.acme.Cart.query()\n");
	assert_contains(json, "\"method\":\"com.acme.Cart.query()\",\"value\":\"sql=select b\",\"differs\":true");
	assert_contains(json, "\"method\":\"com.acme.Cart.query()\",\"value\":\"sql=select a\",\"differs\":false");
	assert_contains(json, "\"method\":\"com.acme.Cart.query()\",\"value\":null,\"differs\":false");
	bytes_release(&text);
	free(json);
}

CASE(without_a_field_all_calls_are_of_one_method, setup_users, teardown)
{
	struct bytes text;
	char *json;

	compare_by(NULL, &text, &json);
	assert_lacks((char *)text.data, "select");
	assert_contains(json, "\"method\":\"com.acme.Cart.query()\",\"value\":null,\"differs\":true");
	bytes_release(&text);
	free(json);
}
