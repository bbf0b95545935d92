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
 * A wait has the id of its resource. The name follows it into the queue once in an epoch, about a second.
 *
 * Cost (Linux 6.18 on a VM, by the kernel's statistics of programs): 60 to 120 ns for the peer of a socket.
 */
#ifndef BPF_RESOURCE_H
#define BPF_RESOURCE_H

#include "bpf/emit.bpf.h"
#include "bpf/wait_reason.bpf.h"

#include <bpf/bpf_endian.h>

#define EPOCH_SHIFT 30 /* an epoch is 2^30 ns */

#define UNIX	  1 /* address families */
#define INTERNET  2
#define INTERNET6 10

#define SEEN 4096

/* Ids whose names have been sent. Each has one place; a second one drives it out, and its name is sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SEEN);
	__type(key, __u32);
	__type(value, __u64);
} resources_seen SEC(".maps");

#define STACK_WORDS 256 /* below the registers: the frames of the system call itself, and of what it has called first */
#define STACK_CALLS 64

/*
 * The first one is for the scheduler's programs, which nothing interrupts. The other programs may be preempted, by one
 * another, too, so they look for a free one.
 */
#define SCRATCHES 4

/* Memory for one look at a resource. */
struct resource_scratch {
	__u32 used;
	/* Addresses that became numbers here, with which the verifier allows arithmetic: */
	volatile __u64 context,
		registers; /* of the program's context, and of the registers on top of the thread's stack */
	volatile __u64 mount, directory, task, file, private, queue;
	__u64 words; /* of `word` */
	union {
		__u64 word[STACK_WORDS];
		__u64 call[STACK_CALLS];
		char path[112];
	};
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCHES);
	__type(key, __u32);
	__type(value, struct resource_scratch);
} resource_scratches SEC(".maps");

/* Where a system call returns to in do_syscall_64(); 0: not known yet. */
static volatile __u64 syscall_return = 0;

static __always_inline __u64 resource_mix(__u64 id, __u64 value)
{
	id = (id ^ value) * 0x9e3779b97f4a7c15;
	return id ^ id >> 29;
}

#define QUEUE_LOOK 8 /* entries of a wait queue: a new one is at an end of it */

/*
 * Does the task stand in this wait queue, by itself or by poll()? These functions are global, with addresses as numbers, so the
 * verifier looks at each of them once.
 */
int queue_has(__u64 queue, __u64 task, bool polls);
int waits_for_file(struct resource_scratch *s, bool polls);
int own_address(const struct resource_scratch *s, __u32 from);
__u64 resource_of_file(struct resource_scratch *s, __u64 now);
int stack_has_file(struct resource_scratch *s);
int waited_file(struct resource_scratch *s, bool polls);
int send_resource(const struct frt_resource *d, struct resource_scratch *s);
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

/* A mapped address is left as it is. */
static __always_inline void describe_internet(struct frt_resource *d, const struct sock *sock, __u16 family)
{
	__u16 port = KERNEL_READ(struct sock, sock, __sk_common.skc_dport);
	__u32 *last = (__u32 *)&d->address[12];

	d->what = family == INTERNET ? FRT_RESOURCE_INET4 : FRT_RESOURCE_INET;
	d->port = port ? bpf_ntohs(port) : KERNEL_READ(struct sock, sock, __sk_common.skc_num);
	if (family == INTERNET)
		*last = port ? KERNEL_READ(struct sock, sock, __sk_common.skc_daddr)
			     : KERNEL_READ(struct sock, sock, __sk_common.skc_rcv_saddr);
	else if (port)
		BPF_CORE_READ_INTO(&d->address, sock, __sk_common.skc_v6_daddr);
	else
		BPF_CORE_READ_INTO(&d->address, sock, __sk_common.skc_v6_rcv_saddr);
}

/* Read the bytes of a socket's path. Returns their number; 0: it has none. */
static __always_inline __u32 read_unix_path(struct resource_scratch *s, const struct sock *sock)
{
	const struct unix_address *address = KERNEL_READ(struct unix_sock, sock, addr);
	const __u32 family = bpf_core_field_offset(struct sockaddr_un, sun_path); /* bytes before the path */
	__u32 size = address ? KERNEL_READ(struct unix_address, address, len) - family : 0;
	const char *from = (const char *)address + bpf_core_field_offset(struct unix_address, name) + family;

	__builtin_memset(s->path, 0, sizeof(s->path));
	barrier_var(
		size); /* the register that is compared must be the one that is passed: Linux 6.12 links no others */
	if (size > sizeof(s->path) || bpf_probe_read_kernel(s->path, size, from))
		return 0;
	return KERNEL_READ(struct unix_sock, sock, addr) == address ? size : 0;
}

static __always_inline void describe_unix(struct frt_resource *d, const struct sock *sock, struct resource_scratch *s)
{
	const struct sock *peer = KERNEL_READ(struct unix_sock, sock, peer);

	d->size = peer ? read_unix_path(s, peer) : 0;
	if (KERNEL_READ(struct unix_sock, sock, peer) != peer)
		d->size = 0; /* the socket has been disconnected, and the peer may be gone */
	else if (!d->size)
		d->size = read_unix_path(s, sock);
	if (!d->size)
		return;
	d->what = FRT_RESOURCE_UNIX;
	for (__u32 i = 0; i < sizeof(s->path) / 8; i++)
		d->id = resource_mix(d->id, s->word[i]);
}

static __always_inline void describe_socket(struct frt_resource *d, const struct sock *sock, struct resource_scratch *s)
{
	__u16 family = KERNEL_READ(struct sock, sock, __sk_common.skc_family);

	d->what = FRT_RESOURCE_SOCKET;
	if (family == INTERNET || (family == INTERNET6 && bpf_core_field_exists(struct sock_common, skc_v6_daddr)))
		describe_internet(d, sock, family);
	else if (family == UNIX && bpf_core_type_exists(struct unix_sock))
		describe_unix(d, sock, s);
}

/* Two files with the same name in the same directory are one resource. */
static __always_inline void describe_file(struct frt_resource *d, const struct file *file, struct resource_scratch *s)
{
	const struct dentry *dentry = KERNEL_READ(struct file, file, f_path.dentry);
	const struct dentry *parent = KERNEL_READ(struct dentry, dentry, d_parent);

	d->what = parent == dentry ? FRT_RESOURCE_FILE : FRT_RESOURCE_PATH;
	if (parent != dentry && !KERNEL_READ(struct dentry, dentry, d_hash.pprev))
		d->flags |= FRT_RESOURCE_DELETED;
	s->mount = (__u64)KERNEL_READ(struct file, file, f_path.mnt);
	s->directory = (__u64)parent;
	d->id = resource_mix(d->id, s->mount);
	d->id = resource_mix(d->id, s->directory);
	d->id = resource_mix(d->id, KERNEL_READ(struct dentry, dentry, d_name.hash_len));
}

#define PATH_STEPS 32

/* Append a component. False: it is being renamed, or cannot be read. */
static __always_inline bool put_path_component(struct frt_named_resource *n, const struct dentry *dentry)
{
	__u32 sequence = KERNEL_READ(struct dentry, dentry, d_seq.seqcount.sequence);
	const void *name = KERNEL_READ(struct dentry, dentry, d_name.name);
	__u32 used = *(volatile __u16 *)&n->resource.size & (FRT_RESOURCE_TEXT - 1);
	long size = bpf_probe_read_kernel_str(n->text + used, FRT_RESOURCE_NAME, name);

	if (size <= 0)
		return false;
	*(volatile __u16 *)&n->resource.size = used + size;
	return !(sequence & 1) && KERNEL_READ(struct dentry, dentry, d_seq.seqcount.sequence) == sequence;
}

/* Write the path as the thread sees it. False: it has changed meanwhile. */
static __always_inline bool put_path(struct frt_named_resource *n, const void *task, const struct file *file)
{
	const struct dentry *dentry = KERNEL_READ(struct file, file, f_path.dentry), *parent;
	const struct vfsmount *mnt = KERNEL_READ(struct file, file, f_path.mnt);
	const struct fs_struct *fs = KERNEL_READ(struct task_struct, task, fs);
	const struct dentry *root = KERNEL_READ(struct fs_struct, fs, root.dentry);
	const struct vfsmount *root_mnt = KERNEL_READ(struct fs_struct, fs, root.mnt);

	for (int i = 0; i < PATH_STEPS; i++) {
		if (dentry == root && mnt == root_mnt)
			return true;
		if (dentry == KERNEL_READ(struct vfsmount, mnt, mnt_root)) {
			const char *mount = (const char *)mnt - bpf_core_field_offset(struct mount, mnt);
			const char *outer = (const char *)KERNEL_READ(struct mount, mount, mnt_parent);

			if (outer == mount)
				return true;
			dentry = KERNEL_READ(struct mount, mount, mnt_mountpoint);
			mnt = (const struct vfsmount *)(outer + bpf_core_field_offset(struct mount, mnt));
			continue;
		}
		if (*(volatile __u16 *)&n->resource.size >= FRT_RESOURCE_TEXT)
			break;
		parent = KERNEL_READ(struct dentry, dentry, d_parent);
		if (!put_path_component(n, dentry))
			return false;
		if (parent == dentry)
			return true;
		dentry = parent;
	}
	n->resource.flags |= FRT_RESOURCE_CUT;
	return true;
}

static __always_inline bool send_address(const struct frt_resource *d)
{
	struct frt_resource *r = queue_reserve(sizeof(*r));

	if (!r)
		return false;
	*r = *d;
	queue_submit(r, WAKE_NEVER);
	return true;
}

static __always_inline bool send_name(const struct frt_resource *d, struct resource_scratch *s, const struct file *file)
{
	struct frt_named_resource *n = queue_reserve(sizeof(*n));

	if (!n)
		return false;
	n->resource = *d;
	if (d->what == FRT_RESOURCE_UNIX) {
		bpf_probe_read_kernel(n->text, sizeof(s->path), s->path);
	} else if (!put_path(n, (const void *)s->task, file)) {
		queue_discard(n);
		return false;
	}
	queue_submit(n, WAKE_NEVER);
	return true;
}

/* Send the name that belongs to an id, unless it has been sent. False: it cannot be. */
__noinline int send_resource(const struct frt_resource *d, struct resource_scratch *s)
{
	__u64 *seen;
	__u32 place;
	bool named;

	if (!d || !s)
		return 0;
	named = d->what == FRT_RESOURCE_UNIX || d->what == FRT_RESOURCE_PATH || d->what == FRT_RESOURCE_FILE;
	place = d->id % SEEN;
	seen = bpf_map_lookup_elem(&resources_seen, &place);
	if (!seen)
		return 0;
	if (*seen == d->id)
		return 1;
	if (!(named ? send_name(d, s, (const struct file *)s->file) : send_address(d)))
		return 0;
	*seen = d->id;
	return 1;
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

/* The id of s->file, which s->task waits for. 0: its name cannot be told. */
__noinline __u64 resource_of_file(struct resource_scratch *s, __u64 now)
{
	const struct file *file;
	const struct inode *inode;
	const struct socket *socket;
	__u32 kind;
	struct frt_resource d = {.kind = FRT_RESOURCE};

	if (!s)
		return 0;
	file = (const struct file *)s->file;
	inode = KERNEL_READ(struct file, file, f_inode);
	socket = KERNEL_READ(struct file, file, private_data);
	kind = file_kind(file);
	d.inode = KERNEL_READ(struct inode, inode, i_ino);
	if (kind == KIND_SOCKET) {
		describe_socket(&d, KERNEL_READ(struct socket, socket, sk), s);
	} else {
		describe_file(&d, file, s);
		if (kind == KIND_PIPE && d.what == FRT_RESOURCE_FILE)
			d.what = FRT_RESOURCE_PIPE;
	}
	d.id = resource_mix(d.id, (__u64)d.flags << 32 | (__u64)d.what << 16 | d.port);
	if (d.what == FRT_RESOURCE_SOCKET || d.what == FRT_RESOURCE_PIPE)
		d.id = resource_mix(d.id, d.inode);
	d.id = resource_mix(d.id, ((__u64 *)d.address)[0]);
	d.id = resource_mix(d.id, ((__u64 *)d.address)[1]);
	d.id = resource_mix(d.id, now >> EPOCH_SHIFT);
	return send_resource(&d, s) ? d.id : 0;
}

static __always_inline struct resource_scratch *resource_scratch(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&resource_scratches, &zero);
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
static __noinline __u64 resource_of_ready(struct task_struct *task, const void *epoll, __u64 now)
{
	struct resource_scratch *s = resource_scratch();
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

static __noinline __u64 resource_of_item(struct resource_scratch *s, __u32 descriptor, __u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct file *file = descriptor_file(task, descriptor);
	const void *item = file ? polled_item(file, descriptor) : NULL;
	__u64 id;

	if (!s || !item)
		return 0;
	s->task = (__u64)task;
	s->file = (__u64)file;
	id = resource_of_file(s, now);
	return item_waits(item, file, descriptor) ? id : 0;
}

/*
 * The id of what a poller waits for under this descriptor of the running task, for a program that may be preempted. 0: unknown.
 * An item that still waits for the file at the end has kept it meanwhile.
 */
static __noinline __u64 resource_of_polled(__u32 descriptor, __u64 now)
{
	if (!bpf_core_type_exists(struct epitem) || !bpf_core_field_exists(struct file, f_ep))
		return 0;
	for (__u32 i = 1; i < SCRATCHES; i++) {
		__u32 key = i;
		struct resource_scratch *s = bpf_map_lookup_elem(&resource_scratches, &key);
		__u64 id;

		if (!s || __sync_lock_test_and_set(&s->used, 1))
			continue;
		id = resource_of_item(s, descriptor, now);
		__sync_lock_test_and_set(&s->used, 0);
		return id;
	}
	return 0;
}

#endif
