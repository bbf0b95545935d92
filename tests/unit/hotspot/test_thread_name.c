// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_vm.h"
#include "user/hotspot/thread_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE   0x7f7000000000ULL /* of the Java heap */
#define HANDLE (BASE + 0x80)
#define THREAD (BASE + 0x100)
#define STRING (BASE + 0x200)
#define ARRAY  (BASE + 0x300)

/* How a JVM writes references and arrays. */
struct form {
	unsigned int reference; /* bytes; 0: ZGC's */
	unsigned int length, elements;
};

static const struct form usual = {4, 12, 16};
static struct fake_vm vm;
static char name[256];

static int teardown(void **state)
{
	fake_vm_release(&vm);
	return 0;
}

static void put_reference(const struct form *f, uint64_t at, uint64_t to)
{
	if (f->reference == 4)
		fake_mem_put(&vm.m, at, (to - BASE) >> 3, 4);
	else
		fake_mem_put(&vm.m, at, f->reference ? to : to << 14 | 1 << 13 | 0xf0, 8);
}

/* The JVM compresses references also if this form has none. */
static void put_object_of_thread(const struct form *f)
{
	uint64_t at = vm.thread + vm.layout.thread_object;

	assert_int_not_equal(vm.layout.thread_object, FRT_NO_OFFSET);
	fake_mem_put(&vm.m, vm.layout.narrow_oop_base, BASE, 8);
	fake_mem_put(&vm.m, vm.layout.narrow_oop_shift, 3, 4);
	if (vm.jdk_version >= 16) {
		fake_mem_put(&vm.m, at, HANDLE, 8);
		at = HANDLE;
	}
	fake_mem_put(&vm.m, at, f->reference ? THREAD : THREAD << 14 | 1 << 13 | 0xf0, 8);
}

static void vm_with(unsigned int jdk_version, const struct form *f)
{
	fake_vm_init(&vm, jdk_version);
	fake_mem_map(&vm.m, BASE, 0x1000);
	put_object_of_thread(f);
	put_reference(f, THREAD + 56, THREAD); /* what else a Thread refers to */
	put_reference(f, THREAD + 64, STRING);
	put_reference(f, STRING + (f->reference == 4 ? 12 : 16), ARRAY);
}

/* `width`: bytes of a character. */
static void put_text(const struct form *f, const uint16_t *text, size_t n, unsigned int width)
{
	fake_mem_put(&vm.m, ARRAY + f->length, vm.jdk_version > 8 ? n * width : n, 4);
	for (size_t i = 0; i < n; i++)
		fake_mem_put(&vm.m, ARRAY + f->elements + i * width, text[i], width);
}

static void put_ascii(const struct form *f, const char *text)
{
	uint16_t wide[256];

	for (size_t i = 0; i < strlen(text); i++)
		wide[i] = (unsigned char)text[i];
	put_text(f, wide, strlen(text), vm.jdk_version > 8 ? 1 : 2);
}

static int find(const char *kernel_name)
{
	name[0] = 0;
	return hotspot_thread_name(&vm.layout, &vm.m.mem, vm.thread, kernel_name, name, sizeof(name));
}

static void a_name_is_found_in_each_version(void **state)
{
	for (const unsigned int *v = fake_vm_versions(); *v; v++) {
		vm_with(*v, &usual);
		put_ascii(&usual, "C1 CompilerThread0");
		assert_int_equal(find("C1 CompilerThre"), 0);
		assert_string_equal(name, "C1 CompilerThread0");
		if (v[1])
			fake_vm_release(&vm);
	}
}

static void a_name_is_found_whatever_objects_look_like(void **state)
{
	static const struct form forms[] = {
		{4, 8, 12},  /* compact headers */
		{8, 12, 16}, /* -XX:-UseCompressedOops */
		{8, 16, 24}, /* also without compressed classes */
		{8, 16, 20}, /* the same since JDK 23 */
		{0, 12, 16}, /* ZGC */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		vm_with(25, &forms[i]);
		put_ascii(&forms[i], "ActiveMQ Journal Writer: 1");
		assert_int_equal(find("ActiveM..ter: 1"), 0);
		assert_string_equal(name, "ActiveMQ Journal Writer: 1");
		if (i + 1 < sizeof(forms) / sizeof(forms[0]))
			fake_vm_release(&vm);
	}
}

static void letters_of_all_alphabets_are_modified_utf8(void **state)
{
	uint16_t text[20] = {'W', 0xe4, 'r', 'm', 'e', 'p', 'u', 'm', 'p', 'e', ' ', 'N', 'o', '.', ' ', '7'};

	vm_with(17, &usual);
	put_text(&usual, text, 16, 1);
	assert_int_equal(find("W\xc3\xa4rmepumpe No."), 0);
	assert_string_equal(name, "W\xc3\xa4rmepumpe No. 7");
	text[15] = 0x20ac;
	put_text(&usual, text, 16, 2);
	assert_int_equal(find("W\xc3\xa4rmepumpe No."), 0);
	assert_string_equal(name, "W\xc3\xa4rmepumpe No. \xe2\x82\xac");
}

static void a_name_that_the_kernel_does_not_have_is_refused(void **state)
{
	vm_with(17, &usual);
	put_ascii(&usual, "C1 CompilerThread0");
	assert_int_equal(find("C2 CompilerThre"), -ENOENT);
	assert_int_equal(find("C1 Comp..hread1"), -ENOENT);
	put_ascii(&usual, "C1 CompilerThr"); /* 14 letters: it would not have been cut */
	assert_int_equal(find("C1 CompilerThr"), -ENOENT);
}

static void unreadable_memory_gives_no_name(void **state)
{
	vm_with(17, &usual);
	put_ascii(&usual, "C1 CompilerThread0");
	fake_mem_put(&vm.m, ARRAY + usual.length, 0x7fffffff, 4);
	assert_int_equal(find("C1 CompilerThre"), -ENOENT);
	put_reference(&usual, THREAD + 64, BASE + 0x7ffff8);
	assert_int_equal(find("C1 CompilerThre"), -ENOENT);
	fake_mem_put(&vm.m, HANDLE, 0x10, 8);
	assert_int_equal(find("C1 CompilerThre"), -ENOENT);
	fake_mem_put(&vm.m, vm.thread + vm.layout.thread_object, 0, 8);
	assert_int_equal(find("C1 CompilerThre"), -ENOENT);
}

static void a_name_that_does_not_fit_is_left_out(void **state)
{
	char text[101] = "C1 CompilerThread";

	memset(text + 17, 'x', 83);
	vm_with(17, &usual);
	put_ascii(&usual, text);
	assert_int_equal(hotspot_thread_name(&vm.layout, &vm.m.mem, vm.thread, "C1 CompilerThre", name, 64), -ENOENT);
	assert_int_equal(find("C1 CompilerThre"), 0);
	assert_string_equal(name, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_teardown(f, teardown)
		T(a_name_is_found_in_each_version),
		T(a_name_is_found_whatever_objects_look_like),
		T(letters_of_all_alphabets_are_modified_utf8),
		T(a_name_that_the_kernel_does_not_have_is_refused),
		T(unreadable_memory_gives_no_name),
		T(a_name_that_does_not_fit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
