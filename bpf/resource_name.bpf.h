/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The name of a file that a thread waits for: the address of a socket's peer, or a path. A wait has the id of its resource. The
 * name goes into the queue ahead of it, once in an epoch, about a second.
 */
#ifndef BPF_RESOURCE_NAME_H
#define BPF_RESOURCE_NAME_H

#include "bpf/emit.bpf.h"
#include "bpf/ends.bpf.h"
#include "bpf/wait_reason.bpf.h"

#define EPOCH_SHIFT 30 /* an epoch is 2^30 ns */

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
	struct frt_resource resource;
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

static __always_inline struct resource_scratch *resource_scratch(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&resource_scratches, &zero);
}

/* Global, so the verifier looks at them once. */
int send_resource(struct resource_scratch *s);
__u64 resource_of_file(struct resource_scratch *s, __u64 now);

static __always_inline __u64 resource_mix(__u64 id, __u64 value)
{
	id = (id ^ value) * 0x9e3779b97f4a7c15;
	return id ^ id >> 29;
}

#define CHOSEN_PORTS 32768 /* from here on systems choose ports for those who make a connection (ip_local_port_range) */

static __always_inline void describe_internet(struct frt_resource *d, const struct sock *sock, __u16 family)
{
	__u16 type = KERNEL_READ(struct sock, sock, sk_type);

	read_ends(&d->ends, sock, family);
	d->what = FRT_RESOURCE_INET;
	if (d->ends.port[1] && d->ends.port[1] < CHOSEN_PORTS && d->ends.port[0] >= CHOSEN_PORTS)
		d->flags |= FRT_RESOURCE_CALLED;
	if (type == DATAGRAMS)
		d->flags |= FRT_RESOURCE_DATAGRAM;
	if (type == STREAM && ends_are_local(&d->ends)) {
		d->flags |= FRT_RESOURCE_LOCAL;
		d->ends.network = network_of(sock);
	}
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
	d->ends.inode = peer ? BPF_CORE_READ((const struct sock *)peer, sk_socket, file, f_inode, i_ino) : 0;
	if (KERNEL_READ(struct unix_sock, sock, peer) != peer)
		d->size = d->ends.inode = 0; /* the socket has been disconnected, and the peer may be gone */
	else if (!d->size)
		d->size = read_unix_path(s, sock);
	if (d->ends.inode)
		d->flags |= FRT_RESOURCE_LOCAL;
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
	if (is_internet(family))
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
	__u32 used = *(volatile __u32 *)&n->resource.size & (FRT_RESOURCE_TEXT - 1);
	long size = bpf_probe_read_kernel_str(n->text + used, FRT_RESOURCE_NAME, name);

	if (size <= 0)
		return false;
	*(volatile __u32 *)&n->resource.size = used + size;
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

	/* 64 bits: if registers are short, i is kept on the stack, where Linux 5.15 would not know a smaller one again */
	for (__u64 i = 0; i < PATH_STEPS; i++) {
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
		if (*(volatile __u32 *)&n->resource.size >= FRT_RESOURCE_TEXT)
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

/* Send the name that belongs to the id of s->resource, unless it has been sent. False: it cannot be. */
__noinline int send_resource(struct resource_scratch *s)
{
	const struct frt_resource *d;
	__u64 *seen;
	__u32 place;
	bool named;

	if (!s)
		return 0;
	d = &s->resource;
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

/* All connections to a peer are one resource, except where it matters who has the other end. */
static __always_inline __u64 mix_ends(__u64 id, const struct frt_ends *e, bool local)
{
	const __u64 *own = (const __u64 *)e->address[0], *other = (const __u64 *)e->address[1];
	bool connected = e->port[1];

	if (local) {
		id = resource_mix(id, e->inode);
		id = resource_mix(id, (__u64)e->network << 16 | e->port[0]);
	}
	if (local || !connected) {
		id = resource_mix(id, own[0]);
		id = resource_mix(id, own[1]);
	}
	id = resource_mix(id, connected ? e->port[1] : e->port[0]);
	id = resource_mix(id, other[0]);
	return resource_mix(id, other[1]);
}

/* The id of s->file, which s->task waits for. 0: its name cannot be told. */
__noinline __u64 resource_of_file(struct resource_scratch *s, __u64 now)
{
	const struct file *file;
	const struct inode *inode;
	const struct socket *socket;
	__u32 kind;
	struct frt_resource *d;

	if (!s)
		return 0;
	d = &s->resource;
	__builtin_memset(d, 0, sizeof(*d));
	d->kind = FRT_RESOURCE;
	file = (const struct file *)s->file;
	inode = KERNEL_READ(struct file, file, f_inode);
	socket = KERNEL_READ(struct file, file, private_data);
	kind = file_kind(file);
	d->inode = KERNEL_READ(struct inode, inode, i_ino);
	if (kind == KIND_SOCKET) {
		describe_socket(d, KERNEL_READ(struct socket, socket, sk), s);
	} else {
		describe_file(d, file, s);
		if (kind == KIND_PIPE && d->what == FRT_RESOURCE_FILE)
			d->what = FRT_RESOURCE_PIPE;
	}
	d->id = resource_mix(d->id, (__u64)d->flags << 16 | d->what);
	if (d->what == FRT_RESOURCE_SOCKET || d->what == FRT_RESOURCE_PIPE || d->flags & FRT_RESOURCE_LOCAL)
		d->id = resource_mix(d->id, d->inode);
	d->id = mix_ends(d->id, &d->ends, d->flags & FRT_RESOURCE_LOCAL);
	d->id = resource_mix(d->id, now >> EPOCH_SHIFT);
	return send_resource(s) ? d->id : 0;
}

#endif
