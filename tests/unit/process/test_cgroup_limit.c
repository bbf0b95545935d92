// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/cgroup_limit.h"

/* The existing files, by path and content. */
static const char *const (*files)[2];

static int read_fake(const char *path, char *out, size_t size)
{
	for (int i = 0; files[i][0]; i++)
		if (strcmp(files[i][0], path) == 0) {
			snprintf(out, size, "%s", files[i][1]);
			return 0;
		}
	return -ENOENT;
}

static const char v1_mount[] = "24 20 0:22 / /sys rw - sysfs sysfs rw\n"
			       "30 25 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
			       "31 25 0:27 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
			       "33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
static const char v2_mount[] = "33 25 0:29 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

CASE(tightest_limit_on_the_way_up_counts_in_version_2)
{
	static const char *const tree[][2] = {{"/sys/fs/cgroup/a.slice/b/memory.max", "max\n"},
					      {"/sys/fs/cgroup/a.slice/memory.max", "1048576\n"},
					      {"/sys/fs/cgroup/memory.max", "9999999\n"},
					      {NULL, NULL}};

	files = tree;
	assert_int_equal(cgroup_limit_find("0::/a.slice/b\n", v2_mount, CGROUP_LIMIT_MEMORY, read_fake), 1048576);
}

CASE(version_1_is_read_from_the_memory_hierarchy)
{
	static const char *const tree[][2] = {
		{"/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "536870912\n"},
		{"/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "9223372036854771712\n"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
		{"/sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1\n"},
		{NULL, NULL}};

	files = tree;
	assert_int_equal(cgroup_limit_find("9:name=systemd:/x\n4:memory:/docker/x\n1:cpu,cpuacct:/other\n0::/\n",
					   v1_mount, CGROUP_LIMIT_MEMORY, read_fake),
			 536870912);
}

CASE(both_versions_count)
{
	static const char *const tree[][2] = {{"/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "300\n"},
					      {"/sys/fs/cgroup/unified/u/memory.max", "200\n"},
					      {NULL, NULL}};

	files = tree;
	assert_int_equal(cgroup_limit_find("4:memory:/m\n0::/u\n", v1_mount, CGROUP_LIMIT_MEMORY, read_fake), 200);
}

CASE(a_mount_of_a_part_hides_its_prefix)
{
	static const char mount[] = "31 25 0:27 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
	static const char *const tree[][2] = {{"/sys/fs/cgroup/memory/y/memory.limit_in_bytes", "77\n"},
					      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "88\n"},
					      {"/sys/fs/cgroup/memoryy/memory.limit_in_bytes", "99\n"},
					      {NULL, NULL}};

	files = tree;
	assert_int_equal(cgroup_limit_find("4:memory:/docker/x/y\n", mount, CGROUP_LIMIT_MEMORY, read_fake), 77);
	assert_int_equal(cgroup_limit_find("4:memory:/docker/x\n", mount, CGROUP_LIMIT_MEMORY, read_fake), 88);
	assert_int_equal(cgroup_limit_find("4:memory:/docker/xy\n", mount, CGROUP_LIMIT_MEMORY, read_fake), UINT64_MAX);
	assert_int_equal(cgroup_limit_find("4:memory:/elsewhere\n", mount, CGROUP_LIMIT_MEMORY, read_fake), UINT64_MAX);
}

CASE(group_outside_of_the_namespace_has_no_known_limit)
{
	static const char *const tree[][2] = {{"/sys/fs/cgroup/memory.max", "1\n"}, {NULL, NULL}};

	files = tree;
	assert_int_equal(cgroup_limit_find("0::/../other\n", v2_mount, CGROUP_LIMIT_MEMORY, read_fake), UINT64_MAX);
}

CASE(without_information_there_is_no_limit)
{
	static const char *const none[][2] = {{NULL, NULL}};

	files = none;
	assert_int_equal(cgroup_limit_find("", "", CGROUP_LIMIT_MEMORY, read_fake), UINT64_MAX);
	assert_int_equal(cgroup_limit_find("0::/a\n", v2_mount, CGROUP_LIMIT_MEMORY, read_fake), UINT64_MAX);
	assert_int_equal(cgroup_limit_find("garbage\n:::\n0:\n", "garbage - x\n - \n", CGROUP_LIMIT_MEMORY, read_fake),
			 UINT64_MAX);
}

CASE(numbers_that_mean_unlimited_are_unlimited)
{
	assert_int_equal(cgroup_limit_parse("max\n"), UINT64_MAX);
	assert_int_equal(cgroup_limit_parse("9223372036854771712\n"), UINT64_MAX);
	assert_int_equal(cgroup_limit_parse("99999999999999999999999\n"), UINT64_MAX);
	assert_int_equal(cgroup_limit_parse(""), UINT64_MAX);
	assert_int_equal(cgroup_limit_parse("0\n"), 0);
}

CASE(cpu_quota_is_in_thousandths)
{
	static const char *const tree[][2] = {{"/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n"},
					      {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"},
					      {"/sys/fs/cgroup/wide/cpu.max", "1600000 100000\n"},
					      {"/sys/fs/cgroup/odd/cpu.max", "50000\n"},
					      {"/sys/fs/cgroup/zero/cpu.max", "50000 0\n"},
					      {"/sys/fs/cgroup/large/cpu.max", "4611686018427387903 1\n"},
					      {"/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "25000\n"},
					      {"/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"},
					      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
					      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
					      {NULL, NULL}};

	files = tree;
	assert_int_equal(cgroup_limit_find("0::/a/b\n", v2_mount, CGROUP_LIMIT_CPU, read_fake), 500);
	assert_int_equal(cgroup_limit_find("0::/a\n", v2_mount, CGROUP_LIMIT_CPU, read_fake), UINT64_MAX);
	assert_int_equal(cgroup_limit_find("0::/wide\n", v2_mount, CGROUP_LIMIT_CPU, read_fake), 16000);
	assert_int_equal(cgroup_limit_find("0::/odd\n", v2_mount, CGROUP_LIMIT_CPU, read_fake), UINT64_MAX);
	assert_int_equal(cgroup_limit_find("0::/zero\n", v2_mount, CGROUP_LIMIT_CPU, read_fake), UINT64_MAX);
	assert_int_equal(cgroup_limit_find("0::/large\n", v2_mount, CGROUP_LIMIT_CPU, read_fake), UINT64_MAX);
	assert_int_equal(
		cgroup_limit_find("4:memory:/m\n1:cpu,cpuacct:/x\n0::/\n", v1_mount, CGROUP_LIMIT_CPU, read_fake), 250);
	assert_int_equal(cgroup_limit_find("1:cpu,cpuacct:/\n", v1_mount, CGROUP_LIMIT_CPU, read_fake), UINT64_MAX);
}

static struct cgroup_room room_of(const char *cgroup, const char *mounts, enum cgroup_limit what)
{
	struct cgroup_room room;

	cgroup_room_find(cgroup, mounts, what, read_fake, &room);
	return room;
}

CASE(group_with_the_fewest_threads_left_counts_not_the_one_with_the_lowest_limit)
{
	static const char *const tree[][2] = {{"/sys/fs/cgroup/a/b/pids.max", "60\n"},
					      {"/sys/fs/cgroup/a/b/pids.current", "10\n"},
					      {"/sys/fs/cgroup/a/pids.max", "1000\n"},
					      {"/sys/fs/cgroup/a/pids.current", "1001\n"},
					      {NULL, NULL}};
	struct cgroup_room room;

	files = tree;
	room = room_of("0::/a/b\n", v2_mount, CGROUP_LIMIT_PIDS);
	assert_int_equal(room.limit, 1000);
	assert_int_equal(room.used, 1001);
	assert_string_equal(room.group, "/a");
	assert_true(room_of("0::/\n", v2_mount, CGROUP_LIMIT_PIDS).limit == UINT64_MAX);
}

CASE(memory_of_files_is_not_in_use)
{
	static const char *const tree[][2] = {
		{"/sys/fs/cgroup/m/memory.max", "1000\n"},
		{"/sys/fs/cgroup/m/memory.current", "990\n"},
		{"/sys/fs/cgroup/m/memory.stat",
		 "anon 600\nfile 340\ninactive_file 200\nactive_file 100\nslab_reclaimable 40\n"},
		{"/sys/fs/cgroup/memory/n/memory.limit_in_bytes", "1000\n"},
		{"/sys/fs/cgroup/memory/n/memory.usage_in_bytes", "990\n"},
		{"/sys/fs/cgroup/memory/n/memory.stat",
		 "inactive_file 1\ntotal_inactive_file 20\ntotal_active_file 30\n"},
		{NULL, NULL}};

	files = tree;
	assert_int_equal(room_of("0::/m\n", v2_mount, CGROUP_LIMIT_MEMORY).used, 650);
	assert_int_equal(room_of("4:memory:/n\n", v1_mount, CGROUP_LIMIT_MEMORY).used, 940);
}

CASE(frozen_group_is_known_by_its_own_file)
{
	static const char freezer[] = "30 25 0:26 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer\n";
	static const char *const tree[][2] = {{"/sys/fs/cgroup/frozen/cgroup.events", "populated 1\nfrozen 1\n"},
					      {"/sys/fs/cgroup/runs/cgroup.events", "populated 1\nfrozen 0\n"},
					      {"/sys/fs/cgroup/freezer/f/freezer.state", "FREEZING\n"},
					      {"/sys/fs/cgroup/freezer/t/freezer.state", "THAWED\n"},
					      {NULL, NULL}};

	files = tree;
	assert_string_equal(room_of("0::/frozen\n", v2_mount, CGROUP_LIMIT_FREEZER).group, "/frozen");
	assert_true(room_of("0::/runs\n", v2_mount, CGROUP_LIMIT_FREEZER).limit == UINT64_MAX);
	assert_string_equal(room_of("6:freezer:/f\n", freezer, CGROUP_LIMIT_FREEZER).group, "/f");
	assert_true(room_of("6:freezer:/t\n", freezer, CGROUP_LIMIT_FREEZER).limit == UINT64_MAX);
}
