// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/map_lock.h"
#include "format/vec.h"
#include "user/process/apart.h"
#include "user/process/child.h"
#include "user/process/find.h"
#include "user/process/proc.h"
#include "user/process/target.h"
#include "user/process/user_child.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Returns when the process has given its lock away. Nothing is read: address 0 is not mapped. The kernel takes the lock
 * before it finds that out, of whatever a process has made of its command line and its mappings.
 */
static void map_lock_try(pid_t pid)
{
	int memory = proc_open(pid, "mem");
	char byte;

	if (memory < 0)
		return;
	if (pread(memory, &byte, 1, 0)) {
		/* nothing is there */
	}
	close(memory);
}

/* ---- the check before uprobes come */

#define LOOKS_MORE 2 /* after one that has found a holder */

struct check {
	struct apart apart;
	pid_t holder; /* 0: none has been found */
	int err;
};

static void check_look(pid_t pid, void *result)
{
	map_lock_try(pid);
}

static void check_done(pid_t pid, int err, const void *result, void *context)
{
	struct check *c = context;

	if (!err || c->err)
		return;
	c->err = err;
	c->holder = pid;
}

static void check_begin(pid_t pid, void *context)
{
	struct check *c = context;

	if (!c->err)
		apart_begin(&c->apart, pid);
}

static int describe_holder(const struct check *c, struct diag *d)
{
	struct target t;
	char user[64];

	if (c->err != -ETIMEDOUT)
		return diag_errno(d, -c->err, "cannot check whether processes hold the locks of their memory maps");
	look_name_mute(c->holder, &t);
	return diag_set(
		d, ETIMEDOUT,
		"process %d ('%s') of user '%s' holds the lock of its memory map: each fork() of the machine would "
		"wait for it",
		c->holder, t.name, user_name(t.uid, user, sizeof(user)));
}

static int check_all(struct check *c, struct diag *d)
{
	int err;

	*c = (struct check){.apart = {.look = check_look, .size = 1, .done = check_done, .context = c}};
	err = target_each_process(check_begin, c, d);
	if (err)
		return err;
	return apart_finish(&c->apart) ? diag_set(d, EINTR, "interrupted") : 0;
}

/* A large process that forks, or gives memory back, holds its lock for a while, too. So only one that goes on with it counts. */
int map_locks_check(struct diag *d)
{
	struct check first, c;
	int err = check_all(&first, d);

	if (err || !first.err)
		return err;
	c = first;
	for (int more = 0; more < LOOKS_MORE && c.err == -ETIMEDOUT; more++) {
		err = check_all(&c, d);
		if (err || !c.err)
			return err;
	}
	return describe_holder(&first, d);
}

void map_locks_settle(bool again)
{
	apart_settle(again ? check_look : NULL, 1);
}

/* ---- the guard */

#define LOOK_MS		   250	 /* between two looks at whether the parent ends */
#define BUSY_MS		   50	 /* between two looks while uprobes come or go */
#define LONG_MS		   300	 /* during which uprobes may hold up the machine */
#define FORCE_MS	   10000 /* when no holder has been found until then */
#define HELD_MS		   60	 /* after which a lock counts as held */
#define SAMPLE_MS	   10
#define EXITING		   0x4 /* PF_EXITING, among the flags in /proc/PID/stat */
#define GUARD_LINK	   0   /* to the parent */
#define GUARD_PARENT	   1   /* its pidfd; the guard has no other descriptors */
#define MESSAGE_MOST	   512
#define FUSE_CONTROL	   "/sys/fs/fuse/connections"
#define FUSE_CONTROL_MAGIC 0x65735543 /* linux/magic.h: FUSE_CTL_SUPER_MAGIC */

struct map_guard {
	int link; /* to the child: a byte for each map_guard_enter() and _leave() */
};

static struct map_guard guard = {-1};
static int depth;

/* The kernel's directory of FUSE connections, from where it is mounted, or from a mount that nobody else sees. -1: none. */
static int fuse_control_open(void)
{
	struct statfs fs;
	int fd = open(FUSE_CONTROL, O_RDONLY | O_DIRECTORY | O_CLOEXEC), context, mount = -1;

	if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == FUSE_CONTROL_MAGIC)
		return fd;
	io_close(fd);
	context = syscall(SYS_fsopen, "fusectl", FSOPEN_CLOEXEC);
	if (context < 0)
		return -1;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	close(context);
	fd = mount < 0 ? -1 : openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	io_close(mount);
	return fd;
}

static bool has_requests(int control, const char *connection)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%.32s/waiting", connection);
	fd = openat(control, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return atoi(text) > 0;
}

static void connection_abort(int control, const char *connection)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%.32s/abort", connection);
	fd = openat(control, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) < 0) {
		/* it has ended meanwhile */
	}
	close(fd);
}

/* Before it is done: then the parent goes on. */
static void guard_say(const struct target *t, pid_t holder, const char *connection, uid_t uid)
{
	char text[MESSAGE_MOST], user[64];
	int n;

	user_name(uid, user, sizeof(user));
	if (holder)
		n = snprintf(
			text, sizeof(text),
			"process %d ('%s') held the lock of its memory map, and uprobes held up each fork() of the "
			"machine: FUSE connection %s of user '%s' was aborted",
			holder, t->name, connection, user);
	else
		n = snprintf(text, sizeof(text),
			     "uprobes held up each fork() of the machine: FUSE connection %s of user '%s' was aborted",
			     connection, user);
	send(GUARD_LINK, text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * Abort the connections of a user that have requests without an answer, but none of root's. `holder` 0: those of all users.
 */
static void connections_abort(int control, pid_t holder)
{
	struct target t = {0};
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (holder)
		look_name_mute(holder, &t);
	dir = fdopendir(dup(control));
	if (!dir)
		return;
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || fstatat(control, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !st.st_uid || (holder && st.st_uid != t.uid) || !has_requests(control, entry->d_name))
			continue;
		guard_say(&t, holder, entry->d_name, st.st_uid);
		connection_abort(control, entry->d_name);
	}
	closedir(dir);
}

/* A thread that may hang. */
struct attempt {
	const pid_t *pids; /* it tries one lock after the other, from `next` on; NULL: it forks */
	size_t count, next;
	pid_t at;
	pid_t thread; /* 0: it has not begun */
	bool done;
	int64_t since;
};

static void attempt_locks(struct attempt *a)
{
	size_t i;

	while ((i = a->next) < a->count) {
		__atomic_store_n(&a->at, a->pids[i], __ATOMIC_RELEASE);
		map_lock_try(a->pids[i]);
		a->next = i + 1;
	}
}

/* Without what a C library does for it. */
static void attempt_fork(void)
{
	pid_t child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void *attempt_run(void *context)
{
	struct attempt *a = context;

	__atomic_store_n(&a->thread, gettid(), __ATOMIC_RELEASE);
	if (a->pids)
		attempt_locks(a);
	else
		attempt_fork();
	__atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* What it uses is freed when it is done. NULL: no memory. */
static struct attempt *attempt_new(const pid_t *pids, size_t count, size_t next)
{
	struct attempt *a = calloc(1, sizeof(*a));
	pthread_t thread;

	if (!a)
		return NULL;
	*a = (struct attempt){.pids = pids, .count = count, .next = next, .since = monotonic_ms()};
	if (pthread_create(&thread, NULL, attempt_run, a)) {
		free(a);
		return NULL;
	}
	pthread_detach(thread);
	return a;
}

static bool attempt_is_done(const struct attempt *a)
{
	return __atomic_load_n(&a->done, __ATOMIC_ACQUIRE);
}

/* It waits for a lock: it sleeps, and not even a signal would wake it. */
static bool attempt_waits(const struct attempt *a)
{
	pid_t thread = __atomic_load_n(&a->thread, __ATOMIC_ACQUIRE);
	struct proc_status status;

	return thread && !proc_read_status(thread, &status) && status.state == 'D';
}

/* Follow it until it is done, or waits for a lock. Returns the process whose lock that is; 0: it is done. */
static pid_t attempt_follow(const struct attempt *a)
{
	pid_t before = 0;

	for (int64_t since = 0;;) {
		pid_t at = __atomic_load_n(&a->at, __ATOMIC_ACQUIRE);

		if (attempt_is_done(a))
			return 0;
		if (at != before || !attempt_waits(a)) {
			before = at;
			since = monotonic_ms();
		} else if (monotonic_ms() - since >= HELD_MS) {
			return at;
		}
		usleep(SAMPLE_MS * 1000);
	}
}

struct process_list {
	pid_t *pid;
	size_t count, capacity;
};

/* Without memory the list ends. */
static int list_process(pid_t pid, void *context)
{
	struct process_list *l = context;

	if (vec_reserve(&l->pid, &l->capacity, l->count + 1))
		return -ENOMEM;
	l->pid[l->count++] = pid;
	return 0;
}

/* End what holds up the uprobes. No process can be forked now, so threads try the locks. One that hangs is left behind. */
static void guard_rescue(void)
{
	static const char *const in_fuse[] = {"fuse",
					      NULL}; /* not a large process that forks, which has its lock, too */
	int control = fuse_control_open();
	struct process_list all = {NULL};
	pid_t holder = 1;
	size_t next = 0;

	if (control >= 0)
		proc_each_number("/proc", list_process, &all);
	while (next < all.count && holder) {
		struct attempt *a = attempt_new(all.pid, all.count, next);

		if (!a)
			break;
		holder = attempt_follow(a);
		next = a->next + 1;
		if (holder && proc_sleeps_in(holder, in_fuse))
			connections_abort(control, holder);
	}
	io_close(control);
}

static void guard_rescue_by_force(void)
{
	int control = fuse_control_open();

	if (control < 0)
		return;
	connections_abort(control, 0);
	close(control);
}

/* A thread of the guard forks again and again while uprobes come or go. */
struct forks {
	struct attempt *last; /* NULL: none */
	int64_t rescue;	      /* when the next rescue is due; 0: it is the first one */
};

static void forks_check(struct forks *f)
{
	int64_t now = monotonic_ms();

	if (f->last && attempt_is_done(f->last)) {
		free(f->last);
		*f = (struct forks){NULL, 0};
	}
	if (!f->last) {
		f->last = attempt_new(NULL, 0, 0);
		return;
	}
	if (now - f->last->since < LONG_MS || now < f->rescue || !attempt_waits(f->last))
		return;
	guard_rescue();
	if (now - f->last->since >= FORCE_MS)
		guard_rescue_by_force();
	f->rescue = now + LONG_MS;
}

/* Field 9 of /proc/PID/stat, behind the command. True if the parent ends: the kernel may take its uprobes away now. */
static bool parent_ends(pid_t parent)
{
	char *text = proc_read(parent, "stat", 4096, NULL), *at = text ? strrchr(text, ')') : NULL;
	bool ends;

	for (int field = 2; at && field < 9; field++)
		at = strchr(at + 1, ' ');
	ends = at && strtoul(at + 1, NULL, 10) & EXITING;
	free(text);
	return ends;
}

/*
 * Until each thread of the parent has ended. Any of them may be the one that takes the uprobes away, when the first one is a
 * zombie and this process has got another parent.
 */
static void guard_watch(pid_t parent)
{
	struct pollfd poller[] = {{GUARD_PARENT, POLLIN, 0}, {GUARD_LINK, POLLIN, 0}};
	struct forks forks = {NULL};
	bool busy = false;
	char bytes[64];
	ssize_t n;

	for (;;) {
		int ready = poll(poller, 2, busy ? BUSY_MS : LOOK_MS);

		if (ready > 0 && poller[0].revents)
			return;
		if (ready > 0) {
			n = read(GUARD_LINK, bytes, sizeof(bytes));
			busy = n > 0 && bytes[n - 1] == '+';
			if (n <= 0)
				poller[1].fd = -1;
		} else if (busy || parent_ends(parent)) {
			busy = true;
			forks_check(&forks);
		}
	}
}

/* It keeps no stream of the parent's open: a recording in the background must not hold the terminal. */
static void guard_run(pid_t parent, int pidfd, int link)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	setpriority(PRIO_PROCESS, 0, -20); /* the machine waits; may fail */
	child_keep("frtrace-guard", (int *[]){&link, &pidfd}, 2);
	if (link == GUARD_LINK && pidfd == GUARD_PARENT)
		guard_watch(parent);
	_exit(0);
}

int map_guard_start(struct map_guard **out, struct diag *d)
{
	pid_t parent = getpid(), child;
	int pidfd = syscall(SYS_pidfd_open, parent, 0), link;

	*out = NULL;
	if (pidfd < 0)
		return diag_errno(d, errno, "cannot watch over the uprobes");
	child = child_fork(&link);
	if (!child)
		guard_run(parent, pidfd, link);
	close(pidfd);
	if (child < 0)
		return diag_errno(d, -child, "cannot start a process that watches the uprobes");
	guard.link = link;
	*out = &guard;
	return 0;
}

/* What it has done meanwhile. */
static void guard_listen(void)
{
	char text[MESSAGE_MOST];
	ssize_t n;

	while (guard.link >= 0 && (n = recv(guard.link, text, sizeof(text) - 1, MSG_DONTWAIT)) > 0) {
		text[n] = 0;
		log_error("%s", text);
	}
}

void map_guard_free(struct map_guard *g)
{
	if (!g)
		return;
	guard_listen();
	close(g->link);
	g->link = -1;
}

static void guard_tell(char what)
{
	if (guard.link >= 0 && send(guard.link, &what, 1, MSG_NOSIGNAL) < 0)
		guard.link = -1;
}

void map_guard_enter(void)
{
	if (!depth++)
		guard_tell('+');
}

void map_guard_leave(void)
{
	if (--depth)
		return;
	guard_tell('-');
	guard_listen();
}
