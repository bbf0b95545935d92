// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/resources.h"
#include "format/bytes.h"
#include "user/record/services.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define SETS 4096u /* with the ids that fall into it; of those as many are kept as there are */
#define WAYS 8u

struct resources {
	struct resource {
		uint64_t id; /* 0: none */
		uint64_t at; /* its number in the row of all */
		char *text;
		const char *service;  /* NULL: none */
		struct frt_ends ends; /* of a connection within this machine, and */
		uint64_t inode;	      /* that of the target's socket; 0: it is none */
	} set[SETS][WAYS];
	struct services *services; /* NULL: none are known */
	struct peers *peers;
	uint64_t added;
};

struct resources *resources_new(const char *services, const struct peer_source *source)
{
	struct resources *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->services = services_read(services);
	r->peers = peers_new(source);
	if (!r->peers) {
		resources_free(r);
		return NULL;
	}
	return r;
}

void resources_free(struct resources *r)
{
	for (size_t i = 0; r && i < SETS * WAYS; i++)
		free(r->set[i / WAYS][i % WAYS].text);
	if (r)
		services_free(r->services);
	if (r)
		peers_free(r->peers);
	free(r);
}

/* Of the peer, or, if there is none, the socket's own address. */
static void put_resource_address(struct bytes *out, const struct frt_resource *r)
{
	unsigned int end = r->ends.port[1] ? 1 : 0;
	struct in6_addr address;
	bool mapped;
	char text[INET6_ADDRSTRLEN];

	memcpy(&address, r->ends.address[end], sizeof(address));
	mapped = IN6_IS_ADDR_V4MAPPED(&address);
	if (mapped)
		inet_ntop(AF_INET, &address.s6_addr[12], text, sizeof(text));
	else
		inet_ntop(AF_INET6, &address, text, sizeof(text));
	bytes_printf(out, mapped ? "%s:%u" : "[%s]:%u", text, r->ends.port[end]);
}

/* Bytes that end a line, or a text of the kernel's, are of no use in a name. */
static void put_resource_name(struct bytes *out, const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes_put(out, (unsigned char)name[i] < ' ' ? "?" : &name[i], 1);
}

/* An abstract path has its length; the bytes of another one end with 0. */
static void put_resource_socket(struct bytes *out, const char *path, size_t size)
{
	if (size && !path[0]) {
		bytes_put(out, "@", 1);
		put_resource_name(out, path + 1, size - 1);
	} else {
		put_resource_name(out, path, strnlen(path, size));
	}
}

/* The components stand from the file outwards. */
static void put_resource_path(struct bytes *out, const struct frt_resource *r, const char *text)
{
	size_t end = r->size;

	if (r->flags & FRT_RESOURCE_CUT)
		bytes_put(out, "...", 3);
	while (end) {
		size_t begin = end - 1; /* behind the component stands a 0 */

		while (begin && text[begin - 1])
			begin--;
		bytes_put(out, "/", 1);
		put_resource_name(out, text + begin, end - 1 - begin);
		end = begin;
	}
	if (!r->size)
		bytes_put(out, "/", 1);
	if (r->flags & FRT_RESOURCE_DELETED)
		bytes_printf(out, " (deleted)");
}

static void put_resource_text(struct bytes *out, const struct frt_resource *r, const char *text)
{
	switch (r->what) {
	case FRT_RESOURCE_INET: put_resource_address(out, r); break;
	case FRT_RESOURCE_UNIX: put_resource_socket(out, text, r->size); break;
	case FRT_RESOURCE_SOCKET: bytes_printf(out, "socket:[%llu]", (unsigned long long)r->inode); break;
	case FRT_RESOURCE_PIPE: bytes_printf(out, "pipe:[%llu]", (unsigned long long)r->inode); break;
	case FRT_RESOURCE_PATH: put_resource_path(out, r, text); break;
	case FRT_RESOURCE_FILE: put_resource_name(out, text, strnlen(text, r->size)); break;
	}
}

static struct resource *resources_place(struct resources *r, uint64_t id)
{
	struct resource *set = r->set[id % SETS], *oldest = set;

	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].id == id)
			return &set[i];
		if (set[i].at < oldest->at)
			oldest = &set[i];
	}
	return oldest;
}

void resources_add(struct resources *r, const struct frt_resource *add)
{
	struct resource *place = resources_place(r, add->id);
	struct bytes text;

	free(place->text);
	bytes_init(&text);
	put_resource_text(&text, add, (const char *)(add + 1));
	*place = (struct resource){.id = add->id, .at = ++r->added, .text = bytes_steal_text(&text)};
	if (add->flags & FRT_RESOURCE_CALLED)
		place->service = services_name(r->services, add->ends.port[1], add->flags & FRT_RESOURCE_DATAGRAM);
	if (add->flags & FRT_RESOURCE_LOCAL) {
		place->ends = add->ends;
		place->inode = add->inode;
		peers_add(r->peers, &add->ends, add->inode);
	}
}

/* NULL: it is unknown. */
static const struct resource *resources_find(const struct resources *r, uint64_t id)
{
	const struct resource *set = r->set[id % SETS];

	for (size_t i = 0; id && i < WAYS; i++)
		if (set[i].id == id)
			return set[i].text && set[i].text[0] ? &set[i] : NULL;
	return NULL;
}

const char *resources_text(const struct resources *r, uint64_t id)
{
	const struct resource *found = resources_find(r, id);

	return found ? found->text : NULL;
}

void resources_look_on(struct resources *r)
{
	peers_look_on(r->peers);
}

struct resource_names resources_names(struct resources *r, uint64_t id)
{
	const struct resource *found = resources_find(r, id);
	const struct peer *peer = found ? peers_find(r->peers, &found->ends, found->inode) : NULL;

	if (!found)
		return (struct resource_names){0};
	return (struct resource_names){.resource = found->text,
				       .service = found->service,
				       .process = peer ? peer->process : NULL,
				       .container = peer && peer->container[0] ? peer->container : NULL};
}
