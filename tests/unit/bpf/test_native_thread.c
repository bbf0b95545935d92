// SPDX-License-Identifier: BSD-2-Clause
/* Threads without a slot, with the kernel played by this file: the queue, the running task. */
#define BPF_EMIT_H
#define BPF_KERNEL_H
#define BPF_NATIVE_STACK_H
#include "bpf/queue.h"

#include <linux/types.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/cdefs.h>

#include <cmocka.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __uint(name, value)
#define __type(name, value)
enum wake { WAKE_BY_LEVEL };

struct bpf_pidns_info {
	__u32 pid, tgid;
};

struct task_struct {
	int tgid;
};

static struct {
	struct frt_native_thread record;
	unsigned int reports;
	bool full;
} kernel;

static struct frt_target target;
static struct task_struct task = {.tgid = 4711};

static struct task_struct *bpf_get_current_task_btf(void)
{
	return &task;
}

static long bpf_get_ns_current_pid_tgid(__u64 dev, __u64 ino, struct bpf_pidns_info *id, __u32 size)
{
	*id = (struct bpf_pidns_info){.pid = 12, .tgid = 11};
	return 0;
}

static long bpf_get_current_comm(void *to, __u32 size)
{
	strncpy(to, "worker", size);
	return 0;
}

static long bpf_probe_read_user(void *to, __u32 size, const void *from)
{
	*(__u64 *)to = (__u64)from;
	return 0;
}

static void *queue_reserve(__u64 size)
{
	assert_int_equal(size, sizeof(kernel.record));
	return kernel.full ? NULL : &kernel.record;
}

static void queue_submit(void *record, enum wake wake)
{
	kernel.reports++;
}

static void native_stack_follow(void)
{
}

#include "bpf/native_thread.bpf.h"

volatile __u32 native_keys;

static const struct frt_native_setup stacks = {.layout = {.thread_anchor = 0x100, .thread_stack_base = 0x200},
					       .stacks = 1};
static struct wait_state state;
static __u32 known;

static int setup(void **unused)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&state, 0, sizeof(state));
	known = native_keys = 0;
	return 0;
}

static void thread_is_reported_once(void **unused)
{
	native_meet_thread(&stacks, &state, &known, 0x7000);
	native_meet_thread(&stacks, &state, &known, 0x7000);
	assert_int_equal(kernel.reports, 1);
	assert_int_equal(state.thread, FRT_NATIVE_KEY | 1);
	assert_int_equal(state.anchor, 0x7100);
	assert_int_equal(state.stack_end, 0x7200);
	assert_int_equal(kernel.record.thread, state.thread);
	assert_int_equal(kernel.record.tid, 12);
	assert_int_equal(kernel.record.process, 4711);
	assert_int_equal(kernel.record.java_thread, 0x7000);
	assert_string_equal(kernel.record.name, "worker");
}

static void report_that_does_not_fit_is_made_at_the_next_call(void **unused)
{
	kernel.full = true;
	native_meet_thread(&stacks, &state, &known, 0x7000);
	assert_int_equal(state.thread, FRT_NATIVE_KEY | 1);
	assert_int_equal(kernel.reports, 0);
	kernel.full = false;
	native_meet_thread(&stacks, &state, &known, 0x7000);
	assert_int_equal(kernel.reports, 1);
	assert_int_equal(kernel.record.thread, FRT_NATIVE_KEY | 1);
}

static void thread_with_a_slot_is_known(void **unused)
{
	state.thread = 5;
	native_meet_thread(&stacks, &state, &known, 0x7000);
	assert_int_equal(kernel.reports, 0);
	assert_int_equal(state.thread, 5);
	assert_int_equal(native_keys, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
		TEST(thread_is_reported_once),
		TEST(report_that_does_not_fit_is_made_at_the_next_call),
		TEST(thread_with_a_slot_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
