// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_vm.h"
#include "tests/lib/test.h"
#include "user/hotspot/fields.h"
#include "user/hotspot/threads.h"

#define BASE	0x7f7000000000ULL /* of the Java heap */
#define HANDLE	(BASE + 0x80)
#define THREAD	(BASE + 0x100)
#define STRING	(BASE + 0x200)
#define ARRAY	(BASE + 0x300)
#define HOLDER	(BASE + 0x600)
#define GROUP	(BASE + 0x680)
#define STRING2 (BASE + 0x700)
#define ARRAY2	(BASE + 0x780)
#define CLASSES 0x7f7100000000ULL /* 0x1000 bytes each */
#define CLASS	0x1000ULL
#define JAVA_ID 41

/* How a JVM writes objects. */
struct form {
	unsigned int reference; /* bytes; 0: ZGC's */
	unsigned int header, elements;
};

static const struct form usual = {4, 12, 16};
static struct fake_vm vm;
static struct thread_object found;

static int teardown(void **state)
{
	fake_vm_release(&vm);
	return 0;
}

struct field {
	const char *name, *descriptor;
	uint32_t offset, access;
};

static uint64_t put_symbol(uint64_t at, const char *text)
{
	const struct frt_layout *w = &vm.layout.walk;

	fake_mem_put(&vm.m, at + w->symbol_length + w->symbol_length_shift / 8, strlen(text), 2);
	fake_mem_put_text(&vm.m, at + w->symbol_body, text);
	return at;
}

/* Before JDK 21 elements of six shorts, later a stream of compressed numbers (fields.c). */
static void put_fields(uint64_t klass, const struct field *field, uint32_t count)
{
	const struct hotspot_layout *l = &vm.layout;
	uint64_t pool = klass + 0x400, symbols = klass + 0x800, array = klass + 0x200, at = array + l->array_u1;
	bool stream = l->klass_field_stream != FRT_NO_OFFSET;
	uint32_t bias = l->unsigned5_bias;

	fake_mem_put(&vm.m, klass + l->klass_pool, pool, 8);
	fake_mem_put(&vm.m, pool + l->pool_length, 2 * count + 1, 4);
	if (stream) {
		fake_mem_put(&vm.m, at++, count + bias, 1);
		fake_mem_put(&vm.m, at++, bias, 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct field *f = &field[i];
		uint32_t name = 2 * i + 1, descriptor = 2 * i + 2;
		const uint32_t row[] = {f->access, name, descriptor, 0, f->offset << 2 & 0xffff, f->offset >> 14};
		const uint32_t numbers[] = {name, descriptor, f->offset, f->access, 0};

		fake_mem_put(&vm.m, pool + l->walk.pool_size + 8 * name, put_symbol(symbols + 128 * i, f->name), 8);
		fake_mem_put(&vm.m, pool + l->walk.pool_size + 8 * descriptor,
			     put_symbol(symbols + 128 * i + 64, f->descriptor), 8);
		for (int n = 0; n < 6 && !stream; n++)
			fake_mem_put(&vm.m, array + l->array_u2 + 12 * i + 2 * n, row[n], 2);
		for (int n = 0; n < 5 && stream; n++)
			fake_mem_put(&vm.m, at++, numbers[n] + bias, 1);
	}
	if (stream) {
		fake_mem_put(&vm.m, array + l->array_length, at - array - l->array_u1, 4);
		fake_mem_put(&vm.m, klass + l->klass_field_stream, array, 8);
	} else {
		fake_mem_put(&vm.m, klass + l->klass_fields, array, 8);
		fake_mem_put(&vm.m, klass + l->klass_field_count, count, 2);
	}
}

static void put_class(uint64_t known_at, unsigned int number, const struct field *field, uint32_t count)
{
	assert_int_not_equal(known_at, 0);
	fake_mem_put(&vm.m, known_at, CLASSES + CLASS * number, 8);
	put_fields(CLASSES + CLASS * number, field, count);
}

static bool has_holder(void)
{
	return vm.layout.holder_class;
}

static void put_classes(const struct form *f)
{
	static const char group[] = "Ljava/lang/ThreadGroup;", string[] = "Ljava/lang/String;";
	uint32_t step = f->reference == 4 ? 4 : 8, at = 40;
	const struct field thread[] = {{"eetop", "J", 16, 0},
				       {"tid", "J", 24, 0},
				       {"name", string, at, 0},
				       {has_holder() ? "holder" : "group",
					has_holder() ? "Ljava/lang/Thread$FieldHolder;" : group, at + step, 0},
				       {"tid", "J", 4, FIELD_STATIC}};
	const struct field string_fields[] = {
		{"value", vm.jdk_version > 8 ? "[B" : "[C", 24, 0}, {"hash", "I", f->header, 0}, {"coder", "B", 20, 0}};
	const struct field holder[] = {{"group", group, 16, 0}}, of_group[] = {{"name", string, 16, 0}};

	put_class(vm.layout.thread_class, 0, thread, 5);
	put_class(vm.layout.string_class, 1, string_fields, vm.jdk_version > 8 ? 3 : 2);
	put_class(vm.layout.group_class, 2, of_group, 1);
	if (has_holder())
		put_class(vm.layout.holder_class, 3, holder, 1);
	thread_object_find_fields(&vm.layout, &vm.m.mem);
}

static void put_reference(const struct form *f, uint64_t at, uint64_t to)
{
	if (f->reference == 4)
		fake_mem_put(&vm.m, at, (to - BASE) >> 3, 4);
	else
		fake_mem_put(&vm.m, at, f->reference ? to : to << 14 | 1 << 13 | 0xf0, 8);
}

static void put_objects(const struct form *f)
{
	uint64_t at = vm.thread + vm.layout.thread_object;
	uint32_t step = f->reference == 4 ? 4 : 8;

	fake_mem_put(&vm.m, vm.layout.narrow_oop_base, BASE, 8);
	fake_mem_put(&vm.m, vm.layout.narrow_oop_shift, 3, 4);
	if (vm.jdk_version >= 16) {
		fake_mem_put(&vm.m, at, HANDLE, 8);
		at = HANDLE;
	}
	fake_mem_put(&vm.m, at, f->reference ? THREAD : THREAD << 14 | 1 << 13 | 0xf0, 8);
	fake_mem_put(&vm.m, THREAD + 16, vm.thread, 8);
	fake_mem_put(&vm.m, THREAD + 24, JAVA_ID, 8);
	put_reference(f, THREAD + 40, STRING);
	put_reference(f, THREAD + 40 + step, has_holder() ? HOLDER : GROUP);
	put_reference(f, HOLDER + 16, GROUP);
	put_reference(f, GROUP + 16, STRING2);
	put_reference(f, STRING + 24, ARRAY);
	put_reference(f, STRING2 + 24, ARRAY2);
}

/* `width`: bytes of a character. */
static void put_text(const struct form *f, uint64_t string, uint64_t array, const uint16_t *text, size_t n,
		     unsigned int width)
{
	fake_mem_put(&vm.m, array + f->header, vm.jdk_version > 8 ? n * width : n, 4);
	fake_mem_put(&vm.m, string + 20, width - 1, 1);
	for (size_t i = 0; i < n; i++)
		fake_mem_put(&vm.m, array + f->elements + i * width, text[i], width);
}

static void put_ascii(const struct form *f, uint64_t string, uint64_t array, const char *text)
{
	uint16_t wide[300];

	for (size_t i = 0; i < strlen(text); i++)
		wide[i] = (unsigned char)text[i];
	put_text(f, string, array, wide, strlen(text), vm.jdk_version > 8 ? 1 : 2);
}

static void vm_with(unsigned int jdk_version, const struct form *f, const char *name)
{
	fake_vm_init(&vm, jdk_version);
	fake_mem_map(&vm.m, BASE, 0x1000);
	fake_mem_map(&vm.m, CLASSES, 4 * CLASS);
	put_classes(f);
	put_objects(f);
	put_ascii(f, STRING, ARRAY, name);
	put_ascii(f, STRING2, ARRAY2, "main");
}

static int read_it(void)
{
	found = (struct thread_object){0};
	return thread_object_read(&found, &vm.layout, &vm.m.mem, vm.thread);
}

CASE(a_thread_is_read_in_each_version, NULL, teardown)
{
	for (const unsigned int *v = fake_vm_versions(); *v; v++) {
		vm_with(*v, &usual, "C1 CompilerThread0");
		assert_int_equal(read_it(), 0);
		assert_int_equal(found.java_id, JAVA_ID);
		assert_string_equal(found.name, "C1 CompilerThread0");
		assert_string_equal(found.group, "main");
		if (v[1])
			fake_vm_release(&vm);
	}
}

CASE(a_thread_is_read_whatever_objects_look_like, NULL, teardown)
{
	static const struct form forms[] = {
		{4, 8, 12},  /* compact headers */
		{8, 12, 16}, /* -XX:-UseCompressedOops */
		{8, 16, 20}, /* also without compressed classes */
		{0, 12, 16}, /* ZGC */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		vm_with(25, &forms[i], "a");
		assert_int_equal(read_it(), 0);
		assert_string_equal(found.name, "a");
		assert_string_equal(found.group, "main");
		fake_vm_release(&vm);
	}
	vm_with(21, &(struct form){8, 16, 24}, "before JDK 23");
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.name, "before JDK 23");
}

CASE(letters_of_all_alphabets_are_modified_utf8, NULL, teardown)
{
	uint16_t text[20] = {'W', 0xe4, 'r', 'm', 'e', ' ', '7'};

	vm_with(17, &usual, "");
	put_text(&usual, STRING, ARRAY, text, 7, 1);
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.name, "W\xc3\xa4rme 7");
	text[6] = 0x20ac;
	put_text(&usual, STRING, ARRAY, text, 7, 2);
	assert_int_equal(read_it(), 0);
	assert_string_equal(found.name, "W\xc3\xa4rme \xe2\x82\xac");
}

/* Its memory may be that of another object by now. */
CASE(an_object_that_is_not_of_this_thread_is_refused, NULL, teardown)
{
	vm_with(17, &usual, "worker");
	fake_mem_put(&vm.m, THREAD + 16, vm.thread + 8, 8);
	assert_int_equal(read_it(), -EAGAIN);
	fake_mem_put(&vm.m, THREAD + 16, 0, 8); /* it has ended */
	assert_int_equal(read_it(), -EAGAIN);
	fake_mem_put(&vm.m, vm.thread + vm.layout.thread_object, 0, 8);
	assert_int_equal(read_it(), -EAGAIN);
}

CASE(long_and_unreadable_names_do_no_harm, NULL, teardown)
{
	char text[301];

	memset(text, 'x', 300);
	text[300] = 0;
	vm_with(17, &usual, text);
	assert_int_equal(read_it(), 0);
	assert_in_range(strlen(found.name), 250, 255);
	fake_mem_put(&vm.m, ARRAY + usual.header, 0xffffffff, 4);
	assert_int_equal(read_it(), -EAGAIN);
	fake_mem_put(&vm.m, STRING + 20, 2, 1);
	assert_int_equal(read_it(), -EAGAIN);
	put_reference(&usual, THREAD + 40, BASE + 0x7ffff8);
	assert_true(read_it() < 0);
}

CASE(without_the_places_of_fields_nothing_is_read, NULL, teardown)
{
	struct hotspot_layout *l = &vm.layout;
	unsigned int reads;

	vm_with(17, &usual, "worker");
	l->thread_fields = (struct thread_fields){0};
	fake_mem_put(&vm.m, CLASSES + l->klass_field_count, 1, 2);
	thread_object_find_fields(l, &vm.m.mem);
	reads = vm.m.reads;
	assert_int_equal(read_it(), -ENOTSUP);
	assert_int_equal(vm.m.reads, reads);
	l->thread_class = 0;
	thread_object_find_fields(l, &vm.m.mem);
	assert_int_equal(read_it(), -ENOTSUP);
}
