// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/exec_mount.h"
#include "user/process/child.h"
#include "user/process/proc.h"
#include "user/text/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOUNTINFO_MOST (16u << 20)
#define REAP_MS	       1000

/* ---- in the child */

struct mounter {
	const struct target *target;
	int socket, namespace, mountinfo;
	bool mounted; /* the working directory is the root of the mount */
};

static int check_directory(const struct mounter *m, int directory)
{
	struct stat st;

	if (fstat(directory, &st))
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == m->target->uid && !(st.st_mode & 0077) ? 0 : -EPERM;
}

/* A mount on a shared one appears in other namespaces, perhaps in the host's. */
static int check_propagation(const struct mounter *m, int directory)
{
	struct statx st;
	char *text;
	int shared;

	if (statx(directory, "", AT_EMPTY_PATH, STATX_MNT_ID, &st))
		return -errno;
	text = proc_read_fd(m->mountinfo, MOUNTINFO_MOST, NULL);
	shared = text ? proc_parse_mount_is_shared(text, st.stx_mnt_id) : -ESRCH;
	free(text);
	return shared > 0 ? -EXDEV : shared;
}

/* The copy of the mount is private, and becomes the working directory: no path of the target's leads to it for sure. */
static int mount_again(int directory)
{
	struct mount_attr attributes = {.attr_clr = MOUNT_ATTR_NOEXEC, .propagation = MS_PRIVATE};
	int tree = open_tree(directory, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH), err = 0;

	if (tree < 0)
		return -errno;
	if (mount_setattr(tree, "", AT_EMPTY_PATH, &attributes, sizeof(attributes)) || fchdir(tree) ||
	    move_mount(tree, "", directory, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH))
		err = -errno;
	close(tree);
	return err;
}

static int mounter_put(struct mounter *m, int directory)
{
	int err = m->mounted ? -EBUSY : check_directory(m, directory);

	err = err ?: check_propagation(m, directory);
	if (!err && setns(m->namespace, CLONE_NEWNS))
		err = -errno;
	err = err ?: mount_again(directory);
	m->mounted |= !err;
	return err;
}

static int mounter_remove(struct mounter *m)
{
	int err = m->mounted && umount2(".", MNT_DETACH) ? -errno : 0;

	m->mounted = false;
	return err;
}

/* Receive a request: with a descriptor, to mount that; without one, to unmount. False: nobody is there any more. */
static bool mounter_receive(int from, int *directory)
{
	char byte, control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec one = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &one, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	ssize_t n;

	do {
		n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	*directory = -1;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(directory, CMSG_DATA(c), sizeof(*directory));
	return n > 0;
}

static void mounter_run(struct mounter *m)
{
	sigset_t all;
	int directory, err;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	child_keep(NULL, (int *[]){&m->socket, &m->namespace, &m->mountinfo}, 3);
	while (mounter_receive(m->socket, &directory)) {
		err = directory < 0 ? mounter_remove(m) : mounter_put(m, directory);
		io_close(directory);
		if (send(m->socket, &err, sizeof(err), MSG_NOSIGNAL) != sizeof(err))
			break;
	}
	mounter_remove(m);
	_exit(0);
}

/* ---- for the others */

static int mounter_fork(struct exec_mount *m, const struct target *t, int namespace, int mountinfo)
{
	m->pid = child_fork(&m->socket);
	if (!m->pid)
		mounter_run(&(struct mounter){
			.target = t, .socket = m->socket, .namespace = namespace, .mountinfo = mountinfo});
	return m->pid < 0 ? m->pid : 0;
}

/* In the target's mount namespace the child opens nothing by a path: what is at /proc there is the target's to say. */
int exec_mount_start(struct exec_mount *m, const struct target *t, struct diag *d)
{
	int namespace, mountinfo, err;

	*m = (struct exec_mount){.socket = -1, .pid = -1};
	namespace = proc_open(t->pid, "ns/mnt");
	if (namespace < 0)
		return diag_errno(d, errno, "cannot open the mount namespace of process %d", t->pid);
	mountinfo = proc_open(t->pid, "mountinfo");
	if (mountinfo < 0)
		err = -errno;
	else
		err = target_ended(t) ? -ESRCH : mounter_fork(m, t, namespace, mountinfo);
	io_close(mountinfo);
	close(namespace);
	return err ? diag_errno(d, -err, "cannot prepare a mount for process %d", t->pid) : 0;
}

static int mounter_ask(int socket, int directory)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	struct iovec one = {&byte, 1};
	struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
	struct cmsghdr *c = (struct cmsghdr *)control;
	int answer;

	if (directory >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		*c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &directory, sizeof(directory));
	}
	if (sendmsg(socket, &message, MSG_NOSIGNAL) != 1)
		return -errno;
	return recv(socket, &answer, sizeof(answer), 0) == sizeof(answer) ? answer : -EPIPE;
}

int exec_mount_put(int socket, int directory)
{
	return mounter_ask(socket, directory);
}

void exec_mount_remove(int socket)
{
	mounter_ask(socket, -1);
}

void exec_mount_end(struct exec_mount *m)
{
	io_close(m->socket);
	if (m->pid > 0 && !child_reap(m->pid, REAP_MS)) {
		kill(m->pid, SIGKILL);
		child_reap(m->pid, REAP_MS);
	}
	*m = (struct exec_mount){.socket = -1, .pid = -1};
}
