/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of what threads waited for, by the ids that the kernel's half gives to them. Ids come in an endless row, as
 * names are sent again and again: the oldest ones are forgotten, and then unknown.
 */
#ifndef USER_RECORD_RESOURCES_H
#define USER_RECORD_RESOURCES_H

#include "bpf/queue.h"

struct resources;

/* `services`: a file with the names of services, as services(5) says. NULL: no memory. */
struct resources *resources_new(const char *services);
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

/*
 * "postgresql": the service that the peer of a socket has by its port, if that is where the connection leads. NULL: it has none.
 * Valid as long as `r`.
 */
const char *resources_service(const struct resources *r, uint64_t id);

#endif
