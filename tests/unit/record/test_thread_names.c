// SPDX-License-Identifier: BSD-2-Clause
/* Names themselves are read by user/hotspot/thread_name.c, which has a test of its own. */
#include "tests/lib/fake_vm.h"
#include "user/record/thread_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OS_THREAD (FAKE_VM_THREADS + 0x2000)

static struct fake_vm vm;
static int64_t now, passes; /* ns; `passes`: with each look at the clock */

int64_t __wrap_monotonic_ns(void);

int64_t __wrap_monotonic_ns(void)
{
	return now += passes;
}

static struct thread_names *names;

/* One Java thread, 4000. */
static int setup(void **state)
{
	const struct hotspot_layout *l = &vm.layout;
	uint64_t list;

	passes = 0;
	fake_vm_init(&vm, 17);
	list = vm.statics;
	fake_mem_put(&vm.m, l->threads, list, 8);
	fake_mem_put(&vm.m, list + l->list_length, 1, 4);
	fake_mem_put(&vm.m, list + l->list_threads, list + 64, 8);
	fake_mem_put(&vm.m, list + 64, FAKE_VM_THREADS, 8);
	fake_mem_put(&vm.m, FAKE_VM_THREADS + l->thread_osthread, OS_THREAD, 8);
	fake_mem_put(&vm.m, OS_THREAD + l->osthread_id, 4000, 4);
	names = thread_names_new(l, &vm.m.mem);
	return !names;
}

static int teardown(void **state)
{
	thread_names_free(names);
	fake_vm_release(&vm);
	return 0;
}

static bool is_collector(uint32_t tid, const char *name)
{
	char kernel_name[16] = "";

	memcpy(kernel_name, name, strlen(name));
	return thread_names_is_collector(names, tid, kernel_name);
}

static const char *name_of(const char *name)
{
	char kernel_name[16] = "";

	memcpy(kernel_name, name, strlen(name));
	return thread_names_of(names, 4000, kernel_name);
}

static void collectors_are_no_java_threads(void **state)
{
	assert_true(is_collector(4001, "G1 Conc#0"));
	assert_true(is_collector(4001, "G1 Conc#0"));
	assert_true(is_collector(4002, "Shenand..Thread"));
	assert_false(is_collector(4000, "G1 Conc#0"));
	assert_false(is_collector(4001, "GC"));
	assert_false(is_collector(4003, "VM Thread"));
}

static void a_java_thread_that_is_younger_than_the_list_is_no_collector(void **state)
{
	assert_null(name_of("C1 CompilerThre"));
	fake_mem_put(&vm.m, OS_THREAD + vm.layout.osthread_id, 4001, 4);
	assert_false(is_collector(4001, "G1 Conc#0"));
}

static void nobody_is_a_collector_while_the_threads_are_unknown(void **state)
{
	fake_mem_put(&vm.m, vm.layout.threads, 0, 8);
	assert_false(is_collector(4001, "G1 Conc#0"));
}

static void a_name_that_the_kernel_has_not_cut_is_not_looked_for(void **state)
{
	unsigned int reads = vm.m.reads;

	assert_null(name_of("main"));
	assert_int_equal(vm.m.reads, reads);
}

static void a_name_that_is_not_found_is_not_looked_for_for_ever(void **state)
{
	unsigned int reads;

	for (int i = 0; i < 3; i++)
		assert_null(name_of("C1 CompilerThre"));
	reads = vm.m.reads;
	assert_null(name_of("C1 CompilerThre"));
	assert_int_equal(vm.m.reads, reads);
	assert_null(name_of("C2 CompilerThre")); /* it has been renamed */
	assert_true(vm.m.reads > reads);
}

/* The JVM chooses the names of its threads, and how many there are. */
static void reading_takes_a_small_part_of_the_time(void **state)
{
	unsigned int reads;

	passes = 30000000;
	for (uint32_t tid = 5000; tid < 5010; tid++)
		is_collector(tid, "G1 Conc#0");
	reads = vm.m.reads;
	passes = 0;
	for (uint32_t tid = 5010; tid < 5020; tid++)
		assert_false(is_collector(tid, "G1 Conc#0"));
	assert_null(name_of("C1 CompilerThre"));
	assert_int_equal(vm.m.reads, reads);
	now += 10000000000;
	assert_true(is_collector(5011, "G1 Conc#0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(collectors_are_no_java_threads),
		T(a_java_thread_that_is_younger_than_the_list_is_no_collector),
		T(nobody_is_a_collector_while_the_threads_are_unknown),
		T(a_name_that_the_kernel_has_not_cut_is_not_looked_for),
		T(a_name_that_is_not_found_is_not_looked_for_for_ever),
		T(reading_takes_a_small_part_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
