// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/peers.h"
#include "tests/lib/test.h"

#include <errno.h>

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct peers *p;

/* What each look finds, and what it was asked for. */
static struct {
	struct frt_peer found;
	int err;
	size_t looks, connections, parts; /* parts: that are still to come */
	uint64_t inode[FRT_PEERS_MOST];
} kernel;

static int look(void *context, struct peer_look *looks, size_t n)
{
	kernel.looks++;
	kernel.connections = n;
	if (kernel.parts && kernel.parts--)
		return 1;
	for (size_t i = 0; i < n; i++) {
		kernel.inode[i] = looks[i].found.inode;
		looks[i].found = kernel.found;
	}
	return kernel.err;
}

static int setup(void **state)
{
	p = peers_new(&(struct peer_source){look, NULL, "fedcba987654"});
	memset(&kernel, 0, sizeof(kernel));
	kernel.found = (struct frt_peer){.process = 7, .connected = 1, .name = "postgres"};
	return !p;
}

static int teardown(void **state)
{
	peers_free(p);
	return 0;
}

static struct frt_ends internet(uint16_t port)
{
	return (struct frt_ends){.network = 1, .port = {port, 5432}};
}

static const struct peer *peer_of(struct frt_ends ends, uint64_t inode)
{
	peers_add(p, &ends, inode);
	return peers_find(p, &ends, inode);
}

static void group(const char *names, size_t size)
{
	memcpy(kernel.found.group, names, size);
	kernel.found.size = size;
}

#define GROUP(names) group(names, sizeof(names)) /* the innermost one first */

CASE(the_process_at_the_other_end_is_asked_for_once, setup, teardown)
{
	for (int i = 0; i < 100; i++)
		assert_string_equal(peer_of(internet(40000), 5)->process, "postgres");
	assert_int_equal(kernel.looks, 1);
	assert_int_equal(kernel.connections, 1);
	assert_int_equal(kernel.inode[0], 5);
}

CASE(a_process_is_unknown_unless_it_alone_has_the_other_end_of_what_is_connected, setup, teardown)
{
	kernel.found.several = 1;
	assert_null(peer_of(internet(40000), 5));
	peers_free(p);
	setup(NULL);
	kernel.found.process = 0;
	assert_null(peer_of(internet(40000), 5));
	peers_free(p);
	setup(NULL);
	kernel.found.connected = 0;
	assert_null(peer_of(internet(40000), 5));
	peers_free(p);
	setup(NULL);
	kernel.found.connected = 0;
	assert_non_null(peer_of((struct frt_ends){.inode = 9}, 5));
	peers_free(p);
	setup(NULL);
	kernel.err = -EAGAIN;
	assert_null(peer_of(internet(40000), 5));
}

CASE(another_socket_with_the_same_ends_is_another_connection, setup, teardown)
{
	struct frt_ends ends = internet(40000);

	assert_non_null(peer_of(ends, 5));
	assert_null(peers_find(p, &ends, 6));
	assert_null(peers_find(p, &(struct frt_ends){.network = 2, .port = {40000, 5432}}, 5));
	assert_null(peers_find(p, &ends, 0));
}

CASE(what_came_since_the_last_look_waits_for_the_next_one, setup, teardown)
{
	assert_non_null(peer_of(internet(40000), 1));
	for (uint16_t i = 1; i <= 200; i++) {
		struct frt_ends ends = internet(40000 + i);

		peers_add(p, &ends, 1 + i);
	}
	assert_in_range(kernel.looks, 1, 200);
	while (!peer_of(internet(40200), 201))
		;
	assert_in_range(kernel.connections, 1, FRT_PEERS_MOST);
}

CASE(a_look_at_many_descriptors_takes_its_time, setup, teardown)
{
	struct frt_ends late = internet(40001);

	kernel.parts = 3;
	assert_null(peer_of(internet(40000), 5));
	peers_add(p, &late, 6);
	while (!peers_find(p, &(struct frt_ends){.network = 1, .port = {40000, 5432}}, 5))
		peers_look_on(p);
	assert_int_equal(kernel.looks, 4);
	assert_int_equal(kernel.connections, 1);
	while (!peers_find(p, &late, 6))
		;
	assert_int_equal(kernel.looks, 5);
	assert_int_equal(kernel.inode[0], 6);
}

CASE(connections_without_number_are_forgotten_not_mistaken, setup, teardown)
{
	kernel.err = -EAGAIN; /* for ten seconds nothing is looked at */
	for (uint64_t i = 1; i <= 100000; i++)
		assert_null(peer_of(internet(i), i));
	assert_int_equal(kernel.looks, 1);
}

CASE(the_container_is_named_unless_it_is_the_targets, setup, teardown)
{
	GROUP("docker-" DIGITS ".scope\0system.slice");
	assert_string_equal(peer_of(internet(1), 1)->container, "0123456789ab");
	peers_free(p);
	p = peers_new(&(struct peer_source){look, NULL, "0123456789ab"});
	assert_string_equal(peer_of(internet(1), 1)->container, "");
	peers_free(p);
	p = peers_new(&(struct peer_source){look, NULL, NULL});
	GROUP("postgresql.service\0system.slice\0lxc.payload.db");
	assert_string_equal(peer_of(internet(1), 1)->container, "db");
	peers_free(p);
	p = peers_new(&(struct peer_source){look, NULL, ""});
	GROUP("session-2.scope\0user.slice");
	assert_string_equal(peer_of(internet(1), 1)->container, "");
}

/* The kernel's half writes neither, but its memory is a map that others may write to. */
CASE(odd_names_do_no_harm, setup, teardown)
{
	memset(kernel.found.name, 'x', sizeof(kernel.found.name));
	kernel.found.name[1] = '\n';
	memset(kernel.found.group, 'x', sizeof(kernel.found.group));
	kernel.found.size = sizeof(kernel.found.group);
	assert_string_equal(peer_of(internet(1), 1)->process, "x?xxxxxxxxxxxxxx");
	peers_free(p);
	p = peers_new(&(struct peer_source){look, NULL, ""});
	kernel.found.size = UINT32_MAX;
	assert_string_equal(peer_of(internet(1), 1)->container, "");
}

CASE(without_anybody_who_looks_no_process_is_known, setup, teardown)
{
	peers_free(p);
	p = peers_new(&(struct peer_source){NULL});
	assert_null(peer_of(internet(1), 1));
}
