// SPDX-License-Identifier: BSD-2-Clause
/* Names themselves are read by user/hotspot/thread_object.c, which has a test of its own. */
#include "tests/lib/fake_vm.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/record/thread_names.h"
#include "user/text/monotonic.h"

#define OS_THREAD (FAKE_VM_THREADS + 0x2000)

static struct fake_vm vm;
static int64_t now, passes; /* ns; `passes`: with each look at the clock */

WRAP(int64_t, monotonic_ns, void)
{
	return now += passes;
}

static bool alive; /* /proc shows that it is the same thread still */
static struct thread_object object;

WRAP(bool, target_task_is, const struct target *t, uint32_t tid, const char kernel_name[16], uint32_t started,
     unsigned int shift)
{
	return alive;
}

WRAP(int, thread_object_read, struct thread_object *out, const struct hotspot_layout *l, const struct mem *m,
     uint64_t java_thread)
{
	*out = object;
	return object.java_id ? 0 : -EAGAIN;
}

static struct thread_names *names;
static const struct target target;

static void object_is(uint64_t java_id, const char *name)
{
	object.java_id = java_id;
	strcpy(object.name, name);
}

/* One Java thread, 4000. */
static int setup(void **state)
{
	struct hotspot_layout *l = &vm.layout;
	uint64_t list;

	passes = 0;
	now = 1000;
	alive = true;
	object_is(41, "worker");
	fake_vm_init(&vm, 17);
	list = vm.statics;
	fake_mem_put(&vm.m, l->threads, list, 8);
	fake_mem_put(&vm.m, list + l->list_length, 1, 4);
	fake_mem_put(&vm.m, list + l->list_threads, list + 64, 8);
	fake_mem_put(&vm.m, list + 64, FAKE_VM_THREADS, 8);
	fake_mem_put(&vm.m, FAKE_VM_THREADS + l->thread_osthread, OS_THREAD, 8);
	fake_mem_put(&vm.m, OS_THREAD + l->osthread_id, 4000, 4);
	l->thread_fields.id = 24;
	names = thread_names_new(l, &vm.m.mem, &target);
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
	return thread_names_is_collector(names, tid, 1, kernel_name);
}

/* The thread 4000, started at a time, wakes another one now. Returns its name, if that is known then. */
static const char *wakes(uint32_t started, const char *name)
{
	const struct thread_object *o;
	char kernel_name[16] = "";

	memcpy(kernel_name, name, strlen(name));
	thread_names_see(names, 4000, started, kernel_name, now++);
	now++;
	o = thread_names_of(names, 4000, started, kernel_name);
	return o ? o->name : NULL;
}

CASE(collectors_are_no_java_threads, setup, teardown)
{
	assert_true(is_collector(4001, "G1 Conc#0"));
	assert_true(is_collector(4001, "G1 Conc#0"));
	assert_true(is_collector(4002, "Shenand..Thread"));
	assert_false(is_collector(4000, "G1 Conc#0"));
	assert_false(is_collector(4001, "GC"));
	assert_false(is_collector(4003, "VM Thread"));
}

CASE(a_java_thread_that_is_younger_than_the_list_is_no_collector, setup, teardown)
{
	assert_string_equal(wakes(7, "worker"), "worker");
	fake_mem_put(&vm.m, OS_THREAD + vm.layout.osthread_id, 4001, 4);
	assert_false(is_collector(4001, "G1 Conc#0"));
}

CASE(nobody_is_a_collector_while_the_threads_are_unknown, setup, teardown)
{
	fake_mem_put(&vm.m, vm.layout.threads, 0, 8);
	assert_false(is_collector(4001, "G1 Conc#0"));
}

CASE(a_thread_that_is_alive_is_known_at_once, setup, teardown)
{
	unsigned int reads;

	assert_string_equal(wakes(7, "java"), "worker");
	reads = vm.m.reads;
	alive = false;
	object.java_id = 0;
	assert_string_equal(wakes(7, "java"), "worker"); /* also when it has ended */
	assert_int_equal(vm.m.reads, reads);
}

CASE(without_proc_a_thread_is_known_when_it_wakes_again, setup, teardown)
{
	alive = false;
	assert_null(wakes(7, "worker"));
	assert_string_equal(wakes(7, "worker"), "worker");
}

CASE(a_thread_with_the_same_id_is_another_one, setup, teardown)
{
	assert_string_equal(wakes(7, "worker"), "worker");
	object_is(42, "another");
	alive = false;
	assert_null(wakes(8, "worker"));
	object_is(43, "a third one");
	assert_string_equal(wakes(8, "worker"), "another"); /* it was there when that was read */
	assert_null(wakes(9, "worker"));
}

CASE(a_thread_that_renames_itself_has_each_name_at_its_time, setup, teardown)
{
	assert_string_equal(wakes(7, "worker"), "worker");
	object_is(41, "idle");
	alive = false; /* the kernel shows the new name now */
	assert_string_equal(wakes(7, "worker"), "worker");
	now += 10000000000;
	assert_string_equal(wakes(7, "worker"), "worker");
	alive = true;
	assert_string_equal(wakes(7, "idle"), "idle");
}

CASE(another_name_is_noticed_after_a_second, setup, teardown)
{
	assert_string_equal(wakes(7, "java"), "worker");
	object_is(41, "idle");
	assert_string_equal(wakes(7, "java"), "worker");
	now += 2000000000;
	assert_string_equal(wakes(7, "java"), "idle");
	object_is(42, "another");
	now += 2000000000;
	assert_string_equal(wakes(7, "java"), "idle");
}

CASE(a_thread_that_is_not_javas_is_not_looked_for_for_ever, setup, teardown)
{
	unsigned int reads;

	object.java_id = 0;
	for (int i = 0; i < 3; i++)
		assert_null(wakes(7, "VM Thread"));
	reads = vm.m.reads;
	assert_null(wakes(7, "VM Thread"));
	assert_int_equal(vm.m.reads, reads);
	assert_null(wakes(8, "VM Thread"));
	assert_true(vm.m.reads > reads);
}

/* The JVM chooses the names of its threads, and how many there are. */
CASE(reading_takes_a_small_part_of_the_time, setup, teardown)
{
	unsigned int reads;

	passes = 30000000;
	for (uint32_t tid = 5000; tid < 5010; tid++)
		is_collector(tid, "G1 Conc#0");
	reads = vm.m.reads;
	passes = 0;
	for (uint32_t tid = 5010; tid < 5020; tid++)
		assert_false(is_collector(tid, "G1 Conc#0"));
	assert_null(wakes(7, "worker"));
	assert_int_equal(vm.m.reads, reads);
	now += 10000000000;
	assert_true(is_collector(5011, "G1 Conc#0"));
}

/* Before JDK 21 a monitor's owner may be an address in its stack. */
CASE(the_owner_of_a_monitor_is_a_thread_or_a_place_in_its_stack, setup, teardown)
{
	const struct hotspot_layout *l = &vm.layout;
	const uint64_t base = 0x7f7000100000, size = 0x100000;

	fake_mem_put(&vm.m, FAKE_VM_THREADS + l->walk.thread_stack_base, base, 8);
	fake_mem_put(&vm.m, FAKE_VM_THREADS + l->thread_stack_size, size, 8);
	assert_int_equal(thread_names_owner(names, FAKE_VM_THREADS, now - 1), 4000);
	assert_int_equal(thread_names_owner(names, base - 8, 0), 4000);
	assert_int_equal(thread_names_owner(names, base - size, 0), 4000);
	assert_int_equal(thread_names_owner(names, base - size - 8, 0), 0);
	assert_int_equal(thread_names_owner(names, base, 0), 0);
	assert_int_equal(thread_names_owner(names, 1, 0), 0);
}
