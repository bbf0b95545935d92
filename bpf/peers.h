/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between collector and kernel about peers on this machine: the connections whose peers are wanted, and the
 * processes that have their other ends.
 */
#ifndef BPF_PEERS_H
#define BPF_PEERS_H

#include "bpf/queue.h"

#define FRT_PEERS_MOST 64u  /* connections that are wanted at a time */
#define FRT_PEER_GROUP 512u /* bytes of a control group's path */
#define FRT_PEER_NAME  128u /* of a component */

/*
 * Of a connection, by its ends as the target's socket has them. `inode` is written by the collector, all else by the program
 * that looks at the descriptors of all processes.
 */
struct frt_peer {
	frt_u64 inode;	   /* of the target's socket */
	frt_u32 process;   /* who has the other end: number in the initial pid namespace; 0: nobody */
	frt_u16 connected; /* the target's socket has been seen, and is connected; always 0 for Unix sockets */
	frt_u16 several;   /* more than one process has the other end */
	char name[16];	   /* of the process: its first thread's */
	frt_u32 size;	   /* of `group` */
	frt_u32 reserved;
	/* The names of its control groups from the innermost outwards, each with a 0 behind it. */
	char group[FRT_PEER_GROUP + FRT_PEER_NAME];
};

#endif
