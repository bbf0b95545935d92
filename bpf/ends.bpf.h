/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two ends of an internet connection, as the kernel's socket has them. */
#ifndef BPF_ENDS_H
#define BPF_ENDS_H

#include "bpf/kernel.h"
#include "bpf/queue.h"

#include <bpf/bpf_endian.h>

#define UNIX	  1 /* address families */
#define INTERNET  2
#define INTERNET6 10

#define STREAM	  1 /* types of sockets */
#define DATAGRAMS 2

#define LOOPBACK 127 /* first byte of an IPv4 address */

/* IPv4 addresses are written as IPv6: the two ends of a connection may be of different families. */
static __always_inline void put_mapped(frt_u8 address[16], __u32 four)
{
	((__u32 *)address)[2] = bpf_htonl(0xffff);
	((__u32 *)address)[3] = four;
}

static __always_inline bool is_internet(__u16 family)
{
	return family == INTERNET || (family == INTERNET6 && bpf_core_field_exists(struct sock_common, skc_v6_daddr));
}

/* `e` is zeroed. Its network namespace is left out. */
static __always_inline void read_ends(struct frt_ends *e, const struct sock *sock, __u16 family)
{
	e->port[0] = KERNEL_READ(struct sock, sock, __sk_common.skc_num);
	e->port[1] = bpf_ntohs(KERNEL_READ(struct sock, sock, __sk_common.skc_dport));
	if (family == INTERNET) {
		put_mapped(e->address[0], KERNEL_READ(struct sock, sock, __sk_common.skc_rcv_saddr));
		put_mapped(e->address[1], KERNEL_READ(struct sock, sock, __sk_common.skc_daddr));
	} else {
		BPF_CORE_READ_INTO(&e->address[0], sock, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&e->address[1], sock, __sk_common.skc_v6_daddr);
	}
}

static __always_inline __u32 network_of(const struct sock *sock)
{
	return bpf_core_field_exists(struct sock_common, skc_net)
		       ? BPF_CORE_READ(sock, __sk_common.skc_net.net, ns.inum)
		       : 0;
}

/* Is the other end on this machine, in the same network namespace? That is where the loopback and own addresses lead. */
static __always_inline bool ends_are_local(const struct frt_ends *e)
{
	const __u64 *own = (const __u64 *)e->address[0], *other = (const __u64 *)e->address[1];

	if (!e->port[1])
		return false;
	if (own[0] == other[0] && own[1] == other[1])
		return true;
	return !other[0] && ((const __u32 *)other)[2] == bpf_htonl(0xffff) && e->address[1][12] == LOOPBACK;
}

#endif
