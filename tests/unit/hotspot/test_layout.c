// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_vm.h"
#include "bpf/machine/machine.h"
#include "tests/lib/test.h"
#include "user/hotspot/threads.h"
#include "tests/lib/test.h"

CASE(nothing_is_missing_in_known_versions)
{
	for (const unsigned int *v = fake_vm_versions(); *v; v++) {
		struct fake_vm vm;

		fake_vm_init(&vm, *v);
		assert_string_equal(vm.layout.missing, "");
		assert_int_equal(vm.layout.without, 0);
		assert_int_equal(vm.layout.walk.jdk_version, *v);
		assert_int_equal(vm.layout.walk.heaps, *v > 8 ? 3 : 1);
		assert_int_equal(vm.layout.walk.call_stub_return, vm.call_stub);
		assert_int_equal(vm.layout.walk.interpreter, vm.interpreter);
		assert_int_equal(vm.layout.walk.interpreter_end, vm.interpreter + 0x800);
		assert_int_equal(vm.layout.exceptions, vm.interpreter + 0x120);
		assert_int_equal(vm.layout.exceptions_end, vm.interpreter + 0x220);
		fake_vm_release(&vm);
	}
}

/* Measured on live JVMs. For 17 and 25, JNIEnv - JavaThread is 688 and 1184. */
CASE(fields_are_where_live_jvms_have_them)
{
	static const struct {
		unsigned int jdk_version, env, osthread, hidden, hidden_width, klass_flags, loader_klass, access_width;
		int bcp, gone;
	} known[] = {
		{8, 608, 392, 43, 1, FRT_NO_OFFSET, FRT_NO_OFFSET, 4, -7, 2},
		{11, 848, 624, 42, 2, 314, 120, 4, WALK_BYTECODE, 3},
		{17, 688, 560, 50, 2, 166, 120, 4, WALK_BYTECODE, 3},
		{21, 960, 792, 28, 4, 178, 128, 4, WALK_BYTECODE, 127},
		{25, 1184, 1016, 28, 4, 16, 128, 2, WALK_BYTECODE, 127},
		{26, 1160, 992, 28, 4, 16, 128, 2, WALK_BYTECODE, 127},
		{27, 1160, 992, 28, 4, 14, 128, 2, WALK_BYTECODE, 127},
		{28, 1152, 984, 28, 4, 14, 128, 2, WALK_BYTECODE, 127},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct fake_vm vm;
		const struct hotspot_layout *l = &vm.layout;

		fake_vm_init(&vm, known[i].jdk_version);
		assert_int_equal(l->walk.thread_env, known[i].env);
		assert_int_equal(l->thread_osthread, known[i].osthread);
		assert_int_equal(l->method_flags, known[i].hidden);
		assert_int_equal(l->method_flags_width, known[i].hidden_width);
		assert_int_equal(l->klass_flags, known[i].klass_flags);
		assert_int_equal(l->loader_klass, known[i].loader_klass);
		assert_int_equal(l->klass_access_width, known[i].access_width);
		assert_int_equal(l->walk.interpreter_bcp, known[i].bcp);
		assert_int_equal(l->nmethod_gone, known[i].gone);
		fake_vm_release(&vm);
	}
}

CASE(forms_follow_the_version)
{
	static const struct {
		unsigned int jdk_version;
		enum hotspot_scopes scopes;
		enum hotspot_metadata metadata;
		enum hotspot_code_begin code;
		enum hotspot_threads threads;
		unsigned int bias, deopt_is_offset, second_handler;
	} known[] = {
		{8, HOTSPOT_SCOPES_INSIDE, HOTSPOT_METADATA_INSIDE, HOTSPOT_CODE_OFFSET, HOTSPOT_THREADS_CHAIN, 0, 1,
		 1},
		{11, HOTSPOT_SCOPES_POINTER, HOTSPOT_METADATA_INSIDE, HOTSPOT_CODE_POINTER, HOTSPOT_THREADS_CHAIN, 0, 0,
		 1},
		{17, HOTSPOT_SCOPES_POINTER, HOTSPOT_METADATA_INSIDE, HOTSPOT_CODE_POINTER, HOTSPOT_THREADS_LIST, 0, 0,
		 1},
		{21, HOTSPOT_SCOPES_POINTER, HOTSPOT_METADATA_INSIDE, HOTSPOT_CODE_POINTER, HOTSPOT_THREADS_LIST, 1, 0,
		 1},
		{25, HOTSPOT_SCOPES_IMMUTABLE, HOTSPOT_METADATA_MUTABLE, HOTSPOT_CODE_OFFSET, HOTSPOT_THREADS_LIST, 1,
		 1, 1},
		{26, HOTSPOT_SCOPES_IMMUTABLE, HOTSPOT_METADATA_MUTABLE, HOTSPOT_CODE_OFFSET, HOTSPOT_THREADS_LIST, 1,
		 1, 0},
		{28, HOTSPOT_SCOPES_IMMUTABLE, HOTSPOT_METADATA_MUTABLE, HOTSPOT_CODE_OFFSET, HOTSPOT_THREADS_LIST, 1,
		 1, 0},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct fake_vm vm;
		const struct hotspot_layout *l = &vm.layout;

		fake_vm_init(&vm, known[i].jdk_version);
		assert_int_equal(l->scopes_form, known[i].scopes);
		assert_int_equal(l->metadata_form, known[i].metadata);
		assert_int_equal(l->code_form, known[i].code);
		assert_int_equal(l->threads_form, known[i].threads);
		assert_int_equal(l->unsigned5_bias, known[i].bias);
		assert_int_equal(l->walk.nmethod_deopt_is_offset, known[i].deopt_is_offset);
		assert_int_equal(l->walk.nmethod_deopt[1] != FRT_NO_OFFSET, known[i].second_handler);
		fake_vm_release(&vm);
	}
}

CASE(classes_are_found_in_every_version)
{
	static const struct {
		unsigned int jdk_version, next, klasses, methods, annotations, mask;
		bool pool_major;
	} known[] = {
		{8, 136, 40, 384, 200, 0x80, false}, {11, 144, 56, 408, 208, 0x80, false},
		{17, 144, 56, 408, 208, 0x80, true}, {21, 144, 56, 400, 200, 0x80, true},
		{25, 144, 56, 400, 200, 0x80, true}, {26, 144, 56, 400, 200, 0x80, true},
		{27, 144, 56, 400, 200, 0x80, true}, {28, 144, 56, 416, 200, 0x80, true},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct fake_vm vm;
		const struct hotspot_layout *l = &vm.layout;

		fake_vm_init(&vm, known[i].jdk_version);
		assert_int_equal(l->without, 0);
		assert_true(l->loaders == fake_vm_value(&vm, "static", "ClassLoaderDataGraph._head"));
		assert_int_equal(l->klass_next, known[i].next);
		assert_int_equal(l->loader_klasses, known[i].klasses);
		assert_int_equal(l->klass_methods, known[i].methods);
		assert_int_equal(l->klass_annotations, known[i].annotations);
		assert_int_equal(l->const_has_annotations, known[i].mask);
		assert_int_equal(l->klass_linked, 2);
		assert_int_equal(l->klass_failed, 5);
		assert_int_equal(l->pool_major != FRT_NO_OFFSET, known[i].pool_major);
		assert_int_equal(l->klass_major != FRT_NO_OFFSET, !known[i].pool_major);
		assert_int_equal(l->narrow_base && l->narrow_shift, known[i].jdk_version == 8);
		fake_vm_release(&vm);
	}
}

CASE(newer_jvm_is_read_by_the_newest_rules)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 26);
	fake_vm_set_static(&vm, "Abstract_VM_Version._vm_major_version", 31);
	assert_int_equal(fake_vm_read_layout(&vm), 0);
	assert_int_equal(vm.layout.walk.jdk_version, 31);
	assert_string_equal(vm.layout.missing, "");
	fake_vm_release(&vm);
}

CASE(missing_entry_is_named_with_its_consequence)
{
	static const struct {
		const char *kind, *name, *text;
		unsigned int without;
	} known[] = {
		{"offset", "JavaThread._anchor", "JavaThread._anchor (stacks), JavaFrameAnchor (stacks)",
		 HOTSPOT_NO_STACKS},
		{"offset", "nmethod._immutable_data", "nmethod._immutable_data (compiled methods)", HOTSPOT_NO_METHODS},
		{"offset", "UpcallStub._frame_data_offset", "UpcallStub._frame_data_offset (upcalls)",
		 HOTSPOT_NO_UPCALLS},
		{"static", "ClassLoaderDataGraph._head", "ClassLoaderDataGraph._head (classes)", HOTSPOT_NO_CLASSES},
		{"offset", "InstanceKlass._methods", "InstanceKlass._methods (classes)", HOTSPOT_NO_CLASSES},
		{"offset", "OSThread._thread_id", "OSThread._thread_id (threads)", HOTSPOT_NO_THREADS},
		{"size", "ClassLoaderData", "ClassLoaderData (loaders)", HOTSPOT_NO_LOADERS},
		{"constant", "ConstMethodFlags::_misc_has_linenumber_table",
		 "ConstMethod::_has_linenumber_table (lines)", HOTSPOT_NO_LINES},
		{"offset", "nmethod._state", "", 0},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct fake_vm vm;

		fake_vm_init(&vm, 25);
		fake_vm_forget(&vm, known[i].kind, known[i].name);
		assert_int_equal(fake_vm_read_layout(&vm), 0);
		assert_string_equal(vm.layout.missing, known[i].text);
		assert_int_equal(vm.layout.without, known[i].without);
		assert_int_equal(vm.layout.walk.jdk_version, known[i].without == HOTSPOT_NO_STACKS ? 0 : 25);
		fake_vm_release(&vm);
	}
}

CASE(offset_that_does_not_fit_is_missing)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_mem_put(&vm.m, fake_vm_row(&vm, "offset", "CodeBlob._name")->address + 32, 0x10000, 8);
	assert_int_equal(fake_vm_read_layout(&vm), 0);
	assert_string_equal(vm.layout.missing, "CodeBlob._name (stacks)");
	assert_int_equal(vm.layout.walk.jdk_version, 0);
	fake_vm_release(&vm);
}

CASE(long_list_of_what_is_missing_is_cut)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	for (int i = 0; i < vm.rows; i++)
		if (!strncmp(vm.row[i].name, "nmethod", 7) || !strncmp(vm.row[i].name, "ConstM", 6) ||
		    !strncmp(vm.row[i].name, "CodeBlob", 8))
			fake_vm_forget(&vm, vm.row[i].kind, vm.row[i].name);
	assert_int_equal(fake_vm_read_layout(&vm), 0);
	assert_int_equal(strlen(vm.layout.missing), sizeof(vm.layout.missing) - 1);
	fake_vm_release(&vm);
}

CASE(uninitialised_jvm_gives_eagain)
{
	static const char *const names[] = {"Abstract_VM_Version._vm_major_version", "CodeCache._heaps",
					    "AbstractInterpreter._code", "StubRoutines._call_stub_return_address"};

	for (int i = 0; i < 4; i++) {
		struct fake_vm vm;

		fake_vm_init(&vm, 25);
		fake_vm_set_static(&vm, names[i], 0);
		assert_int_equal(fake_vm_read_layout(&vm), -EAGAIN);
		assert_int_equal(vm.layout.walk.jdk_version, 0);
		fake_vm_release(&vm);
	}
}

/* The JVM publishes its code heaps before it reserves their memory. */
CASE(unreserved_code_heaps_of_a_starting_jvm_give_eagain)
{
	struct fake_vm vm;
	uint64_t array, heap, memory;

	fake_vm_init(&vm, 17);
	array = FAKE_VM_STATICS + 0x1000;
	memcpy(&heap, fake_mem_at(&vm.m, array + 64, 8), 8);
	memory = heap + fake_vm_value(&vm, "offset", "CodeHeap._memory");
	memset(fake_mem_at(&vm.m, memory, 32), 0, 32);
	assert_int_equal(fake_vm_read_layout(&vm), -EBADMSG);
	fake_vm_set_static(&vm, "AbstractInterpreter._code", 0);
	assert_int_equal(fake_vm_read_layout(&vm), -EAGAIN);
	assert_int_equal(vm.layout.walk.jdk_version, 0);
	fake_vm_release(&vm);
}

CASE(impossible_version_is_refused)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 26);
	fake_vm_set_static(&vm, "Abstract_VM_Version._vm_major_version", 7);
	assert_int_equal(fake_vm_read_layout(&vm), -EBADMSG);
	fake_vm_set_static(&vm, "Abstract_VM_Version._vm_major_version", 200);
	assert_int_equal(fake_vm_read_layout(&vm), -EBADMSG);
	fake_vm_forget(&vm, "static", "Abstract_VM_Version._vm_major_version");
	assert_int_equal(fake_vm_read_layout(&vm), -EBADMSG);
	assert_string_equal(vm.d.text, "the JVM's tables do not say its version");
	fake_vm_release(&vm);
}

/* Places in the first code heap of a fake JDK 17, with impossible values. */
CASE(implausible_code_cache_is_refused)
{
	struct fake_vm vm;
	uint64_t array, heap, memory, segmap, queue;

	fake_vm_init(&vm, 17);
	array = FAKE_VM_STATICS + 0x1000;
	memcpy(&heap, fake_mem_at(&vm.m, array + 64, 8), 8);
	memory = heap + fake_vm_value(&vm, "offset", "CodeHeap._memory");
	segmap = heap + fake_vm_value(&vm, "offset", "CodeHeap._segmap");
	memcpy(&queue, fake_mem_at(&vm.m, fake_vm_value(&vm, "static", "AbstractInterpreter._code"), 8), 8);
	{
		const struct {
			uint64_t address, value;
			int width, expected;
		} wrong[] = {
			{memory, FAKE_VM_CODE + FAKE_VM_HEAP, 8, -EBADMSG},	     /* low is high */
			{memory, 0, 8, -EBADMSG},				     /* 128 TB of code */
			{memory + 24, FAKE_VM_CODE - 8, 8, -EBADMSG},		     /* committed below low */
			{memory + 24, FAKE_VM_CODE + FAKE_VM_HEAP + 8, 8, -EBADMSG}, /* or above high */
			{segmap + 8, FAKE_VM_SEGMAP + 8, 8, -EBADMSG},		     /* a map of 8 bytes */
			{segmap, 0x1000, 8, -EFAULT},				     /* and one that is not there */
			{heap + 256, 0, 4, -EBADMSG},				     /* segments of one byte */
			{heap + 256, 40, 4, -EBADMSG},
			{array, 9, 4, -EBADMSG}, /* heaps */
			{array, 0, 4, -EAGAIN},
			{array + 8, 0x1000, 8, -EFAULT},
			{array + 64, 0x1000, 8, -EFAULT},
			{queue + 8, FAKE_VM_STACK, 8, -EBADMSG}, /* the interpreter */
			{queue + 20, 0, 4, -EBADMSG},
			{queue + 20, 0xffffffff, 4, -EBADMSG},
			{fake_vm_value(&vm, "static", "StubRoutines._call_stub_return_address"), FAKE_VM_STACK, 8,
			 -EBADMSG},
		};

		for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
			unsigned char *at = fake_mem_at(&vm.m, wrong[i].address, 8), before[8];

			memcpy(before, at, 8);
			fake_mem_put(&vm.m, wrong[i].address, wrong[i].value, wrong[i].width);
			if (fake_vm_read_layout(&vm) != wrong[i].expected)
				fail_msg("wrong value %zu", i);
			assert_int_equal(vm.layout.walk.jdk_version, 0);
			assert_true(vm.d.text[0]);
			memcpy(at, before, 8);
		}
	}
	assert_int_equal(fake_vm_read_layout(&vm), 0);
	fake_vm_release(&vm);
}

CASE(any_read_may_fail)
{
	struct fake_vm vm;
	unsigned int n = 0;

	fake_vm_init(&vm, 25);
	for (;;) {
		int e;

		vm.m.reads = 0;
		vm.m.fail = ++n;
		e = fake_vm_read_layout(&vm);
		if (vm.m.reads < n)
			break;
		assert_true(e == 0 || e == -EFAULT);
		if (e)
			assert_int_equal(vm.layout.walk.jdk_version, 0);
		else
			assert_string_equal(vm.layout.missing, "");
	}
	fake_vm_release(&vm);
}

/* ---- threads */

struct seen {
	int count, stop_at;
	uint64_t thread[16];
	int tid[16];
};

static int on_thread(uint64_t thread, int tid, void *context)
{
	struct seen *s = context;

	s->thread[s->count] = thread;
	s->tid[s->count++] = tid;
	return s->count == s->stop_at ? 77 : 0;
}

/* Three threads of 4 KiB. The last one has not started: it has no OSThread yet. */
static void build_threads(struct fake_vm *vm)
{
	const struct hotspot_layout *l = &vm->layout;
	uint64_t list = vm->statics, array = list + 64, os = list + 256;

	for (int i = 0; i < 3; i++) {
		uint64_t thread = FAKE_VM_THREADS + 0x1000ULL * i;

		fake_mem_put(&vm->m, array + 8ULL * i, thread, 8);
		if (i < 2)
			fake_mem_put(&vm->m, thread + l->thread_osthread, os + 256ULL * i, 8);
		fake_mem_put(&vm->m, os + 256ULL * i + l->osthread_id, 4000 + i, 4);
		if (l->thread_next != FRT_NO_OFFSET)
			fake_mem_put(&vm->m, thread + l->thread_next, i < 2 ? thread + 0x1000 : 0, 8);
	}
	if (l->threads_form == HOTSPOT_THREADS_CHAIN) {
		fake_mem_put(&vm->m, l->threads, FAKE_VM_THREADS, 8);
		return;
	}
	fake_mem_put(&vm->m, list + l->list_length, 3, 4);
	fake_mem_put(&vm->m, list + l->list_threads, array, 8);
	fake_mem_put(&vm->m, l->threads, list, 8);
}

CASE(threads_are_found_with_their_ids)
{
	for (const unsigned int *v = fake_vm_versions(); *v; v++) {
		struct fake_vm vm;
		struct seen s = {0}, stopped = {.stop_at = 2};

		fake_vm_init(&vm, *v);
		build_threads(&vm);
		assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_thread, &s), 0);
		assert_int_equal(s.count, 3);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(s.thread[i], FAKE_VM_THREADS + 0x1000 * i);
			assert_int_equal(s.tid[i], i < 2 ? 4000 + i : 0);
		}
		assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_thread, &stopped), 77);
		assert_int_equal(stopped.count, 2);
		fake_vm_release(&vm);
	}
}

CASE(changing_threads_give_eagain)
{
	struct fake_vm vm;
	struct seen s = {0};
	uint64_t list;

	fake_vm_init(&vm, 25);
	build_threads(&vm);
	memcpy(&list, fake_mem_at(&vm.m, vm.layout.threads, 8), 8);
	fake_mem_put(&vm.m, FAKE_VM_THREADS + vm.layout.thread_osthread, 0x1234, 8);
	assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_thread, &s), -EAGAIN);
	fake_mem_put(&vm.m, list + vm.layout.list_length, 0xffffffff, 4);
	assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_thread, &s), -EAGAIN);
	fake_mem_put(&vm.m, vm.layout.threads, 0, 8);
	assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_thread, &s), -EAGAIN);
	assert_int_equal(s.count, 0);
	fake_vm_release(&vm);

	fake_vm_init(&vm, 8);
	build_threads(&vm);
	fake_mem_put(&vm.m, FAKE_VM_THREADS + vm.layout.thread_next, 0x1234, 8);
	assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_thread, &s), -EAGAIN);
	assert_int_equal(s.count, 1);
	fake_vm_release(&vm);
}

static int on_any_thread(uint64_t thread, int tid, void *context)
{
	return 0;
}

CASE(circular_chain_of_threads_ends)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 11);
	build_threads(&vm);
	fake_mem_put(&vm.m, FAKE_VM_THREADS + 0x2000 + vm.layout.thread_next, FAKE_VM_THREADS, 8);
	assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_any_thread, NULL), -EAGAIN);
	fake_vm_release(&vm);
}

CASE(layout_without_threads_lists_none)
{
	struct fake_vm vm;

	fake_vm_init(&vm, 17);
	fake_vm_forget(&vm, "static", "ThreadsSMRSupport._java_thread_list");
	assert_int_equal(fake_vm_read_layout(&vm), 0);
	assert_int_equal(hotspot_each_thread(&vm.layout, &vm.m.mem, on_any_thread, NULL), -ENOTSUP);
	fake_vm_release(&vm);
}

static int read_zeros(const struct mem *m, uint64_t address, void *to, size_t size)
{
	memset(to, 0, size);
	return 0;
}

/* The JVM says how wide its flags are. */
CASE(forged_width_of_a_number_is_refused)
{
	const struct mem zeros = {read_zeros};
	struct fake_vm vm;
	uint64_t flags;

	fake_vm_init(&vm, 17);
	fake_mem_put(&vm.m, fake_vm_row(&vm, "size", "AccessFlags")->address + 32, 4096, 8);
	assert_int_equal(fake_vm_read_layout(&vm), 0);
	assert_int_equal(vm.layout.method_access_width, 4096);
	assert_int_equal(mem_unsigned(&zeros, 0x1000, vm.layout.method_access_width, &flags), -EBADMSG);
	for (unsigned int width = 0; width < 20; width++)
		assert_int_equal(mem_unsigned(&zeros, 0x1000, width, &flags),
				 width == 1 || width == 2 || width == 4 || width == 8 ? 0 : -EBADMSG);
	fake_vm_release(&vm);
}
