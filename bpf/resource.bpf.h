/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a thread waits for: the peer of a socket, the path of a file.
 *
 * The thread has entered its system call with a descriptor, and another thread may have closed that or put another file
 * there (dup2) since, even before the wait begins. The descriptor only says which file is likely. It counts if the kernel
 * shows that the thread waits for it: the thread stands in the wait queue of that socket or pipe, or, for other files, the
 * call has the file's address on its stack. If it does not, the entry of a wait queue on the thread's stack leads to the
 * socket. Otherwise the resource is unknown.
 *
 * A virtual thread waits for a descriptor by having one of the JDK's pollers, an epoll instance, look at it once (EPOLLONESHOT).
 * What that looks at is the file as it was then: an item, which has the file and the number of the descriptor. The file that
 * the descriptor has counts if it has such an item that waits.
 *
 * Cost (Linux 6.18 on a VM, by the kernel's statistics of programs): 60 to 120 ns for the peer of a socket.
 */
#ifndef BPF_RESOURCE_H
#define BPF_RESOURCE_H

#include "bpf/resource_name.bpf.h"

/* Where a system call returns to in do_syscall_64(); 0: not known yet. */
static volatile __u64 syscall_return = 0;

#define QUEUE_LOOK 8 /* entries of a wait queue: a new one is at an end of it */

/*
 * Does the task stand in this wait queue, by itself or by poll()? These functions are global, with addresses as numbers, so the
 * verifier looks at each of them once.
 */
int queue_has(__u64 queue, __u64 task, bool polls);
int waits_for_file(struct resource_scratch *s, bool polls);
int own_address(const struct resource_scratch *s, __u32 from);
int stack_has_file(struct resource_scratch *s);
int waited_file(struct resource_scratch *s, bool polls);
__u64 resource_of_scratch(struct resource_scratch *s, bool polls, __u64 now);

__noinline int queue_has(__u64 queue, __u64 task, bool polls)
{
	const void *head = (const char *)queue + bpf_core_field_offset(struct wait_queue_head, head);
	const void *at = KERNEL_READ(struct wait_queue_head, (const void *)queue, head.next);

	for (int i = 0; i < QUEUE_LOOK && at && at != head; i++) {
		const void *entry = (const char *)at - bpf_core_field_offset(struct wait_queue_entry, entry);
		const void *private = KERNEL_READ(struct wait_queue_entry, entry, private);

		if (polls && private && bpf_core_type_exists(struct poll_wqueues))
		private = KERNEL_READ(struct poll_wqueues, private, polling_task);
		if ((__u64) private == task)
			return 1;
		at = KERNEL_READ(struct wait_queue_entry, entry, entry.next);
	}
	return 0;
}

/*
 * The system call's own frames are the outermost ones. Above them is a gap of random size with old contents
 * (CONFIG_RANDOMIZE_KSTACK_OFFSET), and then the frame of do_syscall_64(). Where a system call returns to in that function is
 * the same for all of them; the unwinder finds it once.
 */
static __always_inline void learn_syscall_return(struct resource_scratch *s)
{
	long size = bpf_get_task_stack(bpf_get_current_task_btf(), s->call, sizeof(s->call), 0);
	__u32 n = size / sizeof(s->call[0]);

	if (size > 0 && n >= 2 && n < STACK_CALLS)
		syscall_return = s->call[n - 2];
}

/* Is the file's address in the frames of the system call? In them, it has the two flags of a struct fd as its low bits. */
__noinline int stack_has_file(struct resource_scratch *s)
{
	__u64 top, from, size;
	bool found = false;

	if (!s)
		return 0;
	top = s->registers;
	from = top - sizeof(s->word);
	if (!syscall_return)
		learn_syscall_return(s);
	size = top - (s->context > from ? s->context : from);
	if (!size || size > sizeof(s->word) || bpf_probe_read_kernel(s->word, size, (const void *)(top - size)))
		return false;
	for (__u32 i = 0; i < STACK_WORDS && i < size / 8; i++) {
		if (s->word[i] == syscall_return)
			return found;
		found |= (s->word[i] & ~3ull) == s->file;
	}
	return false;
}

/* Does the task stand in the wait queue of s->file, a socket or a pipe? */
__noinline int waits_for_file(struct resource_scratch *s, bool polls)
{
	const struct file *file;
	const void *socket;
	const struct sock *sock;
	__u32 kind;

	if (!s)
		return 0;
	file = (const struct file *)s->file;
	kind = file_kind(file);
	s->private = (__u64)KERNEL_READ(struct file, file, private_data);
	if (!s->private)
		return 0;
	if (kind == KIND_PIPE)
		return bpf_core_field_exists(struct pipe_inode_info, rd_wait) &&
		       (queue_has(s->private + bpf_core_field_offset(struct pipe_inode_info, rd_wait), s->task,
				  polls) ||
			queue_has(s->private + bpf_core_field_offset(struct pipe_inode_info, wr_wait), s->task, polls));
	if (kind != KIND_SOCKET)
		return 0;
	socket = (const void *)s->private;
	sock = KERNEL_READ(struct socket, socket, sk);
	s->queue = sock ? (__u64)KERNEL_READ(struct sock, sock, sk_wq) : 0;
	return s->queue && queue_has(s->queue + bpf_core_field_offset(struct socket_wq, wait), s->task, polls);
}

/* Where the task's own address is on its stack, from word `from` on; STACK_WORDS: nowhere. */
__noinline int own_address(const struct resource_scratch *s, __u32 from)
{
	if (!s)
		return STACK_WORDS;
	for (__u32 i = 0; i < STACK_WORDS && from < s->words; i++, from++) {
		__u32 at = from;

		barrier_var(at); /* or the compiler makes a pointer of it that the verifier cannot bound */
		if (at >= STACK_WORDS)
			break;
		if (s->word[at] == s->task)
			return at;
	}
	return STACK_WORDS;
}

#define IN_WORDS(type, member) (bpf_core_field_offset(type, member) / 8)

/* The file of a socket if this is the head of its wait queue; or else anything. */
static __always_inline const struct file *file_of_queue(__u64 head)
{
	const char *socket = (const char *)head - bpf_core_field_offset(struct socket, wq.wait.head);

	return KERNEL_READ(struct socket, socket, file);
}

#define OWN_ADDRESSES 8

/*
 * The descriptor has another file by now. The entry by which the task stands in a wait queue lies on its stack, with its own
 * address and links to the queue, or else, in poll(), to the file. What is found there is no more than a candidate, too. True: s->file has it.
 */
__noinline int waited_file(struct resource_scratch *s, bool polls)
{
	const __u32 links = IN_WORDS(struct wait_queue_entry, entry) - IN_WORDS(struct wait_queue_entry, private);
	const __u32 polled =
		IN_WORDS(struct poll_wqueues, inline_entries) - IN_WORDS(struct poll_wqueues, polling_task);
	__u64 size;
	__u32 at = 0;

	if (!s || !bpf_core_field_exists(struct socket, wq))
		return 0;
	size = s->registers - s->context;
	if (size > sizeof(s->word))
		size = sizeof(s->word);
	s->words = size / 8;
	if (bpf_probe_read_kernel(s->word, size, (const void *)s->context))
		return false;
	for (int i = 0; i < OWN_ADDRESSES; i++, at++) {
		const struct file *file;
		__u32 link;

		at = own_address(s, at);
		link = at + (polls ? polled : links);
		if (at >= STACK_WORDS || link >= STACK_WORDS || link >= s->words)
			break;
		file = polls ? (const struct file *)s->word[link] : file_of_queue(s->word[link]);
		s->file = (__u64)file;
		if (file && waits_for_file(s, polls))
			return true;
	}
	return false;
}

/* The id of what the running task, s->task, waits for if its descriptor's file, s->file, is that. 0: unknown. */
__noinline __u64 resource_of_scratch(struct resource_scratch *s, bool polls, __u64 now)
{
	__u32 kind;

	if (!s)
		return 0;
	kind = file_kind((const struct file *)s->file);
	if (kind == KIND_SOCKET || kind == KIND_PIPE) {
		if (!waits_for_file(s, polls) && !waited_file(s, polls))
			return 0;
	} else if (polls || !stack_has_file(s)) {
		return 0;
	}
	return resource_of_file(s, now);
}

/* Remember where the frames of the running thread's system call end: below them are those of this program. */
static __always_inline void resource_stack(void *context)
{
	struct resource_scratch *s = resource_scratch();

	if (s)
		s->context = (__u64)context;
}

/*
 * The same, after resource_stack(), for the running task, which is about to wait in a system call. `file` has its descriptor
 * now.
 */
static __always_inline __u64 resource_of(struct task_struct *task, const struct pt_regs___kernel *r,
					 const struct file *file, __u64 now)
{
	struct resource_scratch *s = resource_scratch();

	if (!s)
		return 0;
	s->registers = (__u64)r;
	s->task = (__u64)task;
	s->file = (__u64)file;
	return resource_of_scratch(s, regs_call(r) == __NR_poll || regs_call(r) == __NR_ppoll, now);
}

static __always_inline bool is_epoll(const struct pt_regs___kernel *r)
{
	return regs_call(r) == __NR_epoll_wait || regs_call(r) == __NR_epoll_pwait || regs_call(r) == EPOLL_PWAIT2;
}

/* The address of the struct eventpoll that the running task waits for, if `file` is that one's. 0: it is not. */
static __noinline __u64 epoll_of(struct task_struct *task, const struct file *file)
{
	struct resource_scratch *s = resource_scratch();

	if (!s || !bpf_core_type_exists(struct eventpoll) || !bpf_core_type_exists(struct epitem))
		return 0;
	s->task = (__u64)task;
	s->file = (__u64)KERNEL_READ(struct file, file, private_data);
	return s->file && queue_has(s->file + bpf_core_field_offset(struct eventpoll, wq), s->task, false) ? s->file
													   : 0;
}

/*
 * The id of what has become ready first in an epoll instance whose waiting task is about to run, and so keeps the instance.
 * 0: nothing has, or another task has taken it. An item that is still in the list at the end has kept its file meanwhile: a
 * file takes its items out before it goes, and an item is not reused while this program runs (RCU).
 */
static __noinline __u64 resource_of_ready(struct resource_scratch *s, struct task_struct *task, const void *epoll,
					  __u64 now)
{
	const char *list = (const char *)epoll + bpf_core_field_offset(struct eventpoll, rdllist);
	const char *first = (const char *)KERNEL_READ(struct eventpoll, epoll, rdllist.next), *item;
	__u64 id;

	if (!s || !first || first == list)
		return 0;
	item = first - bpf_core_field_offset(struct epitem, rdllink);
	s->task = (__u64)task;
	s->file = (__u64)KERNEL_READ(struct epitem, item, ffd.file);
	id = s->file ? resource_of_file(s, now) : 0;
	return (const char *)KERNEL_READ(struct eventpoll, epoll, rdllist.next) == first ? id : 0;
}

#define ONE_SHOT      (1u << 30)
#define NO_EVENTS     (15u << 28) /* flags that are no events: an item that has fired has only these */
#define ITEMS_OF_FILE 8

/* Does this item wait for the file, under this descriptor, for one event? */
static __always_inline bool item_waits(const void *item, const struct file *file, __u32 descriptor)
{
	__u32 events = KERNEL_READ(struct epitem, item, event.events);

	return KERNEL_READ(struct epitem, item, ffd.file) == file && events & ONE_SHOT && events & ~NO_EVENTS &&
	       (__u32)KERNEL_READ(struct epitem, item, ffd.fd) == descriptor;
}

/* The item by which a poller waits for the file. NULL: there is none. */
static __always_inline const void *polled_item(const struct file *file, __u32 descriptor)
{
	const struct hlist_head *items = KERNEL_READ(struct file, file, f_ep);
	const char *at = items ? (const char *)KERNEL_READ(struct hlist_head, items, first) : NULL;

	for (int i = 0; i < ITEMS_OF_FILE && at; i++) {
		const void *item = at - bpf_core_field_offset(struct epitem, fllink);

		if (item_waits(item, file, descriptor))
			return item;
		at = (const char *)KERNEL_READ(struct hlist_node, at, next);
	}
	return NULL;
}

/* What a virtual thread waits for. Zeroed: unknown. */
struct polled {
	__u64 resource;	   /* id */
	__u64 epoll, file; /* of a selector; else 0 */
	__u64 descriptor;
};

/* The address of the struct eventpoll that the file has. 0: it is another one. */
static __always_inline __u64 epoll_of_file(const struct file *file)
{
	const void *private = KERNEL_READ(struct file, file, private_data);

	if (!bpf_core_field_exists(struct eventpoll, file) || !private ||
	    KERNEL_READ(struct eventpoll, private, file) != file)
		return 0;
	return (__u64) private;
}

static __always_inline struct resource_scratch *resource_claim_scratch(void)
{
	for (__u32 i = 1; i < SCRATCHES; i++) {
		__u32 key = i;
		struct resource_scratch *s = bpf_map_lookup_elem(&resource_scratches, &key);

		if (s && !__sync_lock_test_and_set(&s->used, 1))
			return s;
	}
	return NULL;
}

static __always_inline void resource_release_scratch(struct resource_scratch *s)
{
	__sync_lock_test_and_set(&s->used, 0);
}

static __noinline void polled_of_item(struct resource_scratch *s, struct polled *out, __u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct file *file = descriptor_file(task, out->descriptor);
	const void *item = file ? polled_item(file, out->descriptor) : NULL;
	__u64 epoll = item ? epoll_of_file(file) : 0, id = 0;

	if (!s || !item)
		return;
	s->task = (__u64)task;
	s->file = (__u64)file;
	if (!epoll)
		id = resource_of_file(s, now);
	if (!item_waits(item, file, out->descriptor))
		return;
	out->resource = id;
	out->epoll = epoll;
	out->file = epoll ? (__u64)file : 0;
}

/*
 * Find what a poller waits for under out->descriptor of the running task, for a program that may be preempted. An item that still
 * waits for the file at the end has kept it meanwhile.
 */
static __noinline void find_polled(struct polled *out, __u64 now)
{
	struct resource_scratch *s;

	if (!bpf_core_type_exists(struct epitem) || !bpf_core_field_exists(struct file, f_ep))
		return;
	s = resource_claim_scratch();
	if (!s)
		return;
	polled_of_item(s, out, now);
	resource_release_scratch(s);
}

/*
 * The id of what has become ready first in a selector whose virtual thread is about to run on this task, and has not looked at it
 * yet. 0: nothing has, or the descriptor has another file by now.
 */
static __noinline __u64 resource_of_selector(struct task_struct *task, const struct polled *p, __u64 now)
{
	struct resource_scratch *s = resource_claim_scratch();
	const struct file *file = (const struct file *)p->file;
	__u64 id;

	if (!s)
		return 0;
	id = resource_of_ready(s, task, (const void *)p->epoll, now);
	if (descriptor_file(task, p->descriptor) != file || epoll_of_file(file) != p->epoll)
		id = 0;
	resource_release_scratch(s);
	return id;
}

#endif
