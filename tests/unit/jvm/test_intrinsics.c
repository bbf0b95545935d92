// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fail_nth.h"
#include "tests/lib/fake_vm.h"
#include "tests/lib/test.h"
#include "user/hotspot/vmstructs.h"
#include "user/jvm/intrinsics.h"

#include <ctype.h>

static struct intrinsics chosen;

static void choose(const char *trace, const char *timing, const char *exclude, int jdk_version)
{
	struct filter_list *filters = filter_list_new();
	struct diag d;

	assert_non_null(filters);
	if (trace)
		assert_int_equal(filter_list_add(filters, trace, FILTER_TRACE, &d), 0);
	if (timing)
		assert_int_equal(filter_list_add(filters, timing, FILTER_TIMING, &d), 0);
	if (exclude)
		assert_int_equal(filter_list_add(filters, exclude, FILTER_EXCLUDE, &d), 0);
	assert_int_equal(intrinsics_choose(&chosen, filters, jdk_version, &d), 0);
	filter_list_free(filters);
}

CASE(only_intrinsics_of_selected_methods_are_chosen)
{
	choose("com.acme.Cart", NULL, NULL, 25);
	assert_string_equal(chosen.names, "");
	assert_string_equal(chosen.methods, "");
	choose("java.lang.Math::max", NULL, NULL, 25);
	assert_string_equal(chosen.names, "_max,_maxF,_maxD,_maxL");
	assert_string_equal(chosen.methods, "java/lang/Math.max\n");
	assert_false(chosen.concat || chosen.boxing);
	choose("java.lang.Math::floor;java.lang.Long::bitCount(long)", NULL, NULL, 25);
	assert_string_equal(chosen.names, "_floor,_bitCount_l");
	choose(NULL, "java.lang.Class::cast", NULL, 17);
	assert_string_equal(chosen.names, "_Class_cast");
	choose("java.lang.Thread", NULL, "java.lang.Thread::onSpinWait", 17);
	assert_string_equal(chosen.names, "");
}

/* Since JDK 27 the public method of this name checks its arguments, and only the one with the 0 is replaced. */
CASE(intrinsics_that_jdk_27_renamed_are_chosen_by_their_new_names)
{
	choose("java.lang.StringLatin1::equals0;java.lang.StringUTF16::compareToLatin1_0", NULL, NULL, 27);
	assert_string_equal(chosen.names, "_equalsL,_compareToUL");
	choose("jdk.internal.util.ArraysSupport::vectorizedMismatchInternal", NULL, NULL, 28);
	assert_string_equal(chosen.names, "_vectorizedMismatch");
}

CASE(interpreter_intrinsics_are_not_chosen_before_21)
{
	choose("java.lang.Math::sin;java.lang.Math::floor", NULL, NULL, 17);
	assert_string_equal(chosen.methods, "java/lang/Math.floor\n");
	choose("java.lang.Math::sin;java.lang.Math::floor", NULL, NULL, 21);
	assert_string_equal(chosen.methods, "java/lang/Math.floor\njava/lang/Math.sin\n");
	assert_string_equal(chosen.names, "_floor,_dsin");
}

CASE(intrinsics_that_need_further_flags_are_known)
{
	choose("java.lang.StringBuilder::append", NULL, NULL, 17);
	assert_true(chosen.concat && !chosen.boxing);
	choose("java.lang.Integer::valueOf", NULL, NULL, 17);
	assert_true(chosen.boxing && !chosen.concat);
	assert_string_equal(chosen.names, "_Integer_valueOf");
}

/* Reference.get without its intrinsic would bypass the collector's barrier. */
CASE(intrinsics_that_the_jvm_needs_are_never_chosen)
{
	choose("*", NULL, NULL, 28);
	assert_lacks(chosen.names, "Reference_get,");
	assert_lacks(chosen.names, "Continuation");
	assert_lacks(chosen.names, "Object_init");
	assert_lacks(chosen.methods, "Reference.get\n");
}

CASE(every_name_of_all_is_one_word)
{
	choose("*", NULL, NULL, 28);
	assert_in_range(strlen(chosen.names), 2000, sizeof(chosen.names) - 500);
	assert_in_range(strlen(chosen.methods), 2000, sizeof(chosen.methods) - 500);
	for (const char *c = chosen.names; *c; c++) {
		assert_true(isalnum((unsigned char)*c) || *c == '_' || *c == ',');
		assert_false(*c == ',' && c[1] != '_');
	}
	for (const char *c = chosen.methods; *c; c++)
		assert_false(isspace((unsigned char)*c) && *c != '\n');
}

CASE(jvm_without_flags_in_its_tables_is_reported)
{
	static const char *const names[] = {"DisableIntrinsic"};
	struct fake_vm vm;
	uint64_t at = 1;
	struct diag d;

	fake_vm_init(&vm, 8);
	assert_int_equal(hotspot_find_flags(&vm.m.mem, vm.symbols, names, 1, &at, &d), -ENOTSUP);
	assert_true(at == 0);
	fake_vm_release(&vm);
}

#define TABLE 0x7f7000000000ULL
#define NAMES (TABLE + 0x1000)

static void put_flag(struct fake_vm *vm, unsigned int i, const char *name, uint64_t value)
{
	fake_mem_put(&vm->m, TABLE + 24 * i, value, 8);
	fake_mem_put(&vm->m, TABLE + 24 * i + 8, NAMES + 64 * i, 8);
	fake_mem_put_text(&vm->m, NAMES + 64 * i, name);
}

CASE(flags_are_found_in_the_jvms_table)
{
	static const char *const names[] = {"EliminateAutoBox", "NoSuchFlag", "DisableIntrinsic"};
	static const unsigned int versions[] = {17, 25};

	for (int i = 0; i < 2; i++) {
		uint64_t at[3] = {1, 1, 1};
		struct fake_vm vm;
		struct diag d;

		fake_vm_init(&vm, versions[i]);
		fake_mem_map(&vm.m, TABLE, 0x2000);
		put_flag(&vm, 0, "DisableIntrinsicX", 0x1000);
		put_flag(&vm, 1, "DisableIntrinsic", 0x2000);
		put_flag(&vm, 2, "EliminateAutoBox", 0x3000);
		fake_vm_set_static(&vm, "JVMFlag.flags", TABLE);
		fake_vm_set_static(&vm, "JVMFlag.numFlags", 4); /* the last one has no name */
		assert_int_equal(hotspot_find_flags(&vm.m.mem, vm.symbols, names, 3, at, &d), 0);
		assert_true(at[0] == 0x3000 && at[1] == 0 && at[2] == 0x2000);
		fake_vm_set_static(&vm, "JVMFlag.flags", 0x1000);
		assert_true(hotspot_find_flags(&vm.m.mem, vm.symbols, names, 3, at, &d) < 0);
		fake_vm_release(&vm);
	}
}
