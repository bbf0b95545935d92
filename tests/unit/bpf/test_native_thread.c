// SPDX-License-Identifier: BSD-2-Clause
/* Threads without a slot, with the kernel played by this file: the queue, the running task. */
#define BPF_EMIT_H
#define BPF_KERNEL_H
#define BPF_NATIVE_STACK_H
#include "bpf/queue.h"
#include "tests/lib/test.h"

#include <linux/types.h>
#include <sys/cdefs.h>

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
static struct wait_state waiting;
static __u32 known;

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&waiting, 0, sizeof(waiting));
	known = native_keys = 0;
	return 0;
}

CASE(thread_is_reported_once, setup)
{
	native_meet_thread(&stacks, &waiting, &known, 0x7000);
	native_meet_thread(&stacks, &waiting, &known, 0x7000);
	assert_int_equal(kernel.reports, 1);
	assert_int_equal(waiting.thread, FRT_NATIVE_KEY | 1);
	assert_int_equal(waiting.anchor, 0x7100);
	assert_int_equal(waiting.stack_end, 0x7200);
	assert_int_equal(kernel.record.thread, waiting.thread);
	assert_int_equal(kernel.record.tid, 12);
	assert_int_equal(kernel.record.process, 4711);
	assert_int_equal(kernel.record.java_thread, 0x7000);
	assert_string_equal(kernel.record.name, "worker");
}

CASE(report_that_does_not_fit_is_made_at_the_next_call, setup)
{
	kernel.full = true;
	native_meet_thread(&stacks, &waiting, &known, 0x7000);
	assert_int_equal(waiting.thread, FRT_NATIVE_KEY | 1);
	assert_int_equal(kernel.reports, 0);
	kernel.full = false;
	native_meet_thread(&stacks, &waiting, &known, 0x7000);
	assert_int_equal(kernel.reports, 1);
	assert_int_equal(kernel.record.thread, FRT_NATIVE_KEY | 1);
}

CASE(thread_with_a_slot_is_known, setup)
{
	waiting.thread = 5;
	native_meet_thread(&stacks, &waiting, &known, 0x7000);
	assert_int_equal(kernel.reports, 0);
	assert_int_equal(waiting.thread, 5);
	assert_int_equal(native_keys, 0);
}
