// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/container.h"

#include <unistd.h>

#define N "4f2a91c0ffee00112233445566778899aabbccddeeff00112233445566778899"
#define M "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

CASE(container_of_each_runtime_is_named)
{
	static const char *const rows[][2] = {
		{"0::/docker/" N "\n", "4f2a91c0ffee"},
		{"0::/system.slice/docker-" N ".scope\n", "4f2a91c0ffee"},
		{"12:memory:/docker/" N "\n11:cpu:/docker/" N "\n", "4f2a91c0ffee"},
		{"0::/kubepods/burstable/pod9c1e4b5a-1111-2222-3333-444455556666/" N "\n", "4f2a91c0ffee"},
		{"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" N ".scope\n", "4f2a91c0ffee"},
		{"0::/machine.slice/libpod-" N ".scope/container\n", "4f2a91c0ffee"},
		{"0::/docker/" M "/docker/" N "/init\n", "4f2a91c0ffee"}, /* the inner one */
		{"0::/lxc/web1\n", "web1"},
		{"0::/lxc.payload.web1/system.slice/shop.service\n", "web1"},
		{"0::/machine.slice/machine-shop.scope/payload\n", "shop"},
	};
	char name[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		container_parse(rows[i][0], name, sizeof(name));
		assert_string_equal(name, rows[i][1]);
	}
}

CASE(process_outside_of_containers_has_no_container)
{
	static const char *const rows[] = {
		"",
		"\n",
		"0::/\n",
		"0::/system.slice/shop.service\n",
		"0::/user.slice/user-1000.slice/session-3.scope\n",
		"0::/x/" N "0\n", /* 65 digits */
		"0::/lxc/",
		"0::/lxc.payload.",
		"0::/machine-\n",
		"0::/machine-x\n",
		"0::/lxc\n",
	};
	char name[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		container_parse(rows[i], name, sizeof(name));
		assert_string_equal(name, "");
	}
}

CASE(container_names_cannot_control_the_terminal)
{
	char name[64], tiny[5];

	container_parse("0::/lxc/a\033[2Jb c\n", name, sizeof(name));
	assert_string_equal(name, "a?[2Jb?c");
	container_parse("0::/lxc/abcdefgh\n", tiny, sizeof(tiny));
	assert_string_equal(tiny, "abcd");
}

CASE(process_in_an_unnamed_pid_namespace_is_reported)
{
	struct target gone = {.pid = 999999999, .ns_pid = 7}, plain = {.pid = 999999999, .ns_pid = 999999999};
	char name[64];

	target_container(&gone, name, sizeof(name));
	assert_string_equal(name, "own pid namespace");
	target_container(&plain, name, sizeof(name));
	assert_string_equal(name, "");
}
