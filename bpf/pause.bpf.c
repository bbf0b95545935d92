// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program at the JVM's own USDT sites (providers hotspot and hs_private), one for all, as at those of the agent:
 * pauses, which are safepoints with their VM operation and collections, and Thread.sleep(). The VM thread begins and
 * ends safepoints; a collection may begin on one thread and end on another. There is at most one of each at a time.
 */
#include "bpf/emit.bpf.h"
#include "bpf/site.bpf.h"
#include "bpf/target.bpf.h"

#include <bpf/bpf_tracing.h>

/* In bpf/sched.bpf.c. */
extern int site_sleep(bool sleeping);

struct open_pause {
	__u64 begin; /* 0: none */
	__u16 flags;
	char name[sizeof(((struct frt_pause *)0)->name)];
};

static struct open_pause safepoint, collection;

static __always_inline int begin_pause(struct open_pause *open)
{
	__builtin_memset(open->name, 0, sizeof(open->name));
	open->flags = commanding ? FRT_PAUSE_COMMAND : 0;
	open->begin = now_ns();
	return 0;
}

static __always_inline int end_pause(struct open_pause *open, enum frt_pause_what what)
{
	struct frt_pause *p;

	if (!open->begin)
		return 0;
	p = reserve_record(sizeof(*p));
	if (p) {
		p->kind = FRT_PAUSE;
		p->what = what;
		p->flags = open->flags;
		p->begin = open->begin;
		p->end = now_ns();
		__builtin_memcpy(p->name, open->name, sizeof(p->name));
		queue_submit(p, WAKE_BY_LEVEL);
	}
	open->begin = 0;
	return 0;
}

static __always_inline int begin_safepoint(void)
{
	vm_thread = (__u32)bpf_get_current_pid_tgid();
	vm_collects = false;
	return begin_pause(&safepoint);
}

/* The name is not 0-terminated. A safepoint may have several operations. */
static __always_inline int begin_operation(struct pt_regs *context, __u64 cookie)
{
	__u64 name, length;

	if (!safepoint.begin) {
		vm_collects = false;
		return 0;
	}
	if (!site_argument(context, cookie, 0, &name) || !site_argument(context, cookie, 1, &length))
		return 0;
	if (length > sizeof(safepoint.name))
		length = sizeof(safepoint.name);
	bpf_probe_read_user(safepoint.name, length, (const void *)name);
	return 0;
}

static __always_inline int begin_collection(void)
{
	if (vm_thread == (__u32)bpf_get_current_pid_tgid())
		vm_collects = true;
	return begin_pause(&collection);
}

static __always_inline int at_jvm_site(struct pt_regs *context)
{
	__u64 cookie = bpf_get_attach_cookie(context);
	enum frt_site site = site_of(cookie);

	if (!is_target())
		return 0;
	switch (site) {
	case FRT_SITE_SLEEP_BEGIN: return site_sleep(true);
	case FRT_SITE_SLEEP_END: return site_sleep(false);
	case FRT_SITE_SAFEPOINT_BEGIN: return begin_safepoint();
	case FRT_SITE_SAFEPOINT_END: return end_pause(&safepoint, FRT_PAUSE_SAFEPOINT);
	case FRT_SITE_OPERATION_BEGIN: return begin_operation(context, cookie);
	case FRT_SITE_COLLECTION_BEGIN: return begin_collection();
	case FRT_SITE_COLLECTION_END: return end_pause(&collection, FRT_PAUSE_GC);
	default: return 0;
	}
}

SEC("uprobe")
int jvm_site(struct pt_regs *context)
{
	at_jvm_site(context);
	queue_flush(context);
	return 0;
}
