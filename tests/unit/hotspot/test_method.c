// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_code.h"
#include "tests/lib/fail_nth.h"
#include "user/hotspot/method.h"
#include "tests/lib/test.h"

static struct fixture {
	struct fake_code f;
	struct method_table table;
	struct bytes lines;
	struct method method;
} jvm;

static void fixture_init(enum fake_form form)
{
	fake_code_init(&jvm.f, form);
	jvm.table = (struct method_table){.texts = 0};
	bytes_init(&jvm.lines);
}

static void fixture_release(void)
{
	fake_code_release(&jvm.f);
	method_table_release(&jvm.table);
	bytes_release(&jvm.lines);
}

static int read_method(uint64_t method)
{
	return method_read(&jvm.method, &jvm.f.layout, &jvm.f.mem, method, &jvm.table, &jvm.lines);
}

static int32_t line(int32_t bci)
{
	return method_line(jvm.lines.data + jvm.method.lines, jvm.method.lines_size, jvm.f.layout.unsigned5_bias, bci);
}

static const struct fake_code_class cart = {.name = "com/acme/Cart", .access = 0x21, .modifiers = 0x1};
static const struct fake_code_class loaded = {
	.name = "com/acme/Cart$Item",
	.access = 0x21,
	.modifiers = 0x19,
	.loader_type = "com/acme/Loader",
	.loader_name = "shop",
};

static uint64_t add_method(const struct fake_code_class *c, struct fake_code_method m)
{
	m.klass = fake_code_class(&jvm.f, c);
	m.name = m.name ?: "checkout";
	m.descriptor = m.descriptor ?: "(I)V";
	return fake_code_method(&jvm.f, &m);
}

static int begin(void **state)
{
	fixture_init(FAKE_17);
	return 0;
}

static int end(void **state)
{
	fixture_release();
	return 0;
}

CASE(method_of_the_boot_loader_is_read, begin, end)
{
	uint64_t at;

	at = add_method(&cart, (struct fake_code_method){.access = 0x80000009, .code_size = 17});
	assert_int_equal(read_method(at), 0);
	assert_string_equal(jvm.method.resolved->class_name, "com/acme/Cart");
	assert_string_equal(jvm.method.resolved->name, "checkout");
	assert_string_equal(jvm.method.resolved->descriptor, "(I)V");
	assert_int_equal(jvm.method.resolved->modifiers, 9);
	assert_int_equal(jvm.method.resolved->class_modifiers, 1);
	assert_int_equal(jvm.method.resolved->number, 1);
	assert_false(jvm.method.resolved->hidden);
	assert_false(jvm.method.resolved->class_hidden);
	assert_int_equal(jvm.method.resolved->loader, 0);
	assert_null(jvm.method.resolved->loader_type);
	assert_int_equal(jvm.method.code_size, 17);
	assert_int_equal(line(0), -1);
}

CASE(method_of_another_loader_names_its_loader, begin, end)
{
	assert_int_equal(read_method(add_method(&loaded, (struct fake_code_method){.access = 1})), 0);
	assert_true(jvm.method.resolved->loader != 0);
	assert_string_equal(jvm.method.resolved->loader_type, "com/acme/Loader");
	assert_string_equal(jvm.method.resolved->loader_name, "shop");
	assert_int_equal(jvm.method.resolved->class_modifiers, 0x19);
}

CASE(hidden_methods_and_classes_are_recognised, begin, end)
{
	const struct fake_code_class hidden = {.name = "a/B$$Lambda+0x0000000098041000", .access = 0x04001030};

	assert_int_equal(read_method(add_method(&hidden, (struct fake_code_method){.hidden = true})), 0);
	assert_true(jvm.method.resolved->hidden);
	assert_true(jvm.method.resolved->class_hidden);
	assert_string_equal(jvm.method.resolved->class_name, "a/B$$Lambda+0x0000000098041000");
}

CASE(method_hidden_flag_may_be_in_the_const_method)
{
	uint64_t at, constants;

	fixture_init(FAKE_25);
	jvm.f.layout.method_flags = jvm.f.layout.walk.const_flags;
	jvm.f.layout.method_flags_width = 4;
	jvm.f.layout.method_flags_in_const = 1;
	jvm.f.layout.method_hidden = 1 << 14;
	at = add_method(&cart, (struct fake_code_method){.code_size = 4});
	assert_int_equal(read_method(at), 0);
	assert_false(jvm.method.resolved->hidden);
	memcpy(&constants, fake_code_at(&jvm.f, at + jvm.f.layout.walk.method_const), 8);
	memcpy(fake_code_at(&jvm.f, constants + jvm.f.layout.walk.const_flags), &(uint32_t){1 << 14}, 4);
	assert_int_equal(read_method(at), 0);
	assert_true(jvm.method.resolved->hidden);
	assert_int_equal(jvm.method.resolved->number, 2);
	fixture_release();
}

CASE(modifiers_come_from_inner_classes_if_necessary)
{
	struct fake_code_class inner = {.name = "a/B$C", .access = 0x20, .inner_flags = 0x000a};

	fixture_init(FAKE_25);
	assert_int_equal(read_method(add_method(&inner, (struct fake_code_method){.access = 1})), 0);
	assert_int_equal(jvm.method.resolved->class_modifiers, 0x000a);
	assert_int_equal(read_method(add_method(&cart, (struct fake_code_method){.access = 1})), 0);
	assert_int_equal(jvm.method.resolved->class_modifiers, 0x0001); /* without ACC_SUPER */
	fixture_release();
}

CASE(method_is_numbered_once, begin, end)
{
	const struct fake_code_method m = {.access = 1, .code_size = 3}, other = {.name = "other", .access = 1};
	const struct resolved_method *first;
	uint64_t at;

	at = add_method(&cart, m);
	assert_int_equal(read_method(at), 0);
	first = jvm.method.resolved;
	assert_int_equal(read_method(add_method(&cart, other)), 0);
	assert_int_equal(jvm.method.resolved->number, 2);
	assert_int_equal(read_method(add_method(&cart, m)), 0);
	assert_ptr_equal(jvm.method.resolved, first);
	assert_int_equal(read_method(add_method(&loaded, m)), 0);
	assert_int_equal(jvm.method.resolved->number, 3);
	assert_int_equal(read_method(add_method(&loaded, m)), 0); /* from another loader of the same name */
	assert_int_equal(jvm.method.resolved->number, 4);
}

CASE(garbage_is_no_method, begin, end)
{
	static const struct fake_code_method bad[] = {
		{.name = "a.b"}, {.descriptor = "V"}, {.name = "a/b"}, {.descriptor = "("}, {.name = ""},
	};
	const struct fake_code_class dotted = {.name = "a.B"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(read_method(add_method(&cart, bad[i])), -EBADMSG);
	assert_int_equal(read_method(add_method(&dotted, (struct fake_code_method){.access = 1})), -EBADMSG);
	assert_int_equal(read_method(0x1000), -EFAULT);
	assert_int_equal(jvm.table.methods, 0);
}

/* Each read fails once: either it was needed, or the method is the same. */
CASE(unreadable_method_is_reported)
{
	unsigned int reads;
	uint64_t at;

	fixture_init(FAKE_25);
	at = add_method(&loaded,
			(struct fake_code_method){.access = 1, .code_size = 3, .lines = "\x08\0", .lines_size = 2});
	assert_int_equal(read_method(at), 0);
	reads = jvm.f.reads;
	assert_true(reads > 10);
	for (unsigned int n = 1; n <= reads; n++) {
		jvm.f.reads = 0;
		jvm.f.fail_first = jvm.f.fail_last = n;
		assert_true(read_method(at) == -EFAULT || jvm.method.resolved->number <= 3);
	}
	assert_true(jvm.table.methods <= 3); /* without the loader's type, or name */
	fixture_release();
}

CASE(missing_memory_for_a_method_is_reported)
{
	unsigned int n = 0;
	uint64_t at;
	int r = -1;

	fail_nth_or_skip();
	for (; r; n++) {
		fixture_init(FAKE_17);
		at = add_method(&loaded, (struct fake_code_method){
						 .access = 1, .code_size = 3, .lines = "\x08\0", .lines_size = 2});
		fail_nth(n + 1);
		r = read_method(at);
		fail_nth(0);
		assert_true(!r || r == -ENOMEM);
		fixture_release();
	}
	assert_true(n > 8);
}

/* javac puts line 10 at bci 0, 11 at 5, 12 at 9. */
CASE(lines_with_short_steps_are_decoded)
{
	static const unsigned char table[] = {0x00 << 3 | 5, 0xff, 0, 0, 0};
	unsigned char lines[] = {0xff, 0, 20, 5 << 3 | 1, 4 << 3 | 1, 0};

	assert_int_equal(method_line(table, sizeof(table), 0, 0), 5);
	for (int32_t bci = 0; bci < 20; bci++)
		assert_int_equal(method_line(lines, sizeof(lines), 0, bci), bci < 5 ? 10 : bci < 9 ? 11 : 12);
	assert_int_equal(method_line(lines, sizeof(lines), 0, -1), 10);
}

static size_t put_escape(unsigned char *to, unsigned int bias, int32_t bci, int32_t lines)
{
	size_t n = 1;

	to[0] = 0xff;
	n += fake_code_unsigned5(to + n, bias, (uint32_t)bci << 1 ^ (uint32_t)(bci >> 31));
	n += fake_code_unsigned5(to + n, bias, (uint32_t)lines << 1 ^ (uint32_t)(lines >> 31));
	return n;
}

CASE(lines_with_long_steps_are_decoded_in_both_encodings)
{
	unsigned char table[64];

	for (unsigned int bias = 0; bias < 2; bias++) {
		size_t n = put_escape(table, bias, 0, 4711);

		n += put_escape(table + n, bias, 300, -4000);
		n += put_escape(table + n, bias, 60000, 64824);
		table[n++] = 0;
		assert_int_equal(method_line(table, n, bias, 299), 4711);
		assert_int_equal(method_line(table, n, bias, 300), 711);
		assert_int_equal(method_line(table, n, bias, 60299), 711);
		assert_int_equal(method_line(table, n, bias, 65000), 65535);
	}
}

CASE(lines_need_not_be_sorted)
{
	unsigned char table[64];
	size_t n = put_escape(table, 0, 20, 7);

	n += put_escape(table + n, 0, -20, 1); /* 0: 8 */
	n += put_escape(table + n, 0, 10, 1);  /* 10: 9 */
	n += put_escape(table + n, 0, 0, 5);   /* 10: 14 */
	table[n++] = 0;
	assert_int_equal(method_line(table, n, 0, 5), 8);
	assert_int_equal(method_line(table, n, 0, 10), 9);  /* the first entry here */
	assert_int_equal(method_line(table, n, 0, 15), 14); /* the last entry before */
	assert_int_equal(method_line(table, n, 0, 25), 7);
}

CASE(truncated_or_absurd_line_tables_just_end)
{
	unsigned char table[16];
	size_t n = put_escape(table, 1, 100000, 100000);

	for (size_t size = 0; size <= n; size++)
		assert_int_equal(method_line(table, size, 1, 200000), -1);
	assert_int_equal(method_line((unsigned char[]){0xff, 0, 5}, 3, 1, 3), -1); /* no byte is 0 with the bias */
}

/* After the code, across pages, up to a limit. */
CASE(lines_are_read_to_their_end, begin, end)
{
	static unsigned char table[METHOD_LINES_MAX + 8192];
	struct fake_code_method m = {.access = 1, .code_size = 60000, .lines = table, .lines_size = sizeof(table)};

	memset(table, 0x08 | 1, sizeof(table));
	table[50000] = 0;
	assert_int_equal(read_method(add_method(&cart, m)), 0);
	assert_int_equal(jvm.method.lines_size, 50001);
	assert_int_equal(line(50000), 50000);
	table[50000] = 9;
	assert_int_equal(read_method(add_method(&cart, m)), 0);
	assert_int_equal(jvm.method.lines_size, 0);
	assert_int_equal(line(100), -1);
}

CASE(unsigned5_reads_what_was_written)
{
	static const uint32_t values[] = {0, 1, 190, 191, 192, 193, 255, 256, 12479, 12480, 65535, 1 << 20, UINT32_MAX};
	unsigned char b[8];
	uint32_t v;

	for (unsigned int bias = 0; bias < 2; bias++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			size_t n = fake_code_unsigned5(b, bias, values[i]);

			assert_int_equal(unsigned5_read(b, sizeof(b), bias, &v), n);
			assert_int_equal(v, values[i]);
			assert_int_equal(unsigned5_read(b, n - 1, bias, &v), 0);
		}
	}
	assert_int_equal(unsigned5_read((unsigned char[]){0}, 1, 0, &v), 1);
	assert_int_equal(unsigned5_read((unsigned char[]){0}, 1, 1, &v), 0);
}

CASE(lines_of_a_method_are_known)
{
	static const unsigned char lines[] = {0 << 3 | 5, 4 << 3 | 2, 3 << 3 | 1, 0}; /* 5, 7, 8 */

	for (int line = 0; line < 10; line++)
		assert_int_equal(method_has_line(lines, sizeof(lines), 0, line), line == 5 || line == 7 || line == 8);
	assert_true(method_has_line(NULL, 0, 0, 5));
	assert_true(method_has_line(lines + 3, 1, 0, 5));
}
