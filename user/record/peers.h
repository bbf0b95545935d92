/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process has the other end of a connection within this machine. The kernel is asked when a wait is written whose
 * connection has not been looked at for a while, for all such connections at once, and so seldom that it costs at most a
 * hundredth of a CPU. Where there are many descriptors, a look takes some milliseconds at a time. In between, and where it
 * cannot be told, the process is unknown.
 */
#ifndef USER_RECORD_PEERS_H
#define USER_RECORD_PEERS_H

#include "user/capture/kernel_probes.h"
#include "user/process/container.h"

/* Who looks. */
struct peer_source {
	/* kernel_probes_find_peers() */
	int (*look)(void *context, struct peer_look *looks, size_t n);
	void *context;
	const char *container; /* the target's, as from target_container(): it is not named */
};

struct peers;

/* `source` is copied, its container is borrowed. source->look NULL: nobody looks. NULL: no memory. */
struct peers *peers_new(const struct peer_source *source);
void peers_free(struct peers *p);

struct peer {
	char process[sizeof(((struct frt_peer *)0)->name) + 1];
	char container[CONTAINER_TEXT]; /* "": the same as the target's, or none */
};

/* Have a connection looked at. `inode`: of the target's socket. */
void peers_add(struct peers *p, const struct frt_ends *ends, uint64_t inode);

/* Take the next part of a look that is not over, if there is one. Call it often. */
void peers_look_on(struct peers *p);

/* Who has its other end; NULL: unknown, or several processes. Valid until the next call. */
const struct peer *peers_find(struct peers *p, const struct frt_ends *ends, uint64_t inode);

#endif
