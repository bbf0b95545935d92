// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a recording does after its start, until the process ends: it reads the JVM's memory and libraries, reads and
 * writes files, serves a terminal and the control socket, takes the queue, and merges and judges what it has written.
 * A C library may choose among several calls for one thing, so the older and the newer ones stand side by side. A call
 * that this version of libseccomp does not know cannot be allowed, and is not used by a C library of its time.
 */
#include "user/process/syscall_filter.h"

#include <errno.h>
#include <seccomp.h>
#include <unistd.h>

static const char *const always[] = {
	/* files */
	"read", "pread64", "readv", "write", "pwrite64", "writev", "lseek", "open", "openat", "openat2", "close",
	"close_range", "stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat",
	"faccessat2", "readlink", "readlinkat", "getdents64", "truncate", "ftruncate", "fallocate", "fadvise64",
	"fsync", "fdatasync", "sync_file_range", "copy_file_range", "sendfile", "rename", "renameat", "renameat2",
	"unlink", "unlinkat", "link", "linkat", "mkdir", "mkdirat", "rmdir", "fchmod", "fchmodat", "fchown", "fchownat",
	"utimensat", "umask", "getcwd", "fcntl", "flock", "dup", "dup2", "dup3", "pipe2", "ioctl",
	/* memory */
	"mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "brk", "memfd_create",
	/* waiting, time, and the own process */
	"poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2",
	"signalfd4", "futex", "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time",
	"rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "sigaltstack",
	"restart_syscall", "wait4", "waitid", "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid",
	"geteuid", "getgid", "getegid", "getgroups", "uname", "sysinfo", "getrusage", "getrlimit", "prlimit64",
	"getpriority", "setpriority", "getcpu", "sched_getaffinity", "sched_yield", "sched_getparam",
	"sched_getscheduler", "getrandom", "prctl", "arch_prctl", "capget", "rseq", "set_robust_list", "membarrier",
	"exit", "exit_group",
	/* the kernel's programs, and threads of the target */
	"bpf", "pidfd_open",
	/* who is at the control socket, which was opened before */
	"accept", "accept4", "recvfrom", "recvmsg", "sendto", "sendmsg", "getsockopt", "setsockopt", "getpeername",
	"getsockname", "shutdown"};

/* To attach to the JVM once more, in a child with the rights of its user. */
static const char *const attaching[] = {
	"clone",    "clone3",	"fork",	  "vfork",   "setsid", "setgroups",	    "setresgid", "setresuid",
	"setregid", "setreuid", "socket", "connect", "kill",   "pidfd_send_signal", "socketpair"};

/* To abort: for the own process only, if it starts no others. */
static const char *const raising[] = {"tgkill"};

/* To pass signals on to the program that was started before. */
static const char *const signalling[] = {"pidfd_send_signal"};

/*
 * To start recordings, besides attaching: perf events on kernels without uprobe_multi links, what narrows rights, what
 * tsc_measured() compares counters with, and a view of FUSE connections that is mounted nowhere (map_lock.h).
 */
static const char *const starting[] = {"perf_event_open", "capset",   "seccomp", "sched_setaffinity",
				       "fsopen",	  "fsconfig", "fsmount"};

/* To mount the agent's directory. */
static const char *const mounting[] = {"socketpair", "setns",	   "open_tree", "mount_setattr",
				       "fchdir",     "move_mount", "umount2"};

/* To attach to a function by a perf event. */
static const char *const probing[] = {"perf_event_open"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int filter_allow(scmp_filter_ctx filter, const char *const *names, size_t count,
			const struct scmp_arg_cmp *condition)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		int number = seccomp_syscall_resolve_name(names[i]);

		if (number != __NR_SCMP_ERROR)
			err = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, condition != NULL, condition);
	}
	return err;
}

static int filter_build(scmp_filter_ctx filter, struct rights_later later)
{
	const struct scmp_arg_cmp itself = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid());
	const struct {
		bool wanted;
		const char *const *names;
		size_t count;
		const struct scmp_arg_cmp *condition;
	} lists[] = {{true, always, COUNT(always), NULL},
		     {true, raising, COUNT(raising), later.start ? NULL : &itself},
		     {later.attach || later.start, attaching, COUNT(attaching), NULL},
		     {later.signal, signalling, COUNT(signalling), NULL},
		     {later.start, starting, COUNT(starting), NULL},
		     {later.mount, mounting, COUNT(mounting), NULL},
		     {later.probe, probing, COUNT(probing), NULL}};
	int err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);

	for (size_t i = 0; i < COUNT(lists) && !err; i++)
		if (lists[i].wanted)
			err = filter_allow(filter, lists[i].names, lists[i].count, lists[i].condition);
	return err;
}

int syscall_filter_load(struct rights_later later, struct diag *d)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err = filter ? filter_build(filter, later) : -ENOMEM;

	err = err ?: seccomp_load(filter);
	seccomp_release(filter);
	return err ? diag_errno(d, -err, "cannot set a seccomp filter") : 0;
}
