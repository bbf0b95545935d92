// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/peers.h"
#include "user/text/budget.h"
#include "user/text/monotonic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SETS 512u /* of WAYS connections, by inode */
#define WAYS 4u

#define KNOWN_FOR  10000000000 /* ns: then a process may have passed its socket on */
#define SHARE	   100	       /* looks take at most a hundredth of the time, */
#define BURST	   5000000000  /* saved up for at most five seconds, ns */
#define LOOK_EVERY 20000000    /* the least time between two looks, ns, */
#define PART_EVERY 2000000     /* and between two parts of one */
#define FAILED_FOR 10000000000

struct peers {
	struct peer_source source;
	struct connection {
		struct frt_ends ends;
		uint64_t inode; /* 0: none */
		uint64_t used;	/* when it was used last, by the number of uses */
		int64_t looked; /* when its peer was found; 0: it is not known */
		bool wanted;
		struct peer peer;
	} set[SETS][WAYS];
	struct connection *wanted[FRT_PEERS_MOST];
	size_t wanted_count;
	struct peer_look look[FRT_PEERS_MOST]; /* for the first ones of those that are wanted, */
	size_t looking;			       /* if their number is not 0 */
	uint64_t uses;
	int64_t next; /* the earliest time of the next look: LOOK_EVERY after the last one, */
	int64_t due;  /* and when their share allows one: each look moves it on by SHARE times its cost */
};

struct peers *peers_new(const struct peer_source *source)
{
	struct peers *p = calloc(1, sizeof(*p));

	if (p)
		p->source = *source;
	return p;
}

void peers_free(struct peers *p)
{
	free(p);
}

static bool connection_is(const struct connection *c, const struct frt_ends *ends, uint64_t inode)
{
	return c->inode == inode && !memcmp(&c->ends, ends, sizeof(*ends));
}

/* The place of a connection, which may have another one now. */
static struct connection *connection_place(struct peers *p, const struct frt_ends *ends, uint64_t inode)
{
	struct connection *set = p->set[inode % SETS], *oldest = set;

	for (size_t i = 0; i < WAYS; i++) {
		if (connection_is(&set[i], ends, inode))
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

/* The names of control groups as /proc/PID/cgroup has them: "0::/outer/inner". */
static void peer_name_container(struct peer *peer, const struct frt_peer *found, const char *own)
{
	char path[sizeof(found->group) + 8], *at = &path[sizeof(path) - 1];
	size_t size = found->size < sizeof(found->group) ? found->size : 0;

	*at = 0;
	for (size_t from = 0; from < size;) {
		size_t n = strnlen(found->group + from, size - from);

		at -= n + 1; /* the zeros make room for the slashes */
		at[0] = '/';
		memcpy(at + 1, found->group + from, n);
		from += n + 1;
	}
	container_parse(at, peer->container, sizeof(peer->container));
	if (!strcmp(peer->container, own))
		peer->container[0] = 0;
}

static void connection_take(struct connection *c, const struct frt_peer *found, const char *own, int64_t now)
{
	size_t n = strnlen(found->name, sizeof(found->name));

	c->looked = 0;
	if (!found->process || found->several || (!c->ends.inode && !found->connected) || !n)
		return;
	c->looked = now;
	memset(&c->peer, 0, sizeof(c->peer));
	for (size_t i = 0; i < n; i++)
		c->peer.process[i] = iscntrl((unsigned char)found->name[i]) ? '?' : found->name[i];
	peer_name_container(&c->peer, found, own);
}

static void peers_look_begin(struct peers *p)
{
	p->looking = p->wanted_count;
	for (size_t i = 0; i < p->looking; i++)
		p->look[i] = (struct peer_look){.ends = p->wanted[i]->ends, .found.inode = p->wanted[i]->inode};
}

/* Those that came while the look lasted wait for the next one. */
static void peers_look_end(struct peers *p, int err, int64_t now)
{
	for (size_t i = 0; i < p->looking; i++) {
		p->wanted[i]->wanted = false;
		connection_take(p->wanted[i], err ? &(struct frt_peer){0} : &p->look[i].found,
				p->source.container ?: "", now);
	}
	p->wanted_count -= p->looking;
	memmove(p->wanted, p->wanted + p->looking, p->wanted_count * sizeof(p->wanted[0]));
	p->looking = 0;
}

static void peers_look_now(struct peers *p)
{
	struct budget cost = {0};
	int64_t now;
	int err;

	if (!p->looking)
		peers_look_begin(p);
	budget_begin(&cost);
	err = p->source.look(p->source.context, p->look, p->looking);
	budget_end(&cost);
	now = monotonic_ns();
	p->due = (p->due > now - BURST ? p->due : now - BURST) - cost.left_ns * SHARE;
	p->next = now + (err < 0 ? FAILED_FOR : err ? PART_EVERY : LOOK_EVERY);
	if (err <= 0)
		peers_look_end(p, err, now);
}

/* A look that has begun goes on: what it costs delays the next one. */
static void peers_look_if_due(struct peers *p)
{
	int64_t now = p->wanted_count ? monotonic_ns() : 0;

	if (p->wanted_count && now >= p->next && (p->looking || now >= p->due))
		peers_look_now(p);
}

void peers_look_on(struct peers *p)
{
	if (p->looking)
		peers_look_if_due(p);
}

static void peers_want(struct peers *p, struct connection *c)
{
	if (c->wanted || p->wanted_count == FRT_PEERS_MOST)
		return;
	c->wanted = true;
	p->wanted[p->wanted_count++] = c;
}

void peers_add(struct peers *p, const struct frt_ends *ends, uint64_t inode)
{
	struct connection *c = connection_place(p, ends, inode);

	if (!p->source.look || !inode)
		return;
	if (!connection_is(c, ends, inode)) {
		if (c->wanted) /* it would be looked at in place of the other one */
			return;
		*c = (struct connection){.ends = *ends, .inode = inode};
	}
	c->used = ++p->uses;
	if (!c->looked || monotonic_ns() - c->looked > KNOWN_FOR)
		peers_want(p, c);
	peers_look_if_due(p);
}

const struct peer *peers_find(struct peers *p, const struct frt_ends *ends, uint64_t inode)
{
	const struct connection *c = connection_place(p, ends, inode);

	if (!inode || !connection_is(c, ends, inode))
		return NULL;
	if (c->wanted)
		peers_look_if_due(p);
	return c->looked ? &c->peer : NULL;
}
