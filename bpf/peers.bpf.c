// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who has the other end of a connection within this machine. Only the kernel can say so without a look into /proc that any
 * process might hold up: an iterator over the descriptors of all processes meets both ends. That of a Unix socket is known by
 * its inode. An internet socket has no link to its other end, but its addresses and ports, exchanged, are those of no other socket
 * in its network namespace as long as it is connected.
 *
 * It runs when the collector asks. It writes a byte for each descriptor: the collector reads 1000 bytes to have 1000 descriptors
 * looked at.
 */
#define KERNEL_WITHOUT_CASTS
#include "bpf/ends.bpf.h"
#include "bpf/peers.h"
#include "bpf/wait_reason.bpf.h"

#define ESTABLISHED 1

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FRT_PEERS_MOST);
	__type(key, struct frt_ends);
	__type(value, struct frt_peer);
} peers SEC(".maps");

#define GROUP_DEPTH 16

/* Since Linux 6.15 the parent has another name. */
struct kernfs_node___since_6_15 {
	struct kernfs_node *__parent;
} __attribute__((preserve_access_index));

static __always_inline const struct kernfs_node *outer_group(const struct kernfs_node *node)
{
	const struct kernfs_node___since_6_15 *since = (const void *)node;

	return bpf_core_field_exists(since->__parent) ? BPF_CORE_READ(since, __parent) : BPF_CORE_READ(node, parent);
}

/* The control group that containers have, with version 1 that of their memory. */
static __always_inline const struct kernfs_node *group_of(struct task_struct *task)
{
	const struct cgroup_subsys_state *memory = NULL;
	const struct kernfs_node *group;
	const struct css_set *set;

	if (!bpf_core_field_exists(task->cgroups)) /* the kernel has none */
		return NULL;
	set = BPF_CORE_READ(task, cgroups);
	group = BPF_CORE_READ(set, dfl_cgrp, kn);
	if (group && outer_group(group))
		return group;
	if (bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		memory = kernel_pointer((const char *)set + bpf_core_field_offset(struct css_set, subsys) +
					sizeof(memory) * bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id));
	return memory ? BPF_CORE_READ(memory, cgroup, kn) : group;
}

static __always_inline void peer_note_group(struct frt_peer *p, const struct kernfs_node *group)
{
	for (int i = 0; i < GROUP_DEPTH && group; i++) {
		const struct kernfs_node *outer = outer_group(group);
		__u32 used = *(volatile __u32 *)&p->size & (FRT_PEER_GROUP - 1);
		long size;

		if (!outer || *(volatile __u32 *)&p->size >= FRT_PEER_GROUP) /* the root has no name */
			break;
		size = bpf_probe_read_kernel_str(p->group + used, FRT_PEER_NAME, BPF_CORE_READ(group, name));
		if (size <= 0)
			break;
		*(volatile __u32 *)&p->size = used + size;
		group = outer;
	}
}

static __always_inline void peer_note_holder(struct frt_peer *p, struct task_struct *task)
{
	if (p->process == task->tgid)
		return;
	if (p->process) {
		p->several = 1;
		return;
	}
	p->process = task->tgid;
	bpf_probe_read_kernel_str(p->name, sizeof(p->name), BPF_CORE_READ(task, group_leader, comm));
	peer_note_group(p, group_of(task));
}

static __always_inline void look_at_internet(struct task_struct *task, const struct sock *sock, __u16 family,
					     __u64 inode)
{
	struct frt_ends ends = {}, other = {};
	struct frt_peer *p;

	read_ends(&ends, sock, family);
	if (!ends.port[1] || KERNEL_READ(struct sock, sock, sk_type) != STREAM)
		return;
	ends.network = network_of(sock);
	p = bpf_map_lookup_elem(&peers, &ends);
	if (p && p->inode == inode && KERNEL_READ(struct sock, sock, __sk_common.skc_state) == ESTABLISHED)
		p->connected = 1;
	other.network = ends.network;
	for (int i = 0; i < 2; i++) {
		other.port[i] = ends.port[1 - i];
		__builtin_memcpy(other.address[i], ends.address[1 - i], sizeof(other.address[i]));
	}
	p = bpf_map_lookup_elem(&peers, &other);
	if (p)
		peer_note_holder(p, task);
}

static __always_inline void look_at_unix(struct task_struct *task, __u64 inode)
{
	struct frt_ends ends = {.inode = inode};
	struct frt_peer *p = bpf_map_lookup_elem(&peers, &ends);

	if (p)
		peer_note_holder(p, task);
}

SEC("iter/task_file")
int peers_look(struct bpf_iter__task_file *context)
{
	struct task_struct *task = context->task;
	const struct file *file = context->file;
	const struct socket *socket;
	const struct sock *sock;
	__u64 inode;
	__u16 family;

	if (!task || !file)
		return 0;
	bpf_seq_write(context->meta->seq, &(char){0}, 1);
	if (file_kind(file) != KIND_SOCKET)
		return 0;
	socket = BPF_CORE_READ(file, private_data);
	sock = BPF_CORE_READ(socket, sk);
	if (!sock)
		return 0;
	inode = BPF_CORE_READ(file, f_inode, i_ino);
	family = KERNEL_READ(struct sock, sock, __sk_common.skc_family);
	if (is_internet(family))
		look_at_internet(task, sock, family, inode);
	else if (family == UNIX)
		look_at_unix(task, inode);
	return 0;
}
