// SPDX-License-Identifier: BSD-2-Clause
/* The waits that the kernel's half holds back, with the kernel played by this file: the queue, task storage, copies. */
#define BPF_EMIT_H
#define BPF_KERNEL_H
#define BPF_SLOT_H
#include "bpf/queue.h"
#include "tests/lib/test.h"

#include <linux/types.h>
#include <sys/cdefs.h>

#define __noinline __attribute__((noinline))
#define __uint(name, value)
#define __type(name, value)
#define SEC(name)
enum wake { WAKE_BY_LEVEL };

struct task_struct;

struct slot_calls {
	__u64 head, outermost;
	__u32 depth;
};

static struct {
	union {
		struct frt_long_waits record;
		struct frt_native_waits with_native;
	};
	size_t size;
	bool full, busy;
	unsigned int submitted, discarded;
	unsigned int meddle; /* so often, the thread gets another wait while its waits are copied */
} kernel;

static __u64 waits_lost;
static struct frt_long_wait stored;
static struct frt_native held_native;

static void *reserve_record(__u32 size)
{
	assert_false(kernel.busy);
	waits_lost += kernel.full;
	kernel.busy = !kernel.full;
	kernel.size = size;
	return kernel.full ? NULL : &kernel.record;
}

static void queue_submit(void *record, enum wake wake)
{
	kernel.busy = false;
	kernel.submitted++;
}

static void queue_discard(void *record)
{
	kernel.busy = false;
	kernel.discarded++;
}

static void *task_storage(const void *map);

#define bpf_task_storage_get(map, task, value, flags) task_storage(map)

static void bpf_probe_read_kernel(void *to, __u32 size, const void *from);

#include "bpf/held_waits.bpf.h"

static struct held_waits h;

static void *task_storage(const void *map)
{
	return map == &held_natives ? (void *)&held_native : &stored;
}

static void add(__u64 off, bool long_wait, __u64 head, __u64 outermost)
{
	struct frt_wait w = {.kind = FRT_WAIT, .off = off};

	held_reserve(&h, NULL, long_wait);
	held_add(&h, &w, long_wait, head, outermost);
}

static void bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	if (from != h.wait || !kernel.meddle)
		return;
	kernel.meddle--;
	held_add(&h, &(struct frt_wait){.off = 1000 + kernel.meddle}, false, h.head, h.outermost);
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&h, 0, sizeof(h));
	memset(&held_native, 0, sizeof(held_native));
	waits_lost = 0;
	return 0;
}

static void review(__u64 head, __u32 depth, __u64 outermost)
{
	struct slot_calls calls = {.head = head, .depth = depth, .outermost = outermost};

	held_review(&h, NULL, &calls);
}

CASE(waits_of_a_call_without_a_span_are_dropped, setup)
{
	add(1, false, 64, 500);
	review(64, 1, 500);
	assert_int_equal(held_count(h.word), 1);
	review(64, 1, 600);
	assert_int_equal(held_count(h.word), 0);
	assert_int_equal(kernel.submitted, 0);
}

CASE(waits_before_a_span_are_released_in_order, setup)
{
	add(1, false, 64, 500);
	add(2, false, 64, 500);
	review(96, 1, 600);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.size, sizeof(struct frt_waits));
	assert_int_equal(kernel.record.waits.kind, FRT_WAITS);
	assert_int_equal(kernel.record.waits.count, 2);
	assert_int_equal(kernel.record.waits.long_wait, 0);
	assert_int_equal(kernel.record.waits.wait[0].off, 1);
	assert_int_equal(kernel.record.waits.wait[1].off, 2);
	assert_int_equal(held_count(h.word), 0);
}

/* The call is no longer open, but its span may come yet. */
CASE(waits_are_kept_while_the_thread_is_in_no_call, setup)
{
	add(1, false, 64, 500);
	review(64, 0, 500);
	assert_int_equal(held_count(h.word), 1);
	review(96, 0, 500);
	assert_int_equal(kernel.submitted, 1);
}

CASE(uncertain_waits_are_released_not_dropped, setup)
{
	add(1, false, 64, 500);
	add(2, false, 64, 0);
	add(3, false, 64, 500);
	review(64, 1, 600);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.waits.count, 3);
}

CASE(unknown_calls_release, setup)
{
	add(1, false, 64, 500);
	held_review(&h, NULL, NULL);
	assert_int_equal(kernel.submitted, 1);
	add(1, false, HELD_NO_HEAD, 0);
	review(64, 1, 500);
	assert_int_equal(kernel.submitted, 2);
}

CASE(one_more_than_fit_releases_the_others, setup)
{
	for (__u64 i = 0; i <= FRT_HELD_WAITS; i++)
		add(i, false, 64, 500);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.waits.count, FRT_HELD_WAITS);
	assert_int_equal(held_count(h.word), 1);
	assert_int_equal(h.wait[0].off, FRT_HELD_WAITS);
	assert_int_equal(waits_lost, 0);
}

CASE(second_long_wait_releases_the_first_with_its_stacks, setup)
{
	add(1, false, 64, 500);
	stored.wait.off = 2;
	add(2, true, 64, 500);
	add(3, false, 64, 500);
	add(4, true, 64, 500);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.size, sizeof(struct frt_long_waits));
	assert_int_equal(kernel.record.waits.count, 3);
	assert_int_equal(kernel.record.waits.long_wait, 2);
	assert_int_equal(kernel.record.with_stacks.wait.off, 2);
	assert_int_equal(held_long(h.word), 1);
}

CASE(native_part_is_released_with_the_stacks_of_its_wait, setup)
{
	const struct frt_native in_libc = {.at.sp = 4096, .low_size = 8};

	held_take_native(NULL, &in_libc);
	stored.wait.off = 1;
	add(1, true, 64, 500);
	held_release(&h, NULL);
	assert_int_equal(kernel.size, sizeof(struct frt_native_waits));
	assert_int_equal(kernel.with_native.native.at.sp, 4096);
	assert_int_equal(kernel.record.with_stacks.wait.off, 1);
	held_take_native(NULL, NULL);
	add(2, true, 64, 500);
	held_release(&h, NULL);
	assert_int_equal(kernel.size, sizeof(struct frt_long_waits));
}

/* The drain and the iterator copy while the thread may be switched. */
CASE(wait_that_comes_during_the_copy_is_released_with_the_others, setup)
{
	add(1, false, 64, 500);
	kernel.meddle = HELD_TRIES - 1;
	held_release(&h, NULL);
	assert_int_equal(kernel.discarded, HELD_TRIES - 1);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.waits.count, HELD_TRIES);
	assert_int_equal(waits_lost, 0);
}

CASE(waits_that_cannot_be_released_are_counted, setup)
{
	add(1, false, 64, 500);
	kernel.meddle = HELD_TRIES;
	held_release(&h, NULL);
	assert_int_equal(kernel.submitted, 0);
	assert_int_equal(waits_lost, 1);
	kernel.full = true;
	held_release(&h, NULL);
	assert_int_equal(waits_lost, 2);
	assert_int_equal(held_count(h.word), 0);
}
