// SPDX-License-Identifier: BSD-2-Clause
#include "format/diag.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_code.h"
#include "user/hotspot/resolve.h"
#include "tests/lib/test.h"

#define WALK_READ(w, to, size, address) mem_read((w)->context, address, to, size)
#define WALK_STACK(w, to, address)	mem_u64((w)->context, address, to)
#define WALK_CODE(w, pc, code)		walk_code_at(w, pc, code)
#include "bpf/walk.h"

/*
 * a/Outer.call (lines from 10), with a/Middle.inlined (20), with b/Inner.innermost (30), which is inlined at 40
 * and alone at 44.
 */
static struct fixture {
	struct fake_code f;
	struct resolver *r;
	uint64_t method[3], symbol; /* of the innermost class's name */
	uint64_t nmethod, wrapper;
	struct frt_frame inlined, alone, interpreted, native, native_interpreted;
	const struct resolved_frame *out;
	enum resolved_failure why;
} jvm;

static const struct fake_code_scope scopes[] = {{-1, 1, 6}, {0, 2, 4}, {1, 3, 1}, {-1, 1, -1}};
static const int pcs[][2] = {{40, 2}, {44, 3}, {60, 0}};
static const unsigned char lines[3][5] = {
	{0xff, 0, 20, 5 << 3 | 1, 0}, {0xff, 0, 40, 4 << 3 | 2, 0}, {0xff, 0, 60, 1 << 3 | 3, 0}};
static const unsigned char biased[3][5] = {
	{0xff, 1, 21, 5 << 3 | 1, 0}, {0xff, 1, 41, 4 << 3 | 2, 0}, {0xff, 1, 61, 1 << 3 | 3, 0}};

static uint32_t fingerprint(struct fake_code *f, uint64_t method)
{
	struct walk w = {.layout = &f->layout.walk, .context = &f->mem};

	return walk_fingerprint(&w, method);
}

static void add_methods(void)
{
	static const char *const names[3][2] = {{"a/Outer", "call"}, {"a/Middle", "inlined"}, {"b/Inner", "innermost"}};
	const unsigned char(*table)[5] = jvm.f.layout.unsigned5_bias ? biased : lines;

	for (size_t i = 0; i < 3; i++) {
		const struct fake_code_class c = {.name = names[i][0], .access = 1, .modifiers = 1};
		const struct fake_code_method m = {
			.klass = fake_code_class(&jvm.f, &c),
			.name = names[i][1],
			.descriptor = "()V",
			.access = 1,
			.code_size = 8,
			.lines = table[i],
			.lines_size = 5,
		};

		jvm.method[i] = fake_code_method(&jvm.f, &m);
		memcpy(&jvm.symbol, fake_code_at(&jvm.f, m.klass + jvm.f.layout.walk.klass_name), 8);
	}
}

static void add_native(void)
{
	const struct fake_code_class c = {.name = "a/Native", .access = 1, .modifiers = 1};
	const struct fake_code_method m = {
		.klass = fake_code_class(&jvm.f, &c), .name = "n", .descriptor = "()V", .access = 0x101};
	const uint64_t method = fake_code_method(&jvm.f, &m);
	const struct fake_code_nmethod n = {.compile_id = 6, .metadata = &method, .metadata_count = 1};

	jvm.wrapper = fake_code_nmethod(&jvm.f, &n);
	jvm.native = (struct frt_frame){jvm.wrapper, fake_code_pc(&jvm.f, jvm.wrapper, 12), 6, FRT_FRAME_NATIVE, 0};
	jvm.native_interpreted = (struct frt_frame){method, 0, fingerprint(&jvm.f, method), FRT_FRAME_INTERPRETED, 0};
}

static void fixture_init(enum fake_form form, bool spread)
{
	const struct fake_code_nmethod n = {.compile_id = 5,
					    .metadata = jvm.method,
					    .metadata_count = 3,
					    .scope = scopes,
					    .scopes = 4,
					    .pc = pcs,
					    .pcs = 3};
	uint64_t code;
	struct diag d;

	fake_code_init(&jvm.f, form);
	jvm.f.spread = spread;
	add_methods();
	jvm.nmethod = fake_code_nmethod(&jvm.f, &n);
	jvm.inlined = (struct frt_frame){jvm.nmethod, fake_code_pc(&jvm.f, jvm.nmethod, 40), 5, FRT_FRAME_COMPILED, 0};
	jvm.alone = (struct frt_frame){jvm.nmethod, fake_code_pc(&jvm.f, jvm.nmethod, 60), 5, FRT_FRAME_COMPILED, 0};
	memcpy(&code, fake_code_at(&jvm.f, jvm.method[2] + jvm.f.layout.walk.method_const), 8);
	code += jvm.f.layout.walk.const_size;
	jvm.interpreted = (struct frt_frame){jvm.method[2], code + 1, fingerprint(&jvm.f, jvm.method[2]),
					     FRT_FRAME_INTERPRETED, 0};
	add_native();
	jvm.f.reads = 0;
	assert_int_equal(resolver_new(&jvm.r, &jvm.f.mem, &jvm.f.layout, &d), 0);
}

static void fixture_release(void)
{
	resolver_free(jvm.r);
	fake_code_release(&jvm.f);
}

static size_t resolve(const struct frt_frame *f)
{
	return resolver_frame(jvm.r, f, &jvm.out, &jvm.why);
}

static void assert_frame(const struct resolved_frame *f, const char *class, const char *name, int32_t bci, int32_t line,
			 enum resolved_kind kind)
{
	assert_string_equal(f->method->class_name, class);
	assert_string_equal(f->method->name, name);
	assert_int_equal(f->bci, bci);
	assert_int_equal(f->line, line);
	assert_int_equal(f->kind, kind);
}

static void assert_inlined(void)
{
	assert_frame(&jvm.out[0], "b/Inner", "innermost", 1, 33, RESOLVED_INLINED);
	assert_frame(&jvm.out[1], "a/Middle", "inlined", 4, 22, RESOLVED_INLINED);
	assert_frame(&jvm.out[2], "a/Outer", "call", 6, 11, RESOLVED_JIT);
}

static int begin(void **state)
{
	fixture_init(FAKE_17, false);
	return 0;
}

static int end(void **state)
{
	fixture_release();
	return 0;
}

CASE(compiled_frame_has_all_its_methods)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {

		fixture_init(form, false);
		assert_int_equal(resolve(&jvm.inlined), 3);
		assert_int_equal(jvm.why, RESOLVE_OK);
		assert_inlined();
		assert_int_equal(resolve(&jvm.alone), 1);
		assert_frame(&jvm.out[0], "a/Outer", "call", 6, 11, RESOLVED_JIT);
		fixture_release();
	}
}

CASE(compiled_frame_at_the_entry_has_the_first_line, begin, end)
{
	jvm.alone.at = fake_code_pc(&jvm.f, jvm.nmethod, 44);
	assert_int_equal(resolve(&jvm.alone), 1);
	assert_frame(&jvm.out[0], "a/Outer", "call", -1, 10, RESOLVED_JIT);
}

CASE(compiled_frame_without_debug_information_is_reported, begin, end)
{
	jvm.alone.at++;
	assert_int_equal(resolve(&jvm.alone), 0);
	assert_int_equal(jvm.why, RESOLVE_NO_SCOPE);
}

CASE(compiled_frame_at_a_leaf_call_has_its_own_method_alone, begin, end)
{
	jvm.alone.at++;
	jvm.alone.flags |= FRT_FRAME_LEAF;
	assert_int_equal(resolve(&jvm.alone), 1);
	assert_frame(&jvm.out[0], "a/Outer", "call", -1, -1, RESOLVED_JIT);
	jvm.inlined.flags |= FRT_FRAME_LEAF; /* where there is a scope, it counts */
	assert_int_equal(resolve(&jvm.inlined), 3);
}

CASE(interpreted_frame_has_its_bci_and_line)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {

		fixture_init(form, false);
		assert_int_equal(resolve(&jvm.interpreted), 1);
		assert_frame(&jvm.out[0], "b/Inner", "innermost", 1, 33, RESOLVED_INTERPRETED);
		jvm.interpreted.at--;
		assert_int_equal(resolve(&jvm.interpreted), 1);
		assert_frame(&jvm.out[0], "b/Inner", "innermost", 0, 30, RESOLVED_INTERPRETED);
		fixture_release();
	}
}

CASE(interpreted_frame_outside_of_its_code_has_no_line, begin, end)
{
	static const int64_t off[] = {-2, 7, 1 << 20, -(1 << 20)};

	for (size_t i = 0; i < 4; i++) {
		struct frt_frame f = jvm.interpreted;

		f.at += off[i];
		assert_int_equal(resolve(&f), 1);
		assert_frame(&jvm.out[0], "b/Inner", "innermost", -1, -1, RESOLVED_INTERPRETED);
	}
	jvm.interpreted.at = 0;
	assert_int_equal(resolve(&jvm.interpreted), 1);
	assert_frame(&jvm.out[0], "b/Inner", "innermost", -1, -1, RESOLVED_INTERPRETED);
}

#define MOVED (FAKE_BASE + FAKE_SIZE - 4096)

CASE(method_redefined_as_it_was_is_read_anew, begin, end)
{
	uint64_t constants;

	assert_int_equal(resolve(&jvm.interpreted), 1);
	/* the same names, size and lines at another place */
	memcpy(&constants, fake_code_at(&jvm.f, jvm.method[2] + jvm.f.layout.walk.method_const), 8);
	memcpy(fake_code_at(&jvm.f, MOVED), fake_code_at(&jvm.f, constants), 256);
	constants = MOVED;
	memcpy(fake_code_at(&jvm.f, jvm.method[2] + jvm.f.layout.walk.method_const), &constants, 8);
	jvm.interpreted.at = MOVED + jvm.f.layout.walk.const_size + 1;
	assert_int_equal(resolve(&jvm.interpreted), 1);
	assert_frame(&jvm.out[0], "b/Inner", "innermost", 1, 33, RESOLVED_INTERPRETED);
}

CASE(native_frames_are_as_jfr_has_them)
{
	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {

		fixture_init(form, false);
		assert_int_equal(resolve(&jvm.native), 1);
		assert_frame(&jvm.out[0], "a/Native", "n", 0, -1, RESOLVED_NATIVE);
		assert_int_equal(resolve(&jvm.native_interpreted), 1);
		assert_frame(&jvm.out[0], "a/Native", "n", 0, -1, RESOLVED_NATIVE);
		fixture_release();
	}
}

CASE(frames_that_are_not_the_resolvers_are_unknown, begin, end)
{
	jvm.inlined.kind = FRT_FRAME_NAMED;
	assert_int_equal(resolve(&jvm.inlined), 0);
	assert_int_equal(jvm.why, RESOLVE_UNKNOWN);
	jvm.inlined.kind = FRT_FRAME_COMPILED;
	jvm.f.layout.without = HOTSPOT_NO_METHODS;
	assert_int_equal(resolve(&jvm.inlined), 0);
	assert_int_equal(jvm.why, RESOLVE_UNKNOWN);
	assert_int_equal(resolve(&jvm.interpreted), 1);
}

CASE(equal_methods_have_equal_numbers, begin, end)
{
	uint32_t number;

	assert_int_equal(resolve(&jvm.inlined), 3);
	number = jvm.out[0].method->number;
	assert_true(number != jvm.out[1].method->number);
	assert_int_equal(resolve(&jvm.interpreted), 1);
	assert_int_equal(jvm.out[0].method->number, number);
}

CASE(cached_frame_is_resolved_without_the_target)
{
	unsigned int reads;

	fixture_init(FAKE_17, true);
	resolve(&jvm.inlined);
	resolve(&jvm.interpreted);
	resolve(&jvm.native);
	reads = jvm.f.reads;
	jvm.f.fail_first = 1;
	jvm.f.fail_last = UINT32_MAX;
	assert_int_equal(resolve(&jvm.inlined), 3);
	assert_inlined();
	assert_int_equal(resolve(&jvm.native), 1);
	assert_int_equal(resolve(&jvm.interpreted), 1);
	jvm.interpreted.at--; /* another bytecode of a method that is known */
	assert_int_equal(resolve(&jvm.interpreted), 1);
	assert_frame(&jvm.out[0], "b/Inner", "innermost", 0, 30, RESOLVED_INTERPRETED);
	assert_int_equal(jvm.f.reads, reads);
	fixture_release();
}

CASE(a_new_frame_costs_few_reads)
{
	fixture_init(FAKE_25, true);
	resolve(&jvm.interpreted);
	assert_in_range(jvm.f.reads, 2, 20);
	jvm.f.reads = 0;
	resolve(&jvm.inlined);
	assert_in_range(jvm.f.reads, 2, 40);
	jvm.f.reads = 0;
	resolve(&jvm.alone); /* header, program counters, scopes; the header again */
	assert_in_range(jvm.f.reads, 2, 6);
	fixture_release();
}

CASE(stale_cookie_is_reported, begin, end)
{
	jvm.inlined.cookie = 4;
	assert_int_equal(resolve(&jvm.inlined), 0);
	assert_int_equal(jvm.why, RESOLVE_CHANGED);
	jvm.native.cookie = 4;
	assert_int_equal(resolve(&jvm.native), 0);
	assert_int_equal(jvm.why, RESOLVE_CHANGED);
	jvm.interpreted.cookie ^= 0x100;
	assert_int_equal(resolve(&jvm.interpreted), 0);
	assert_int_equal(jvm.why, RESOLVE_CHANGED);
}

/* A Method named by an nmethod with id 5 is not one with fingerprint 5. */
CASE(a_compile_id_is_no_fingerprint, begin, end)
{
	assert_int_equal(resolve(&jvm.inlined), 3);
	jvm.interpreted.cookie = jvm.inlined.cookie;
	assert_int_equal(resolve(&jvm.interpreted), 0);
	assert_int_equal(jvm.why, RESOLVE_CHANGED);
}

static void rename_inner(struct fake_code *f)
{
	memcpy(fake_code_at(f, jvm.symbol + f->layout.walk.symbol_body), "b/Other", 7);
}

/* Replace the code by other code with other methods. */
static void evict(struct fake_code *f)
{
	rename_inner(f);
	memcpy(fake_code_at(f, jvm.nmethod + f->layout.walk.nmethod_compile_id), &(uint32_t){9}, 4);
}

/* The bytes stay, but the block is free. */
static void release(struct fake_code *f)
{
	rename_inner(f);
	*(uint8_t *)fake_code_at(f, jvm.nmethod - f->layout.walk.block_size + f->layout.walk.block_used) = 0;
}

static void become_zombie(struct fake_code *f)
{
	rename_inner(f);
	*(uint8_t *)fake_code_at(f, jvm.nmethod + f->layout.nmethod_state) = 3;
}

/* Its tables are freed first. */
static void free_immutable(struct fake_code *f)
{
	rename_inner(f);
	memset(fake_code_at(f, jvm.nmethod + f->layout.nmethod_immutable), 0x11, 8);
}

/*
 * Change memory before each read in turn: the frame is resolved as before, or not at all. Returns how often it was
 * not.
 */
static unsigned int change_at_each_read(enum fake_form form, void (*change)(struct fake_code *f), bool interpreted)
{
	unsigned int changed = 0;

	for (unsigned int n = 1; n <= 40; n++) {
		size_t count;

		fixture_init(form, true);
		jvm.f.change = change;
		jvm.f.change_at = n;
		count = resolve(interpreted ? &jvm.interpreted : &jvm.inlined);
		if (count) {
			assert_frame(&jvm.out[0], "b/Inner", "innermost", 1, 33,
				     interpreted ? RESOLVED_INTERPRETED : RESOLVED_INLINED);
		} else {
			/* tables that were missing from the beginning are not a change */
			assert_true(jvm.why == RESOLVE_CHANGED || change == free_immutable);
			assert_int_equal(resolve(interpreted ? &jvm.interpreted : &jvm.inlined), 0);
			changed++;
		}
		fixture_release();
	}
	return changed;
}

/* A read that begins in the line table cannot cross its page. */
struct cut_mem {
	struct mem mem;
	const struct mem *under;
	uint64_t lines, lines_end, end;
};

static int cut_read(const struct mem *m, uint64_t address, void *to, size_t size)
{
	const struct cut_mem *c = (const struct cut_mem *)m;

	if (address >= c->lines && address < c->lines_end && address + size > c->end)
		return -EFAULT;
	return mem_read(c->under, address, to, size);
}

static uint64_t lines_of(struct fake_code *f, uint64_t method, uint16_t code_size)
{
	uint64_t constants;

	memcpy(&constants, fake_code_at(f, method + f->layout.walk.method_const), 8);
	return constants + f->layout.walk.const_size + code_size;
}

/* A method whose line table of 60 bytes ends `left` bytes before the end of its page, `end`. */
static uint64_t method_before(struct fake_code *f, uint64_t klass, uint64_t end, unsigned int left)
{
	static const char table[60] = "line tables are no text, but this one is; no zero before it";
	const struct fake_code_method m = {.klass = klass,
					   .name = "n",
					   .descriptor = "()V",
					   .access = 1,
					   .code_size = 8 + (4 - left) % 8,
					   .lines = table,
					   .lines_size = sizeof(table)};
	size_t used = f->used = (f->used + 7) / 8 * 8;
	uint64_t distance = lines_of(f, fake_code_method(f, &m), m.code_size) - (FAKE_BASE + used), method;

	f->used = end - left - sizeof(table) - distance - FAKE_BASE;
	method = fake_code_method(f, &m);
	assert_int_equal(lines_of(f, method, m.code_size) + sizeof(table) + left, end);
	return method;
}

CASE(bytes_after_the_line_table_do_not_change_the_fingerprint)
{
	const struct fake_code_class c = {.name = "a/B", .access = 1, .modifiers = 1};
	struct fake_code f;
	struct cut_mem cut = {.mem.read = cut_read, .under = &f.mem};
	struct walk w = {.layout = &f.layout.walk, .context = &cut.mem};
	uint64_t klass, method;

	fake_code_init(&f, FAKE_8);
	klass = fake_code_class(&f, &c);
	for (unsigned int left = 0; left < 70; left++) {
		cut.end = FAKE_BASE + (f.used / 4096 + 2) * 4096;
		method = method_before(&f, klass, cut.end, left);
		cut.lines_end = cut.end - left;
		cut.lines = cut.lines_end - 60;
		assert_int_equal(walk_fingerprint(&w, method), fingerprint(&f, method));
	}
	fake_code_release(&f);
}

CASE(code_evicted_between_two_reads_is_reported)
{
	assert_true(change_at_each_read(FAKE_17, evict, false) > 10);
	assert_true(change_at_each_read(FAKE_25, evict, false) > 10);
	assert_true(change_at_each_read(FAKE_17, release, false) > 10);
	assert_true(change_at_each_read(FAKE_8, become_zombie, false) > 10);
	assert_true(change_at_each_read(FAKE_25, free_immutable, false) > 10);
}

CASE(method_replaced_between_two_reads_is_reported)
{
	assert_true(change_at_each_read(FAKE_17, rename_inner, true) > 5);
	assert_true(change_at_each_read(FAKE_25, rename_inner, true) > 5);
}

CASE(unreadable_memory_is_reported)
{
	for (unsigned int n = 1; n < 60; n++) {
		size_t count;

		fixture_init(FAKE_25, true);
		jvm.f.fail_first = n;
		jvm.f.fail_last = UINT32_MAX;
		count = resolve(&jvm.inlined);
		if (count)
			assert_inlined();
		else
			assert_int_equal(jvm.why, RESOLVE_UNREADABLE);
		jvm.f.fail_first = 0;
		assert_int_equal(resolve(&jvm.inlined), 3);
		assert_inlined();
		fixture_release();
	}
}

CASE(missing_memory_is_reported)
{
	bool happened = true;

	fail_nth_or_skip();
	for (unsigned int n = 1; happened; n++) {

		fixture_init(FAKE_17, false);
		fail_nth(n);
		if (resolve(&jvm.inlined))
			assert_inlined();
		else
			assert_int_equal(jvm.why, RESOLVE_MEMORY);
		happened = fail_nth_end();
		assert_int_equal(resolve(&jvm.inlined), 3);
		assert_inlined();
		fixture_release();
	}
}

/* More frames than the cache holds: the first ones are read again, all are right, and methods keep their numbers. */
CASE(frames_beyond_the_cache_are_read_again, begin, end)
{
	uint32_t number;

	resolve(&jvm.inlined);
	number = jvm.out[0].method->number;
	for (uint64_t at = 0; at < 70000; at++) {
		struct frt_frame f = jvm.interpreted;

		f.at = 1 + at;
		assert_int_equal(resolve(&f), 1);
		assert_int_equal(jvm.out[0].method->number, number);
	}
	jvm.f.reads = 0;
	assert_int_equal(resolve(&jvm.inlined), 3);
	assert_true(jvm.f.reads > 0);
	assert_inlined();
	assert_int_equal(jvm.out[0].method->number, number);
}

#ifdef __SANITIZE_ADDRESS__ /* it takes milliseconds for the memory of a resolver */
#define CORRUPT_EACH 11
#else
#define CORRUPT_EACH 1
#endif

/* Corrupt each byte in turn: nothing is read out of bounds, and it ends. */
CASE(corrupt_memory_is_harmless)
{
	static const unsigned char wrong[] = {0xff, 0x80, 0x01};

	for (enum fake_form form = FAKE_8; form < FAKE_FORMS; form++) {
		struct diag d;

		fixture_init(form, false);
		for (size_t i = form % CORRUPT_EACH; i < jvm.f.used; i += CORRUPT_EACH) {
			unsigned char *byte = jvm.f.data + i, was = *byte;
			struct resolver *r;

			assert_int_equal(resolver_new(&r, &jvm.f.mem, &jvm.f.layout, &d), 0);
			*byte ^= wrong[(i + form) % 3];
			jvm.f.reads = 0;
			assert_in_range(resolver_frame(r, &jvm.inlined, &jvm.out, &jvm.why), 0, RESOLVED_DEPTH);
			assert_in_range(resolver_frame(r, &jvm.interpreted, &jvm.out, &jvm.why), 0, 1);
			assert_in_range(jvm.f.reads, 0, 1000);
			*byte = was;
			resolver_free(r);
		}
		fixture_release();
	}
}
