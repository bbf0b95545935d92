// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/filter_file.h"
#include "tests/lib/test.h"

#include <unistd.h>

/* The filters of a file with these bytes, joined by a blank; the message on error. */
static const char *read_file(const char *bytes, size_t size, struct diag *d)
{
	char path[] = "/tmp/frtrace-test-XXXXXX";
	struct filter_list *l = filter_list_new();
	static char joined[256];
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	*d = (struct diag){0};
	joined[0] = 0;
	if (filter_file_add(l, path, FILTER_TRACE, d))
		assert_int_equal(filter_list_size(l), 0);
	for (size_t i = 0; i < filter_list_size(l); i++) {
		strcat(joined, i ? " " : "");
		strcat(joined, filter_list_text(l, i));
	}
	unlink(path);
	filter_list_free(l);
	return joined;
}

CASE(filters_stand_one_a_line)
{
	static const char text[] = "# shop\na.b.C::m\n\n\t+x.Y  # and below\nA;B";
	struct diag d;

	assert_string_equal(read_file(text, sizeof(text) - 1, &d), "a.b.C::m +x.Y A B");
}

CASE(filters_belong_to_the_list_that_was_named)
{
	char path[] = "/tmp/frtrace-test-XXXXXX";
	struct filter_list *l = filter_list_new();
	int fd = mkstemp(path);
	struct diag d;

	assert_int_equal(write(fd, "a.B\n", 4), 4);
	close(fd);
	assert_int_equal(filter_file_add(l, path, FILTER_TIMING, &d), 0);
	assert_int_equal(filter_list_count(l, FILTER_TIMING), 1);
	assert_int_equal(filter_list_count(l, FILTER_TRACE), 0);
	unlink(path);
	filter_list_free(l);
}

CASE(wrong_line_is_reported_with_the_file)
{
	static const char text[] = "A\nB\na b\n";
	struct diag d;

	assert_string_equal(read_file(text, sizeof(text) - 1, &d), "");
	assert_contains(d.text, "wrong filter in /tmp/frtrace-test-");
	assert_contains(d.text, ", line 3: filters are separated by ';'");
	assert_true(d.usage);
}

CASE(what_is_no_text_is_refused)
{
	struct filter_list *l = filter_list_new();
	struct diag d = {0};
	char *large = malloc(9 << 20);

	assert_string_equal(read_file("A\0B", 3, &d), "");
	assert_contains(d.text, "is no text file");
	memset(large, '\n', 9 << 20);
	read_file(large, 9 << 20, &d);
	assert_contains(d.text, "is larger than 8 MB");
	free(large);
	assert_int_equal(filter_file_add(l, "/nowhere/x", FILTER_TRACE, &d), -ENOENT);
	assert_string_equal(d.text, "cannot open filters '/nowhere/x': No such file or directory");
	assert_int_equal(filter_file_add(l, "/tmp", FILTER_TRACE, &d), -EISDIR);
	assert_string_equal(d.text, "cannot read filters '/tmp': Is a directory");
	filter_list_free(l);
}
