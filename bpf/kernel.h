/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations of the few kernel types that the programs use. They are written by hand; CO-RE relocates them to
 * the running kernel's layout, so the build needs no BTF.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/in6.h>
#include <linux/ptrace.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>
#include <stddef.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct list_head {
	struct list_head *next;
};

struct seqcount {
	unsigned int sequence;
};

struct seqcount_spinlock {
	struct seqcount seqcount;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct qstr {
	unsigned long long hash_len;
	const unsigned char *name;
};

struct dentry {
	struct seqcount_spinlock d_seq;
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	void *private_data;
	struct hlist_head *f_ep;
};

struct wait_queue_head {
	struct list_head head;
};

struct wait_queue_entry {
	void *private;
	struct list_head entry;
};

struct poll_table_entry {
	struct file *filp;
};

struct poll_wqueues {
	struct task_struct *polling_task;
	struct poll_table_entry inline_entries[1];
};

struct eventpoll {
	struct wait_queue_head wq;
	struct list_head rdllist;
	struct file *file;
};

struct epoll_filefd {
	struct file *file;
	int fd;
};

struct epoll_event {
	unsigned int events;
};

struct epitem {
	struct list_head rdllink;
	struct epoll_filefd ffd;
	struct hlist_node fllink;
	struct epoll_event event;
};

struct pipe_inode_info {
	struct wait_queue_head rd_wait, wr_wait;
};

struct socket_wq {
	struct wait_queue_head wait;
};

struct net {
	struct ns_common ns;
};

struct possible_net {
	struct net *net;
};

struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
	struct possible_net skc_net;
	unsigned short skc_num;
	unsigned short skc_dport; /* in network order, as the addresses are */
	unsigned int skc_daddr, skc_rcv_saddr;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket_wq *sk_wq;
	struct socket *sk_socket;
	__u16 sk_type;
};

struct socket {
	struct file *file;
	struct sock *sk;
	struct socket_wq wq;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	int len; /* of `name` with its family */
	struct sockaddr_un name[0];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct rq {
	unsigned long long clock;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct sched_info {
	unsigned long long run_delay, last_arrival, last_queued;
};

struct kernfs_node {
	const char *name;
	struct kernfs_node *parent;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	int pid;
	int tgid;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	unsigned in_iowait : 1;
	struct files_struct *files;
	struct fs_struct *fs;
	struct css_set *cgroups;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	unsigned long long start_boottime;
	char comm[16];
	unsigned long min_flt, maj_flt;
	struct sched_entity se;
	struct sched_info sched_info;
};

struct bpf_iter__task {
	struct task_struct *task;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct file *file;
};

#pragma clang attribute pop

/* BPF_UPTR: since Linux 6.13 a map value can hold a pointer into the memory of its writer. */
enum btf_field_type { BPF_UPTR = 1 };

enum cgroup_subsys_id { memory_cgrp_id = 1 };

/*
 * The value at a kernel address; 0 if nothing is mapped there. The probe_read helper takes 25 ns. Since Linux 6.2
 * a program can cast the address to a type that begins with such a value, and read it directly.
 */
#ifdef KERNEL_WITHOUT_CASTS /* libbpf 1.1 cannot link two objects that call the same function of the kernel */
static void *(*const bpf_rdonly_cast)(const void *address, __u32 type);
#else
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym __weak;
#endif

#define KERNEL_CAST(type, address) ((type *)bpf_rdonly_cast(address, bpf_core_type_id_kernel(type)))

static __always_inline int kernel_int(const void *at)
{
	int value = 0;

	if (bpf_rdonly_cast)
		return KERNEL_CAST(struct upid, at)->nr;
	bpf_probe_read_kernel(&value, sizeof(value), at);
	return value;
}

static __always_inline void *kernel_pointer(const void *at)
{
	void *value = NULL;

	if (bpf_rdonly_cast)
		return KERNEL_CAST(struct list_head, at)->next;
	bpf_probe_read_kernel(&value, sizeof(value), at);
	return value;
}

/* A member of a struct of the kernel at any address; 0 if nothing is mapped there. */
#define KERNEL_READ(type, address, member) \
	(bpf_rdonly_cast ? KERNEL_CAST(type, address)->member : BPF_CORE_READ((const type *)(address), member))

static __always_inline unsigned int file_mode(const struct file *file)
{
	return bpf_rdonly_cast ? KERNEL_CAST(struct file, file)->f_inode->i_mode : BPF_CORE_READ(file, f_inode, i_mode);
}

#endif
