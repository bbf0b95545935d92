// SPDX-License-Identifier: BSD-2-Clause
/* A kernel's type information, made up: 6.2 to 6.14 have the preempt count in a struct pcpu_hot. */
#include "user/capture/kernel_btf.h"
#include "tests/lib/test.h"

#include <bpf/btf.h>

static struct btf *btf;

/* struct pcpu_hot { union { struct { void *current_task; int preempt_count; }; u8 pad[64]; }; }; */
static int make_types(void **state)
{
	int number, inner, both, hot, first, second;

	btf = btf__new_empty();
	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	inner = btf__add_struct(btf, "", 16);
	btf__add_field(btf, "current_task", number, 0, 0);
	btf__add_field(btf, "preempt_count", number, 64, 0);
	both = btf__add_union(btf, "", 64);
	btf__add_field(btf, "", inner, 0, 0);
	hot = btf__add_struct(btf, "pcpu_hot", 72);
	btf__add_field(btf, "before", number, 0, 0);
	btf__add_field(btf, "", both, 64, 0);
	btf__add_typedef(btf, "btf_trace_sys_enter", number);
	btf__add_enum(btf, "btf_field_type", 4);
	btf__add_enum_value(btf, "BPF_KPTR", 1);
	first = btf__add_var(btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, number);
	second = btf__add_var(btf, "pcpu_hot", BTF_VAR_GLOBAL_ALLOCATED, hot);
	btf__add_var(btf, "elsewhere", BTF_VAR_GLOBAL_ALLOCATED, number);
	btf__add_datasec(btf, ".data..percpu", 0);
	btf__add_datasec_var_info(btf, first, 0x100, 4);
	return btf__add_datasec_var_info(btf, second, 0x240, 72);
}

static int free_types(void **state)
{
	btf__free(btf);
	return 0;
}

CASE(variables_are_found_in_their_section)
{
	assert_int_equal(kernel_btf_variable(btf, "runqueues"), 0x100);
	assert_int_equal(kernel_btf_variable(btf, "pcpu_hot"), 0x240);
	assert_int_equal(kernel_btf_variable(btf, "elsewhere"), -1);
	assert_int_equal(kernel_btf_variable(btf, "__preempt_count"), -1);
}

CASE(members_are_found_in_unnamed_structs)
{
	assert_int_equal(kernel_btf_member(btf, "pcpu_hot", "preempt_count"), 16);
	assert_int_equal(kernel_btf_member(btf, "pcpu_hot", "before"), 0);
	assert_int_equal(kernel_btf_member(btf, "pcpu_hot", "cpu_number"), -1);
	assert_int_equal(kernel_btf_member(btf, "pcpu_cold", "preempt_count"), -1);
}

CASE(values_and_tracepoints_are_found)
{
	assert_true(kernel_btf_has_value(btf, "btf_field_type", "BPF_KPTR"));
	assert_false(kernel_btf_has_value(btf, "btf_field_type", "BPF_UPTR"));
	assert_false(kernel_btf_has_value(btf, "btf_field", "BPF_KPTR"));
	assert_true(kernel_btf_has_tracepoint(btf, "sys_enter"));
	assert_false(kernel_btf_has_tracepoint(btf, "sys_exit"));
}

int main(void)
{
	return test_main(make_types, free_types);
}
