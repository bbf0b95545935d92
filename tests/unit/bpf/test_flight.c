// SPDX-License-Identifier: BSD-2-Clause
/* The last waits of a thread, which the kernel's half keeps for paths, with the kernel played by this file. */
#define BPF_EMIT_H
#define BPF_KERNEL_H
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

static struct {
	struct frt_all_briefs record;
	size_t size;
	bool full;
	unsigned int submitted, discarded;
	unsigned int meddle; /* so often, the thread waits again while its waits are copied */
} kernel;

static __u64 waits_lost;
static __u32 paths_wanted;

static void *reserve_record(__u32 size)
{
	waits_lost += kernel.full;
	kernel.size = size;
	return kernel.full ? NULL : &kernel.record;
}

static void queue_submit(void *record, enum wake wake)
{
	kernel.submitted++;
}

static void queue_discard(void *record)
{
	kernel.discarded++;
}

static void bpf_probe_read_kernel(void *to, __u32 size, const void *from);

#include "bpf/flight.bpf.h"

static struct flight f;

static void add_one(__u32 thread, __u64 off, bool keep)
{
	*flight_place(&f, thread, keep) = (struct frt_brief){.off = off};
	flight_add(&f);
}

/* Waits `from` to `to` of a thread. */
static void add(__u32 thread, __u64 from, __u64 to, bool keep)
{
	for (__u64 off = from; off <= to; off++)
		add_one(thread, off, keep);
}

static void bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	if (!kernel.meddle)
		return;
	kernel.meddle--;
	add(f.thread, 1000, 1000, false);
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&f, 0, sizeof(f));
	waits_lost = paths_wanted = 0;
	return 0;
}

static __u64 off_of(__u32 i)
{
	return kernel.record.wait[(kernel.record.briefs.first + i) % FRT_BRIEF_PLACES].off;
}

CASE(few_waits_are_released_in_order, setup)
{
	add(7, 1, 3, false);
	flight_release(&f);
	assert_int_equal(kernel.size, sizeof(struct frt_few_briefs));
	assert_int_equal(kernel.record.briefs.thread, 7);
	assert_int_equal(kernel.record.briefs.count, 3);
	assert_int_equal(kernel.record.briefs.lost, 0);
	assert_int_equal(off_of(0), 1);
	assert_int_equal(off_of(2), 3);
	flight_release(&f);
	assert_int_equal(kernel.submitted, 1);
}

CASE(as_many_as_there_is_room_for_are_kept, setup)
{
	add(7, 1, FRT_BRIEF_MOST, false);
	flight_release(&f);
	assert_int_equal(kernel.size, sizeof(struct frt_all_briefs));
	assert_int_equal(kernel.record.briefs.count, FRT_BRIEF_MOST);
	assert_int_equal(kernel.record.briefs.lost, 0);
	assert_int_equal(off_of(0), 1);
	assert_int_equal(off_of(FRT_BRIEF_MOST - 1), FRT_BRIEF_MOST);
}

CASE(the_last_ones_are_kept_and_it_is_known_from_when_on_some_are_missing, setup)
{
	add(7, 1, 5, false);
	flight_release(&f);
	add(7, 11, 210, false);
	flight_release(&f);
	assert_int_equal(kernel.submitted, 2);
	assert_int_equal(kernel.record.briefs.lost, 11);
	assert_int_equal(kernel.record.briefs.count, FRT_BRIEF_MOST);
	assert_int_equal(off_of(0), 211 - FRT_BRIEF_MOST);
	assert_int_equal(off_of(FRT_BRIEF_MOST - 1), 210);
	add(7, 211, 211, false);
	flight_release(&f);
	assert_int_equal(kernel.record.briefs.lost, 0);
	assert_int_equal(kernel.record.briefs.count, 1);
}

CASE(waits_of_open_calls_are_not_overwritten, setup)
{
	add(7, 1, 64, true);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.briefs.count, FRT_BRIEF_MOST);
	assert_int_equal(kernel.record.briefs.lost, 0);
	assert_int_equal(flight_count(f.word), 1);
}

CASE(no_wait_is_overwritten_while_paths_are_wanted, setup)
{
	paths_wanted = 1;
	add(7, 1, 64, false);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.briefs.lost, 0);
}

CASE(waits_under_another_key_are_another_threads, setup)
{
	add(7, 1, 2, false);
	add(8, 3, 3, false);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.briefs.thread, 7);
	assert_int_equal(kernel.record.briefs.count, 2);
	flight_release(&f);
	assert_int_equal(kernel.record.briefs.thread, 8);
	assert_int_equal(kernel.record.briefs.count, 1);
}

CASE(a_copy_is_discarded_if_the_thread_has_waited_meanwhile, setup)
{
	add(7, 1, 20, false);
	kernel.meddle = 2;
	flight_release(&f);
	assert_int_equal(kernel.discarded, 2);
	assert_int_equal(kernel.submitted, 1);
	assert_int_equal(kernel.record.briefs.count, 22);
	assert_int_equal(waits_lost, 0);
}

CASE(waits_that_cannot_be_released_are_counted, setup)
{
	add(7, 1, 20, false);
	kernel.full = true;
	flight_release(&f);
	assert_int_equal(waits_lost, 1);
	assert_int_equal(flight_count(f.word), 0);
	kernel.full = false;
	add(7, 21, 40, false);
	kernel.meddle = FLIGHT_TRIES;
	flight_release(&f);
	assert_int_equal(waits_lost, 2);
	assert_int_equal(kernel.submitted, 0);
}

CASE(counts_may_wrap_around, setup)
{
	f.word = 0xfffffffefffffffeull;
	f.thread = 7;
	add(7, 1, 4, false);
	flight_release(&f);
	assert_int_equal(kernel.record.briefs.count, 4);
	assert_int_equal(off_of(3), 4);
}
