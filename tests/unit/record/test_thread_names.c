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
static struct thread_names *names;

/* One Java thread, 4000. */
static int setup(void **state)
{
	const struct hotspot_layout *l = &vm.layout;
	uint64_t list;

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

static const char *name_of(const char *name)
{
	char kernel_name[16] = "";

	memcpy(kernel_name, name, strlen(name));
	return thread_names_of(names, 4000, kernel_name);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(a_name_that_the_kernel_has_not_cut_is_not_looked_for),
		T(a_name_that_is_not_found_is_not_looked_for_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
