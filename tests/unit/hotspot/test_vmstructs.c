// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_vm.h"
#include "tests/lib/test.h"

static int read_tables(struct fake_vm *vm, struct vmstructs *v)
{
	vm->d.text[0] = 0;
	return vmstructs_read(v, &vm->m.mem, vm->symbols, &vm->d);
}

static void set_column(struct fake_vm *vm, enum vmstructs_symbol symbol, uint64_t value)
{
	fake_mem_put(&vm->m, vm->symbols[symbol], value, 8);
}

CASE(every_row_is_found_by_its_name)
{
	for (const unsigned int *version = fake_vm_versions(); *version; version++) {
		struct fake_vm vm;
		struct vmstructs v;

		fake_vm_init(&vm, *version);
		assert_int_equal(read_tables(&vm, &v), 0);
		for (int k = 0; k < vm.rows; k++) {
			const struct fake_vm_row *row = &vm.row[k];
			uint64_t value = 0;
			int64_t number = 0;

			if (!strcmp(row->kind, "offset"))
				assert_true(vmstructs_offset(&v, row->name, &value));
			else if (!strcmp(row->kind, "static"))
				assert_true(vmstructs_static(&v, row->name, &value));
			else if (!strcmp(row->kind, "size"))
				assert_true(vmstructs_size(&v, row->name, &value));
			else
				assert_true(vmstructs_constant(&v, row->name, &number));
			assert_int_equal(value + (uint64_t)number, row->value);
		}
		vmstructs_release(&v);
		fake_vm_release(&vm);
	}
}

CASE(row_of_another_kind_is_not_used)
{
	struct fake_vm vm;
	struct vmstructs v;
	uint64_t value;
	int64_t number;

	fake_vm_init(&vm, 17);
	assert_int_equal(read_tables(&vm, &v), 0);
	assert_false(vmstructs_static(&v, "JavaThread._anchor", &value));
	assert_false(vmstructs_offset(&v, "CodeCache._heaps", &value));
	assert_false(vmstructs_constant(&v, "HeapBlock", &number));
	assert_false(vmstructs_offset(&v, "JavaThread._ancho", &value));
	assert_false(vmstructs_offset(&v, "JavaThread._anchor_", &value));
	assert_false(vmstructs_offset(&v, "", &value));
	vmstructs_release(&v);
	assert_false(vmstructs_offset(&v, "JavaThread._anchor", &value));
	fake_vm_release(&vm);
}

CASE(negative_constant_stays_negative)
{
	struct fake_vm vm;
	struct vmstructs v;
	int64_t value;

	fake_vm_init(&vm, 25);
	assert_int_equal(read_tables(&vm, &v), 0);
	assert_true(vmstructs_constant(&v, "frame::entry_frame_call_wrapper_offset", &value));
	assert_int_equal(value, -6);
	vmstructs_release(&v);
	fake_vm_release(&vm);
}

CASE(unfilled_table_gives_eagain)
{
	static const enum vmstructs_symbol symbols[] = {VMSTRUCTS_FIELDS, VMSTRUCTS_TYPES, VMSTRUCTS_INTS,
							VMSTRUCTS_FIELD_STRIDE};

	for (int i = 0; i < 4; i++) {
		struct fake_vm vm;
		struct vmstructs v;

		fake_vm_init(&vm, 17);
		set_column(&vm, symbols[i], 0);
		assert_int_equal(read_tables(&vm, &v), -EAGAIN);
		assert_null(v.rows);
		fake_vm_release(&vm);
	}
}

CASE(impossible_columns_are_refused)
{
	static const struct {
		enum vmstructs_symbol symbol;
		uint64_t value;
	} wrong[] = {
		{VMSTRUCTS_FIELD_STRIDE, 1},	 {VMSTRUCTS_FIELD_STRIDE, 1 << 20}, {VMSTRUCTS_FIELD_NAME, 64},
		{VMSTRUCTS_FIELD_OFFSET, ~0ULL}, {VMSTRUCTS_TYPE_STRIDE, 7},	    {VMSTRUCTS_INT_VALUE, 1 << 30},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct fake_vm vm;
		struct vmstructs v;

		fake_vm_init(&vm, 17);
		set_column(&vm, wrong[i].symbol, wrong[i].value);
		assert_int_equal(read_tables(&vm, &v), -EBADMSG);
		assert_true(vm.d.text[0]);
		fake_vm_release(&vm);
	}
}

CASE(endless_table_is_refused)
{
	struct fake_vm vm;
	struct vmstructs v;
	uint64_t rows = 0x7f7000000000ULL;

	/* rows of 8 bytes whose name is always valid: the row itself */
	fake_vm_init(&vm, 17);
	fake_mem_map(&vm.m, rows, 8 << 20);
	for (uint64_t at = 0; at < 8 << 20; at += 8)
		fake_mem_put(&vm.m, rows + at, FAKE_VM_TABLES + 0x10000, 8);
	set_column(&vm, VMSTRUCTS_INTS, rows);
	set_column(&vm, VMSTRUCTS_INT_STRIDE, 8);
	set_column(&vm, VMSTRUCTS_INT_VALUE, 0);
	assert_int_equal(read_tables(&vm, &v), -EBADMSG);
	assert_string_equal(vm.d.text, "gHotSpotVMIntConstants does not end");

	/* and one that runs into unreadable memory */
	set_column(&vm, VMSTRUCTS_INTS, rows + (8 << 20) - 800);
	assert_int_equal(read_tables(&vm, &v), -EFAULT);
	fake_vm_release(&vm);
}

CASE(unreadable_name_is_ignored)
{
	struct fake_vm vm;
	struct vmstructs v;
	uint64_t value, row;

	fake_vm_init(&vm, 17);
	row = fake_vm_row(&vm, "offset", "CodeBlob._name")->address;
	fake_mem_map(&vm.m, 0x7f7000000000ULL, 4096);
	memset(fake_mem_at(&vm.m, 0x7f7000000000ULL, 4096), 'x', 4096);
	fake_mem_put(&vm.m, row + 8, 0x7f7000000000ULL, 8);
	assert_int_equal(read_tables(&vm, &v), 0);
	assert_false(vmstructs_offset(&v, "CodeBlob._name", &value));
	assert_true(vmstructs_offset(&v, "CodeBlob._size", &value));
	vmstructs_release(&v);

	fake_mem_put(&vm.m, row + 8, 0x1234, 8);
	assert_int_equal(read_tables(&vm, &v), -EFAULT);
	fake_vm_release(&vm);
}

CASE(any_read_may_fail)
{
	struct fake_vm vm;
	struct vmstructs v;
	unsigned int n = 0, failed = 0;

	fake_vm_init(&vm, 8);
	for (;;) {
		int e;

		vm.m.reads = 0;
		vm.m.fail = ++n;
		e = read_tables(&vm, &v);
		vmstructs_release(&v);
		if (vm.m.reads < n)
			break;
		failed += e != 0; /* a page that fails once is read in pieces */
		assert_true(!e || e == -EFAULT);
	}
	assert_true(failed >= VMSTRUCTS_SYMBOLS);
	fake_vm_release(&vm);
}

CASE(any_allocation_may_fail)
{
	struct fake_vm vm;
	struct vmstructs v;
	uint64_t value;
	unsigned int n = 0;

	fake_vm_init(&vm, 8);
	do {
		int e;

		fail_nth(++n);
		e = read_tables(&vm, &v);
		/* qsort() works without memory, too */
		assert_true(e == 0 ? vmstructs_offset(&v, "JavaThread._anchor", &value)
				   : e == -ENOMEM && fail_nth_happened());
		vmstructs_release(&v);
	} while (fail_nth_end());
	assert_true(n > 2 || !fail_nth_works());
	fake_vm_release(&vm);
}
