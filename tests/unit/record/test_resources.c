// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/resources.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"
#include "tests/lib/workdir.h"

#include <arpa/inet.h>

static struct resources *r;

static const char services[] = "# Network services\n"
			       "http\t\t80/tcp\t\twww\t\t# WorldWideWeb HTTP\n"
			       "domain 53/tcp\ndomain 53/udp\n"
			       "postgresql\t5432/tcp\tpostgres\n"
			       "#hidden 99/tcp\n"
			       "sctp-only 98/sctp\nmuch 70000/tcp\nnothing 0/tcp\nword x/tcp\n"
			       "second 5432/tcp";

static const struct peer_source nobody;

static int setup(void **state)
{
	workdir_make(state);
	r = resources_new(workdir_write("services", services, sizeof(services) - 1), &nobody);
	return !r;
}

static int teardown(void **state)
{
	resources_free(r);
	return workdir_remove(state);
}

/* The name of a resource whose text is `size` bytes. */
static const char *named(uint16_t what, const char *text, size_t size, uint16_t flags)
{
	static struct frt_named_resource n;

	n.resource = (struct frt_resource){
		.kind = FRT_RESOURCE, .what = what, .id = 7, .inode = 42, .size = size, .flags = flags};
	memcpy(n.text, text, size);
	resources_add(r, &n.resource);
	return resources_text(r, 7);
}

static const char *address(const char *text, uint16_t port)
{
	struct frt_resource a = {
		.kind = FRT_RESOURCE, .what = FRT_RESOURCE_INET, .id = 9, .ends = {.port = {4711, port}}};

	assert_int_equal(inet_pton(AF_INET6, text, a.ends.address[1]), 1);
	resources_add(r, &a);
	return resources_text(r, 9);
}

#define NAMED(what, text, flags) named(what, text, sizeof(text) - 1, flags)

CASE(an_address_is_written_as_everywhere, setup, teardown)
{
	assert_string_equal(address("::1", 80), "[::1]:80");
	assert_string_equal(address("fe80::12:0:0:a", 65535), "[fe80::12:0:0:a]:65535");
	assert_string_equal(address("::ffff:10.0.0.7", 5432), "10.0.0.7:5432");
	assert_string_equal(address("::", 8080), "[::]:8080");
}

CASE(a_socket_without_a_peer_has_its_own_address, setup, teardown)
{
	struct frt_resource a = {.kind = FRT_RESOURCE, .what = FRT_RESOURCE_INET, .id = 9, .ends = {.port = {8080, 0}}};

	a.ends.address[0][15] = 1;
	resources_add(r, &a);
	assert_string_equal(resources_text(r, 9), "[::1]:8080");
}

static const char *service(uint16_t port, uint16_t flags)
{
	struct frt_resource a = {.kind = FRT_RESOURCE,
				 .what = FRT_RESOURCE_INET,
				 .id = 9,
				 .ends = {.port = {40000, port}, .address[1] = {[10] = 0xff, 0xff}},
				 .flags = flags};

	resources_add(r, &a);
	return resources_names(r, 9).service;
}

CASE(a_port_has_the_name_of_its_service_where_the_connection_leads_there, setup, teardown)
{
	assert_string_equal(service(5432, FRT_RESOURCE_CALLED), "postgresql");
	assert_string_equal(resources_text(r, 9), "0.0.0.0:5432");
	assert_string_equal(service(80, FRT_RESOURCE_CALLED), "http");
	assert_string_equal(service(53, FRT_RESOURCE_CALLED | FRT_RESOURCE_DATAGRAM), "domain");
	assert_null(service(80, FRT_RESOURCE_CALLED | FRT_RESOURCE_DATAGRAM));
	assert_null(service(5432, 0));
	for (int port = 97; port < 100; port++)
		assert_null(service(port, FRT_RESOURCE_CALLED));
	assert_null(service(70000 - 65536, FRT_RESOURCE_CALLED));
	assert_null(service(0, FRT_RESOURCE_CALLED));
	assert_null(resources_names(r, 8).service);
}

CASE(without_a_file_of_services_none_has_a_name, workdir_make, workdir_remove)
{
	r = resources_new(workdir_path("none"), &nobody);
	assert_null(service(80, FRT_RESOURCE_CALLED));
	assert_string_equal(resources_text(r, 9), "0.0.0.0:80");
	resources_free(r);
}

CASE(a_path_is_put_together_from_the_root_inwards, setup, teardown)
{
	assert_string_equal(NAMED(FRT_RESOURCE_PATH, "app.log\0log\0var\0", 0), "/var/log/app.log");
	assert_string_equal(NAMED(FRT_RESOURCE_PATH, "app.log\0log\0", FRT_RESOURCE_CUT), ".../log/app.log");
	assert_string_equal(NAMED(FRT_RESOURCE_PATH, "t\0tmp\0", FRT_RESOURCE_DELETED), "/tmp/t (deleted)");
	assert_string_equal(NAMED(FRT_RESOURCE_PATH, "", 0), "/");
	assert_string_equal(NAMED(FRT_RESOURCE_FILE, "[eventfd]\0", 0), "[eventfd]");
}

CASE(a_unix_socket_has_the_path_that_it_was_bound_to, setup, teardown)
{
	assert_string_equal(NAMED(FRT_RESOURCE_UNIX, "/run/db.sock\0", 0), "/run/db.sock");
	assert_string_equal(NAMED(FRT_RESOURCE_UNIX, "/run/db.sock", 0), "/run/db.sock");
	assert_string_equal(NAMED(FRT_RESOURCE_UNIX, "\0abstract", 0), "@abstract");
	assert_string_equal(NAMED(FRT_RESOURCE_UNIX, "\0with\0zero", 0), "@with?zero");
}

CASE(what_has_no_name_has_its_inode, setup, teardown)
{
	assert_string_equal(NAMED(FRT_RESOURCE_PIPE, "", 0), "pipe:[42]");
	assert_string_equal(NAMED(FRT_RESOURCE_SOCKET, "", 0), "socket:[42]");
}

CASE(a_name_is_one_line, setup, teardown)
{
	assert_string_equal(NAMED(FRT_RESOURCE_PATH, "a\nb\0tmp\0", 0), "/tmp/a?b");
}

CASE(what_nobody_has_named_is_unknown, setup, teardown)
{
	assert_null(resources_text(r, 0));
	assert_null(resources_text(r, 8));
	assert_null(NAMED(0xffff, "what", 0));
	assert_null(NAMED(FRT_RESOURCE_UNIX, "", 0));
	assert_null(NAMED(FRT_RESOURCE_FILE, "", 0));
}

CASE(old_names_are_forgotten_not_mistaken, setup, teardown)
{
	struct frt_resource pipe = {.kind = FRT_RESOURCE, .what = FRT_RESOURCE_PIPE};
	char text[32];
	int kept = 0;

	for (uint64_t i = 1; i <= 100000; i++) {
		pipe.id = pipe.inode = i;
		resources_add(r, &pipe);
	}
	for (uint64_t i = 1; i <= 100000; i++) {
		if (!resources_text(r, i))
			continue;
		kept++;
		snprintf(text, sizeof(text), "pipe:[%lu]", i);
		assert_string_equal(resources_text(r, i), text);
	}
	assert_non_null(resources_text(r, 100000));
	assert_null(resources_text(r, 1));
	assert_in_range(kept, 30000, 40000);
}

static int look(void *context, struct peer_look *looks, size_t n)
{
	looks[0].found = (struct frt_peer){.process = 7, .name = "postgres", .connected = 1};
	return 0;
}

CASE(a_connection_within_the_machine_has_the_process_at_its_other_end, workdir_make, workdir_remove)
{
	struct frt_resource a = {.kind = FRT_RESOURCE,
				 .what = FRT_RESOURCE_INET,
				 .id = 9,
				 .inode = 5,
				 .ends = {.port = {40000, 5432}, .address[1] = {[15] = 1}},
				 .flags = FRT_RESOURCE_LOCAL};

	r = resources_new(workdir_path("none"), &(struct peer_source){.look = look});
	resources_add(r, &a);
	assert_string_equal(resources_names(r, 9).resource, "[::1]:5432");
	assert_string_equal(resources_names(r, 9).process, "postgres");
	assert_null(resources_names(r, 9).container);
	a.flags = 0;
	a.id = 10;
	resources_add(r, &a);
	assert_null(resources_names(r, 10).process);
	resources_free(r);
}
