// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/proc.h"

#include <unistd.h>

static const char status_text[] =
	"Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4242\nNgid:\t0\nPid:\t4242\n"
	"Uid:\t1000\t1001\t1002\t1003\nGid:\t2000\t2001\t2002\t2003\nFDSize:\t256\nGroups:\t10 20 30 \n"
	"NStgid:\t4242\t77\t1\nNSpid:\t4242\t77\t1\nSigIgn:\t0000000000000002\nSigCgt:\t0000000101005ccd\n"
	"CapInh:\t0000000000000000\nCapPrm:\t000001c000080000\nCapEff:\t0000000000000000\n";

CASE(status_gives_effective_ids_and_the_innermost_pid)
{
	struct proc_status s;

	assert_int_equal(proc_parse_status(status_text, &s), 0);
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.tgid, 4242);
	assert_int_equal(s.ns_pid, 1);
	assert_int_equal(s.uid, 1001);
	assert_int_equal(s.gid, 2001);
	assert_int_equal(s.group_count, 3);
	assert_int_equal(s.groups[2], 30);
	assert_int_equal(s.caught, 0x101005ccd);
	assert_int_equal(s.permitted, 0x1c000080000);
}

CASE(status_without_nspid_takes_the_pid_itself)
{
	struct proc_status s;

	assert_int_equal(proc_parse_status("State:\tR\nTgid:\t7\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n", &s), 0);
	assert_int_equal(s.ns_pid, 7);
	assert_int_equal(s.caught, 0);
}

CASE(status_without_a_required_line_is_refused)
{
	struct proc_status s;

	assert_int_equal(proc_parse_status("", &s), -EINVAL);
	assert_int_equal(proc_parse_status("State:\tR\nTgid:\t7\nUid:\t0\t0\t0\t0\n", &s), -EINVAL);
	assert_int_equal(proc_parse_status("State:\tR\nTgid:\t7\nUid:\t0\nGid:\t0\t0\t0\t0\n", &s), -EINVAL);
}

CASE(status_is_not_misled_by_a_name)
{
	struct proc_status s;

	assert_int_equal(
		proc_parse_status("Name:\tState: Z Tgid: 1\nState:\tS\nTgid:\t9\nUid:\t5\t5\t5\t5\nGid:\t5\t5\t5\t5\n",
				  &s),
		0);
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.tgid, 9);
}

CASE(start_time_is_found_after_any_command_name)
{
	uint64_t t = 0;

	assert_int_equal(proc_parse_start_time(
				 "42 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20 21\n", &t),
			 0);
	assert_int_equal(t, 987654);
	assert_int_equal(proc_parse_start_time("42 (a) S 1 2 3", &t), -EINVAL);
	assert_int_equal(proc_parse_start_time("", &t), -EINVAL);
}

CASE(start_time_of_a_real_process_is_the_same_twice)
{
	char *text = proc_read(getpid(), "stat", 4096, NULL);
	uint64_t first = 0, second = 1;

	assert_non_null(text);
	assert_int_equal(proc_parse_start_time(text, &first), 0);
	assert_int_equal(proc_parse_start_time(text, &second), 0);
	assert_true(first > 0 && first == second);
	free(text);
}

CASE(monotonic_offset_is_in_nanoseconds_and_signed)
{
	assert_int_equal(
		proc_parse_monotonic_offset("monotonic      86400         7\nboottime           0         0\n"),
		86400000000007);
	assert_int_equal(proc_parse_monotonic_offset("monotonic       -2 500000000\nboottime 9 9\n"), -1500000000);
	assert_int_equal(proc_parse_monotonic_offset("boottime 9 9\n"), 0);
}

CASE(mapping_has_the_targets_path)
{
	struct mapping m;

	assert_true(proc_parse_named_mapping("7f2a97e51000-7f2a98ba4000 r-xp 00251000 fe:00 318057          /opt/my "
					     "jdk/lib\\012x/libjvm.so (deleted)\n",
					     &m));
	assert_string_equal(m.path, "/opt/my jdk/lib\nx/libjvm.so");
	assert_string_equal(m.permissions, "r-xp");
	assert_int_equal(m.start, 0x7f2a97e51000);
	assert_int_equal(m.end, 0x7f2a98ba4000);
	assert_int_equal(m.offset, 0x251000);
	assert_int_equal(m.device, 0xfeull << 32);
	assert_int_equal(m.inode, 318057);
}

CASE(a_mount_of_fuse_is_recognised_by_its_device)
{
	static const char mounts[] = "21 29 0:20 / /sys rw,nosuid - sysfs sysfs rw\n"
				     "36 35 8:1 / /mnt/fuse rw,noatime master:1 shared:7 - ext4 /dev/fuse rw\n"
				     "77 35 0:51 / /home/x rw - fuse.sshfs a:/x rw,user_id=0\n"
				     "78 35 0:52 / /last rw - fuse y rw";

	assert_true(proc_parse_mount_is_fuse(mounts, 51));
	assert_true(proc_parse_mount_is_fuse(mounts, 52));
	assert_false(proc_parse_mount_is_fuse(mounts, 20));
	assert_false(proc_parse_mount_is_fuse(mounts, 8ull << 32 | 1));
	assert_false(proc_parse_mount_is_fuse(mounts, 53));
	assert_false(proc_parse_mount_is_fuse("", 0));
}

CASE(shared_mount_is_known_by_its_id)
{
	static const char mounts[] = "21 35 0:20 / /proc rw shared:11 - proc proc rw\n"
				     "35 1 8:1 / / ro,noexec - ext4 /dev/sda1 rw\n"
				     "77 35 0:51 / /home/a\\040shared:x rw master:5 - tmpfs t rw\n"
				     "78 35 0:51 / /srv rw,noexec shared:6 master:5 - tmpfs t rw\n"
				     "210 35 0:52 / /last rw - tmpfs shared:7 rw";

	assert_int_equal(proc_parse_mount_is_shared(mounts, 21), 1);
	assert_int_equal(proc_parse_mount_is_shared(mounts, 35), 0);
	assert_int_equal(proc_parse_mount_is_shared(mounts, 77), 0);
	assert_int_equal(proc_parse_mount_is_shared(mounts, 78), 1);
	assert_int_equal(proc_parse_mount_is_shared(mounts, 210), 0);
	assert_int_equal(proc_parse_mount_is_shared(mounts, 1), -ENOENT);
	assert_int_equal(proc_parse_mount_is_shared("", 0), -ENOENT);
}

CASE(mapping_without_a_name_is_ignored)
{
	struct mapping m;

	assert_false(proc_parse_named_mapping("7f2a97e51000-7f2a98ba4000 rw-p 00000000 00:00 0 \n", &m));
	assert_true(
		proc_parse_named_mapping("7f2a97e51000-7f2a98ba4000 rw-p 00000000 00:00 0    [anon:OTEL_CTX]\n", &m));
	assert_string_equal(m.path, "[anon:OTEL_CTX]");
	assert_true(proc_parse_named_mapping(
		"7f2a97e51000-7f2a97e52000 rw-p 00000000 00:01 9    /memfd:OTEL_CTX (deleted)\n", &m));
	assert_string_equal(m.path, "/memfd:OTEL_CTX");
	assert_false(proc_parse_named_mapping("", &m));
	assert_false(proc_parse_named_mapping("nonsense\n", &m));
}

static int count_mapping(const struct mapping *m, void *context)
{
	++*(int *)context;
	return 0;
}

static int refuse_names(const struct mapping *m, void *context)
{
	return m->path[0] != '/';
}

static int find_name(const struct mapping *m, void *context)
{
	return m->path[0] == '[';
}

static int stop_at_once(const struct mapping *m, void *context)
{
	return 17;
}

CASE(mappings_of_a_real_process_are_visited_until_the_visitor_stops)
{
	int count = 0;

	assert_int_equal(proc_each_mapping(getpid(), count_mapping, &count), 0);
	assert_true(count > 2);
	assert_int_equal(proc_each_mapping(getpid(), refuse_names, NULL), 0);
	assert_int_equal(proc_each_named_mapping(getpid(), find_name, NULL), 1);
	assert_int_equal(proc_each_mapping(getpid(), stop_at_once, NULL), 17);
	assert_int_equal(proc_each_mapping(999999999, count_mapping, &count), -ENOENT);
}

CASE(reading_stops_at_the_limit)
{
	size_t length = 0;
	char *text = proc_read(getpid(), "maps", 100, &length);

	assert_non_null(text);
	assert_int_equal(length, 100);
	assert_int_equal(strlen(text), 100);
	free(text);
}

CASE(soft_limit_counts)
{
	static const char text[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
				   "Max processes             60                   31424                processes \n"
				   "Max open files            1024                 524288               files     \n"
				   "Max address space         unlimited            unlimited            bytes     \n";

	assert_int_equal(proc_parse_limit(text, "Max processes"), 60);
	assert_int_equal(proc_parse_limit(text, "Max open files"), 1024);
	assert_true(proc_parse_limit(text, "Max address space") == UINT64_MAX);
	assert_true(proc_parse_limit(text, "Max data size") == UINT64_MAX);
	assert_true(proc_parse_limit("Max processes", "Max processes") == UINT64_MAX);
}
