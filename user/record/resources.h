/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of what threads waited for, by the ids that the kernel's half gives to them. Ids come in an endless row, as
 * names are sent again and again: the oldest ones are forgotten, and then unknown.
 */
#ifndef USER_RECORD_RESOURCES_H
#define USER_RECORD_RESOURCES_H

#include "user/record/peers.h"

struct resources;

/*
 * `services`: a file with the names of services, as services(5) says. `source`: who looks for peers on this machine; copied.
 * NULL: no memory.
 */
struct resources *resources_new(const char *services, const struct peer_source *source);
void resources_free(struct resources *r);

/*
 * Keep the name of a resource, whose text of `add->size` bytes stands behind *add. Without memory, or if the record makes no
 * sense, it is unknown.
 */
void resources_add(struct resources *r, const struct frt_resource *add);

/*
 * "10.0.0.7:5432", "[::1]:80"; a path, also of a Unix socket, which begins with '@' if it is abstract; "pipe:[123]",
 * "socket:[123]", "[eventfd]". A path ends with " (deleted)" if the file has been deleted, and begins with ".../" if it is
 * longer than the kernel's half can say. NULL: unknown. Valid until the next resources_add().
 */
const char *resources_text(const struct resources *r, uint64_t id);

/* peers_look_on() */
void resources_look_on(struct resources *r);

/* All names of a resource. Each is NULL if it is unknown, or there is none. */
struct resource_names {
	const char *resource;  /* resources_text() */
	const char *service;   /* "postgresql": of its port, if that is where the connection leads */
	const char *process;   /* "postgres": that has the other end, on this machine */
	const char *container; /* of that process, if it is another one than the target's */
};

/* Valid until the next call of any function. */
struct resource_names resources_names(struct resources *r, uint64_t id);

#endif
