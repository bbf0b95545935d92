/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mute_fuse DEVICE DIRECTORY COMMAND...: run the command in new user and mount namespaces, with a FUSE file system
 * mounted on the directory that reads requests and answers none but the first (INIT).
 *
 * mute_fuse --as=UID DEVICE DIRECTORY COMMAND...: by root, what fusermount does for the user UID, who runs the command:
 * only he may use the file system. It has a file of 8 KB by any name, which can be opened and mapped; reading it gets no
 * answer.
 *
 * mute_fuse --overlay=READER DEVICE DIRECTORY COMMAND...: as the first one, but the file system is mounted on ./lower, and on
 * the directory an overlay of it and ./empty. So it is read with the rights of the user who has mounted the overlay, and
 * root, too, may read it. It is an empty directory, but gives no answer to processes whose argv[0] contains READER.
 *
 * mute_fuse --written DEVICE DIRECTORY COMMAND...: as the first one, with a file of 8 KB by any name. It is read, and what is
 * written to it stays in the kernel's cache; but what the kernel writes back gets no answer. Whoever opens it for a second
 * time goes past the cache, for which the kernel writes it back (map_holder.c).
 *
 * DEVICE is /dev/fuse. Status 77: no such file system can be mounted here. Protocol: linux/fuse.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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

union answer {
	struct fuse_init_out init;
	struct fuse_entry_out entry;
	struct fuse_attr_out attributes;
	struct fuse_open_out open;
	struct fuse_statfs_out statistics;
};

static void answer(int fd, uint64_t unique, const union answer *body, size_t size, int error)
{
	struct {
		struct fuse_out_header header;
		union answer body;
	} out = {.header = {.len = sizeof(out.header) + size, .error = -error, .unique = unique}, .body = *body};

	if (write(fd, &out, out.header.len) != (ssize_t)out.header.len)
		perror("mute_fuse: answer");
}

#define LIFE	  120 /* seconds */
#define FILE_NODE 2
#define FOR_EVER  1000000 /* seconds */

static struct fuse_attr attributes_of(uint64_t node)
{
	if (node == FUSE_ROOT_ID)
		return (struct fuse_attr){.ino = node, .mode = S_IFDIR | 01777, .nlink = 2};
	return (struct fuse_attr){
		.ino = node, .mode = S_IFREG | 0755, .nlink = 1, .size = 8192, .uid = geteuid(), .gid = getegid()};
}

static void answer_init(int fd, const struct fuse_in_header *in, int written)
{
	union answer a = {.init = {.major = FUSE_KERNEL_VERSION,
				   .minor = FUSE_KERNEL_MINOR_VERSION,
				   .max_write = 4096,
				   .flags = written ? FUSE_WRITEBACK_CACHE : 0}};

	answer(fd, in->unique, &a, sizeof(a.init), 0);
}

static void answer_read(int fd, const struct fuse_in_header *in)
{
	static struct {
		struct fuse_out_header header;
		char zeros[8192];
	} out;
	const struct fuse_read_in *read = (const void *)(in + 1);
	size_t size = read->size < sizeof(out.zeros) ? read->size : sizeof(out.zeros);

	out.header = (struct fuse_out_header){.len = sizeof(out.header) + size, .unique = in->unique};
	if (write(fd, &out, out.header.len) != (ssize_t)out.header.len)
		perror("mute_fuse: read");
}

static void answer_about_file(int fd, const struct fuse_in_header *in, int written)
{
	static int opened;
	union answer a = {0};

	switch (in->opcode) {
	case FUSE_LOOKUP:
		a.entry = (struct fuse_entry_out){.nodeid = FILE_NODE,
						  .entry_valid = FOR_EVER,
						  .attr_valid = FOR_EVER,
						  .attr = attributes_of(FILE_NODE)};
		answer(fd, in->unique, &a, sizeof(a.entry), 0);
		break;
	case FUSE_GETATTR:
		a.attributes = (struct fuse_attr_out){.attr_valid = FOR_EVER, .attr = attributes_of(in->nodeid)};
		answer(fd, in->unique, &a, sizeof(a.attributes), 0);
		break;
	case FUSE_OPEN:
		if (written)
			a.open.open_flags = FOPEN_KEEP_CACHE | (opened++ ? FOPEN_DIRECT_IO : 0);
		answer(fd, in->unique, &a, sizeof(a.open), 0);
		break;
	case FUSE_READ:
		if (written)
			answer_read(fd, in);
		break;
	case FUSE_WRITE:
	case FUSE_FORGET:
	case FUSE_INTERRUPT: break;
	default: answer(fd, in->unique, &a, 0, ENOSYS);
	}
}

static void answer_about_directory(int fd, const struct fuse_in_header *in)
{
	union answer a = {0};

	switch (in->opcode) {
	case FUSE_LOOKUP: answer(fd, in->unique, &a, 0, ENOENT); break;
	case FUSE_GETATTR:
		a.attributes.attr = attributes_of(in->nodeid);
		answer(fd, in->unique, &a, sizeof(a.attributes), 0);
		break;
	case FUSE_STATFS:
		a.statistics.st = (struct fuse_kstatfs){.bsize = 4096, .namelen = 255};
		answer(fd, in->unique, &a, sizeof(a.statistics), 0);
		break;
	case FUSE_OPENDIR: answer(fd, in->unique, &a, sizeof(a.open), 0); break;
	case FUSE_READDIR: answer(fd, in->unique, &a, 0, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: answer(fd, in->unique, &a, 0, ENOSYS);
	}
}

static int is_named(unsigned int pid, const char *reader)
{
	char path[64], name[512] = "";
	int fd, got;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	fd = open(path, O_RDONLY);
	got = read(fd, name, sizeof(name) - 1);
	close(fd);
	return got > 0 && strstr(name, reader);
}

static void serve(int fd, int has_file, int written, const char *reader)
{
	static char request[1 << 20];
	const struct fuse_in_header *in = (const void *)request;

	while (read(fd, request, sizeof(request)) > 0 || errno == EINTR || errno == ENOENT) {
		if (in->opcode == FUSE_INIT)
			answer_init(fd, in, written);
		else if (has_file)
			answer_about_file(fd, in, written);
		else if (reader && !is_named(in->pid, reader))
			answer_about_directory(fd, in);
	}
}

static int enter_namespaces(unsigned int uid, unsigned int gid)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) || deny_groups() || write_map("/proc/self/uid_map", uid) ||
	       write_map("/proc/self/gid_map", gid);
}

static int enter_namespace(void)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int become(unsigned int id)
{
	return geteuid() != id && (setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id));
}

int main(int argc, char **argv)
{
	static const char as[] = "--as=", overlay[] = "--overlay=";
	int fd, for_user = argc > 1 && !strncmp(argv[1], as, strlen(as));
	int written = argc > 1 && !strcmp(argv[1], "--written");
	const char *reader = argc > 1 && !strncmp(argv[1], overlay, strlen(overlay)) ? argv[1] + strlen(overlay) : NULL;
	unsigned int uid = for_user ? atoi(argv[1] + 5) : geteuid(), gid = for_user ? uid : getegid();
	char options[128];

	argv += for_user || reader || written;
	if (argc - (for_user || reader || written) < 4)
		return 1;
	if ((for_user ? enter_namespace() : enter_namespaces(uid, gid)) ||
	    (fd = open(argv[1], O_RDWR | O_CLOEXEC)) < 0) {
		perror("mute_fuse");
		return 77;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=41777,user_id=%u,group_id=%u", fd, uid, gid);
	if (mount("mute", reader ? "lower" : argv[2], "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("mute_fuse: mount");
		return 77;
	}
	if (fork() == 0) {
		close(fd); /* an open descriptor would keep the file system alive that it waits for */
		if (for_user && become(uid))
			_exit(126);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (reader && mount("overlay", argv[2], "overlay", 0, "lowerdir=lower:empty")) {
			perror("mute_fuse: overlay");
			_exit(77);
		}
		execv(argv[3], argv + 3);
		_exit(127);
	}
	alarm(LIFE); /* it must not outlive a test that was killed */
	serve(fd, for_user || written, written, reader);
	return 0;
}
