/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mute_fuse DEVICE DIRECTORY COMMAND...: run the command in new user and mount namespaces, with a FUSE file system
 * mounted on the directory that reads requests and answers none but the first (INIT). DEVICE is /dev/fuse. Status 77:
 * no such file system can be mounted here. Protocol: linux/fuse.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_map(const char *path, unsigned int id)
{
	char text[64];
	int fd = open(path, O_WRONLY), length = snprintf(text, sizeof(text), "%u %u 1", id, id), bad;

	bad = fd < 0 || write(fd, text, length) != length;
	close(fd);
	return bad;
}

static int deny_groups(void)
{
	int fd = open("/proc/self/setgroups", O_WRONLY), bad = fd < 0 || write(fd, "deny", 4) != 4;

	close(fd);
	return bad;
}

static void answer_init(int fd, const struct fuse_in_header *in)
{
	struct {
		struct fuse_out_header header;
		struct fuse_init_out init;
	} out = {.header = {.len = sizeof(out), .unique = in->unique},
		 .init = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096}};

	if (write(fd, &out, sizeof(out)) != sizeof(out))
		perror("mute_fuse: INIT");
}

static void serve(int fd)
{
	static char request[1 << 20];
	const struct fuse_in_header *in = (const void *)request;

	while (read(fd, request, sizeof(request)) > 0 || errno == EINTR || errno == ENOENT)
		if (in->opcode == FUSE_INIT)
			answer_init(fd, in);
}

int main(int argc, char **argv)
{
	unsigned int uid = geteuid(), gid = getegid();
	char options[128];
	int fd;

	if (argc < 4)
		return 1;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || deny_groups() || write_map("/proc/self/uid_map", uid) ||
	    write_map("/proc/self/gid_map", gid) || (fd = open(argv[1], O_RDWR | O_CLOEXEC)) < 0) {
		perror("mute_fuse");
		return 77;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=41777,user_id=%u,group_id=%u", fd, uid, gid);
	if (mount("mute", argv[2], "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("mute_fuse: mount");
		return 77;
	}
	if (fork() == 0) {
		close(fd); /* an open descriptor would keep the file system alive that it waits for */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	serve(fd);
	return 0;
}
