// SPDX-License-Identifier: BSD-2-Clause
/* The agent's file in fake roots. */
#include "tests/lib/test.h"
#include "user/process/agent_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64], command[256];
static struct target target;
static struct user_child helper;

static void shell(const char *words)
{
	snprintf(command, sizeof(command), "cd %s && %s", root, words);
	assert_int_equal(system(command), 0);
}

static int open_root(void **state)
{
	strcpy(root, "/tmp/test_agent_file.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	target = (struct target){.pid = getpid(), .pidfd = -1, .uid = geteuid(), .gid = getegid()};
	helper = (struct user_child){.target = &target, .cwd = -1, .tmp = -1, .status = -1};
	helper.root = open(root, O_PATH | O_DIRECTORY);
	snprintf(helper.root_name, sizeof(helper.root_name), "%s", root);
	return helper.root < 0;
}

static int remove_root(void **state)
{
	close(helper.root);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

CASE(file_is_private_executable_and_named_as_the_target_sees_it, open_root, remove_root)
{
	struct agent_file f;
	char path[600];
	struct stat st;
	struct diag d;

	shell("mkdir tmp");
	assert_int_equal(agent_file_name(&f, "libx.so", &d), 0);
	assert_int_equal(agent_file_write(&f, &helper, "image", 5, &d), 0);
	assert_int_equal(strncmp(f.path, "/tmp/.frtrace-", 14), 0);
	snprintf(path, sizeof(path), "%s%s", root, f.path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(st.st_mode & 07777, 0500);
	*strrchr(path, '/') = 0;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	agent_file_remove(&f);
	shell("test -z \"$(ls -A tmp)\"");
}

CASE(next_base_is_tried_if_one_is_missing, open_root, remove_root)
{
	struct agent_file f;
	struct diag d;

	shell("mkdir -p var/tmp && touch tmp");
	agent_file_name(&f, "libx.so", &d);
	assert_int_equal(agent_file_write(&f, &helper, "image", 5, &d), 0);
	assert_int_equal(strncmp(f.path, "/var/tmp/.frtrace-", 18), 0);
	agent_file_remove(&f);
	shell("test -z \"$(ls -A var/tmp)\"");
}

CASE(every_base_is_named_if_none_is_usable, open_root, remove_root)
{
	struct agent_file f;
	struct diag d;

	agent_file_name(&f, "libx.so", &d);
	assert_true(agent_file_write(&f, &helper, "image", 5, &d) < 0);
	assert_contains(d.text, "/tmp: No such file");
	assert_contains(d.text, "/dev/shm: No such file");
}

CASE(links_stay_below_the_targets_root, open_root, remove_root)
{
	struct agent_file f;
	struct diag d;

	shell("mkdir real && ln -s /real tmp && mkdir -p outside");
	agent_file_name(&f, "libx.so", &d);
	assert_int_equal(agent_file_write(&f, &helper, "image", 5, &d), 0);
	assert_int_equal(strncmp(f.path, "/real/.frtrace-", 15), 0);
	agent_file_remove(&f);
	shell("rm tmp && ln -s ../../../../../../tmp tmp && ! test -e real/x");
	assert_true(agent_file_write(&f, &helper, "image", 5, &d) < 0);
}

CASE(existing_files_are_not_touched, open_root, remove_root)
{
	struct agent_file f;
	struct diag d;

	shell("mkdir tmp elsewhere");
	agent_file_name(&f, "libx.so", &d);
	snprintf(command, sizeof(command), "ln -s ../elsewhere %s/tmp/%s", root, f.directory);
	assert_int_equal(system(command), 0);
	assert_true(agent_file_write(&f, &helper, "image", 5, &d) < 0);
	shell("test -z \"$(ls -A elsewhere)\"");
	snprintf(command, sizeof(command), "cd %s/tmp && rm * .f* 2>/dev/null; mkdir -m 700 %s", root, f.directory);
	assert_int_equal(system(command), 0);
	assert_true(agent_file_write(&f, &helper, "image", 5, &d) < 0);
	snprintf(command, sizeof(command), "rmdir %s/tmp/%s", root, f.directory);
	assert_int_equal(system(command), 0);
}

CASE(sweep_removes_what_a_killed_child_left, open_root, remove_root)
{
	struct agent_file f, again;
	struct diag d;

	shell("mkdir tmp");
	agent_file_name(&f, "libx.so", &d);
	again = f;
	assert_int_equal(agent_file_write(&f, &helper, "image", 5, &d), 0);
	close(f.base);
	close(f.inside);
	agent_file_sweep(&again, &helper);
	shell("test -z \"$(ls -A tmp)\"");
}
