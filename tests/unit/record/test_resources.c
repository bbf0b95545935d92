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

static int setup(void **state)
{
	workdir_make(state);
	r = resources_new(workdir_write("services", services, sizeof(services) - 1));
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

static const char *address(uint16_t what, const char *text, uint16_t port)
{
	struct frt_resource a = {.kind = FRT_RESOURCE, .what = what, .id = 9, .port = port};

	assert_int_equal(inet_pton(AF_INET6, text, a.address), 1);
	resources_add(r, &a);
	return resources_text(r, 9);
}

#define NAMED(what, text, flags) named(what, text, sizeof(text) - 1, flags)

CASE(an_address_is_written_as_everywhere, setup, teardown)
{
	assert_string_equal(address(FRT_RESOURCE_INET, "::1", 80), "[::1]:80");
	assert_string_equal(address(FRT_RESOURCE_INET, "fe80::12:0:0:a", 65535), "[fe80::12:0:0:a]:65535");
	assert_string_equal(address(FRT_RESOURCE_INET, "::ffff:10.0.0.7", 5432), "10.0.0.7:5432");
	assert_string_equal(address(FRT_RESOURCE_INET4, "::10.0.0.7", 5432), "10.0.0.7:5432");
	assert_string_equal(address(FRT_RESOURCE_INET, "::", 8080), "[::]:8080");
}

static const char *service(uint16_t port, uint16_t flags)
{
	struct frt_resource a = {
		.kind = FRT_RESOURCE, .what = FRT_RESOURCE_INET4, .id = 9, .port = port, .flags = flags};

	resources_add(r, &a);
	return resources_service(r, 9);
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
	assert_null(resources_service(r, 8));
}

CASE(without_a_file_of_services_none_has_a_name, workdir_make, workdir_remove)
{
	r = resources_new(workdir_path("none"));
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
