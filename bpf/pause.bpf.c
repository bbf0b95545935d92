// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pauses of the JVM, taken from its own USDT sites (provider hotspot): safepoints with their VM operation, and
 * collections. The VM thread begins and ends safepoints; a collection may begin on one thread and end on another.
 * There is at most one of each at a time.
 */
#include "bpf/emit.bpf.h"
#include "bpf/target.bpf.h"

#include <bpf/usdt.bpf.h>

struct open_pause {
	__u64 begin; /* 0: none */
	char name[sizeof(((struct frt_pause *)0)->name)];
};

static struct open_pause safepoint, collection;

static __always_inline int begin_pause(struct open_pause *open)
{
	if (!is_target())
		return 0;
	__builtin_memset(open->name, 0, sizeof(open->name));
	open->begin = now_ns();
	return 0;
}

static __always_inline int end_pause(struct open_pause *open, enum frt_pause_what what)
{
	struct frt_pause *p;

	if (!is_target() || !open->begin)
		return 0;
	p = reserve_record(sizeof(*p));
	if (p) {
		p->kind = FRT_PAUSE;
		p->what = what;
		p->begin = open->begin;
		p->end = now_ns();
		__builtin_memcpy(p->name, open->name, sizeof(p->name));
		bpf_ringbuf_submit(p, wake_flags());
	}
	open->begin = 0;
	return 0;
}

SEC("usdt")
int safepoint_begin(struct pt_regs *context)
{
	if (is_target()) {
		vm_thread = (__u32)bpf_get_current_pid_tgid();
		vm_collects = false;
	}
	return begin_pause(&safepoint);
}

/* The name is not 0-terminated. A safepoint may have several operations. */
SEC("usdt")
int BPF_USDT(operation_begin, const char *name, __u64 length)
{
	if (!is_target())
		return 0;
	if (!safepoint.begin) {
		vm_collects = false;
		return 0;
	}
	if (length > sizeof(safepoint.name))
		length = sizeof(safepoint.name);
	bpf_probe_read_user(safepoint.name, length, name);
	return 0;
}

SEC("usdt")
int safepoint_end(struct pt_regs *context)
{
	return end_pause(&safepoint, FRT_PAUSE_SAFEPOINT);
}

SEC("usdt")
int collection_begin(struct pt_regs *context)
{
	if (is_target() && vm_thread == (__u32)bpf_get_current_pid_tgid())
		vm_collects = true;
	return begin_pause(&collection);
}

SEC("usdt")
int collection_end(struct pt_regs *context)
{
	return end_pause(&collection, FRT_PAUSE_GC);
}
