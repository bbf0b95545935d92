// SPDX-License-Identifier: BSD-2-Clause
/*
 * HotSpot's attach mechanism. The JVM listens on /tmp/.java_pidN (N: its own pid in its own view), mode 0600. It
 * starts to listen when it first gets SIGQUIT while a file .attach_pidN of its user exists in its working
 * directory or in /tmp; with -Xrs or -XX:+StartAttachListener it listens from the start. It accepts only clients
 * with its own effective user and group (since 11 also root), so the helper child becomes that user.
 *
 * SIGQUIT kills a process that does not handle it. A JVM does not handle it during its first milliseconds, nor
 * with -Xrs. So the signal is sent only if SigCgt has its bit, checked directly before. SIGQUIT without the file,
 * or with -XX:+DisableAttachMechanism, would print a thread dump to the target's stdout; with that flag it is not
 * sent either. The file goes into /tmp: a starting JVM changes its working directory for a moment to the directory
 * of the counters, and removes unknown files there (in a test, the trigger file was removed).
 *
 * The socket is opened with O_PATH and connected through /proc/self/fd. So connect() follows no path of the
 * target, whose links could lead into our own file system; the 108 bytes of an address always suffice; and what
 * was checked is what is used. The peer's pid must be the target's: containers may share a /tmp in which two JVMs
 * have the same N.
 */
#include "user/process/attach.h"
#include "bpf/frtrace.h"
#include "format/vec.h"
#include "user/process/agent_file.h"
#include "user/process/attach_reply.h"
#include "user/process/attach_room.h"
#include "user/process/exec_mount.h"
#include "user/process/interrupt.h"
#include "user/process/jvm.h"
#include "user/process/maps.h"
#include "user/process/root_path.h"
#include "user/process/find.h"
#include "user/text/io.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#define REPLY_MAX     (16u << 20)
#define OTHERS_MS     500	/* time for another process's attach to succeed, before its file counts as abandoned */
#define SOCKET_MS     2000	/* time for a JVM with -Xrs to create its socket */
#define DOUBT_MS      1500	/* time to answer for a JVM that probably cannot, and rests */
#define REST_NS	      10000000u /* CPU time that one at rest may use meanwhile; a suspended one has used 0.5 ms */
#define START_MS      60000	/* for a JVM to start up, while it is at work */
#define IDLE_START_MS 7500
#define STOPPED	      "it is stopped (kill -CONT continues it)"
#define DISABLED      "it runs with -XX:+DisableAttachMechanism"
#define CAUGHT_QUIT   (1ull << (SIGQUIT - 1))

/* What is known of the JVM before it is asked. */
struct preparation {
	struct jvm_options options;
	struct diag doubt; /* why it probably does not answer; "": it should */
	int64_t deadline;
	bool *signalled; /* in memory that the child shares: SIGQUIT was sent, and nobody listens yet */
};

struct exchange {
	char request[ATTACH_REQUEST_MAX];
	int length;
	bool brief; /* the answer comes at once */
	const struct preparation *prepared;
};

static __attribute__((format(printf, 4, 5))) int attach_refuse(const struct target *t, int err, struct diag *d,
							       const char *why, ...)
{
	char text[sizeof(d->text)];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	return diag_set(d, err, "cannot attach to process %d '%s': %s", t->pid, t->name, text);
}

static int connect_checked(const struct target *t, int file, struct diag *d)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	int fd, r;

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", file);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return diag_errno(d, errno, "cannot make a socket");
	r = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (r == -ECONNREFUSED)
		r = -ENOENT; /* left by a dead JVM with the same number */
	else if (r && r != -EAGAIN)
		r = attach_refuse(t, -r, d, "%s", strerror(-r));
	else if (!r && (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid != t->pid))
		r = attach_refuse(t, EADDRINUSE, d, "its socket '/tmp/.java_pid%d' belongs to process %d", t->ns_pid,
				  peer.pid);
	if (!r)
		return fd;
	close(fd);
	return r;
}

/* Connect. Returns a descriptor; -ENOENT: nobody listens; -EAGAIN: the queue is full; other -errno: with a message. */
static int try_connect(const struct user_child *h, struct diag *d)
{
	char name[64];
	struct stat st;
	int file, r;

	snprintf(name, sizeof(name), ".java_pid%d", h->target->ns_pid);
	file = h->tmp < 0 ? -1 : openat(h->tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return -ENOENT;
	if (fstat(file, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != h->target->uid)
		r = attach_refuse(h->target, EPERM, d, "'/tmp/%s' is in the way and is not a socket of its user", name);
	else
		r = connect_checked(h->target, file, d);
	close(file);
	return r;
}

static int check_state(const struct user_child *h, struct proc_status *status, struct diag *d)
{
	char *text = proc_read_fd(h->status, 65536, NULL);
	int r = text ? proc_parse_status(text, status) : -ESRCH;

	free(text);
	if (r || target_ended(h->target))
		return attach_refuse(h->target, ESRCH, d, "it has ended");
	if (status->state == 'T' || status->state == 't')
		return attach_refuse(h->target, EBUSY, d, STOPPED);
	return 0;
}

/* Make the last check before the signal, and send it. */
static int send_quit(const struct user_child *h, struct diag *d)
{
	struct proc_status status;
	int r = check_state(h, &status, d);

	if (r)
		return r;
	if (!(status.caught & CAUGHT_QUIT))
		return attach_refuse(
			h->target, EBUSY, d,
			"it does not handle SIGQUIT, which would kill it (perhaps it runs with -Xrs and its "
			"socket in /tmp is gone)");
	if (h->target->pidfd >= 0)
		r = syscall(SYS_pidfd_send_signal, h->target->pidfd, SIGQUIT, NULL, 0);
	else
		r = kill(h->target->pid, SIGQUIT);
	return r ? attach_refuse(h->target, errno, d, "%s", strerror(errno)) : 0;
}

/* Create .attach_pidN of the target's user in one directory. Returns 0: created, 1: it exists already, or -errno. */
static int make_trigger(const struct user_child *h, int directory, const char *name)
{
	struct stat st;
	int fd;

	if (directory < 0)
		return -ENOENT;
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return -errno;
	io_close(fd);
	if (!fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && st.st_uid == h->target->uid)
		return fd < 0;
	if (fd >= 0)
		unlinkat(directory, name, 0);
	return -EPERM;
}

static void remove_trigger(const struct user_child *h)
{
	int places[] = {h->cwd, h->tmp};
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), ".attach_pid%d", h->target->ns_pid);
	for (int i = 0; i < 2; i++)
		if (places[i] >= 0 && !fstatat(places[i], name, &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_uid == h->target->uid)
			unlinkat(places[i], name, 0);
}

/* Poll until somebody listens. Returns -ENOENT, without a message, if nobody does until `deadline`. */
static int poll_socket(const struct user_child *h, int64_t deadline, struct diag *d)
{
	struct proc_status status;
	int fd, r;

	for (int pause = 1000;; pause += pause < 20000 ? 1000 : 0) {
		fd = try_connect(h, d);
		if (fd >= 0 || (fd != -ENOENT && fd != -EAGAIN))
			return fd;
		r = check_state(h, &status, d);
		if (r)
			return r;
		if (!deadline_left(deadline))
			return -ENOENT;
		usleep(pause);
	}
}

/*
 * A wait for the first sign of an answer. A JVM that probably cannot answer is given up early, but only if it also rests:
 * one that collects garbage, or has a quota of CPU time, is just slow.
 */
struct silence {
	const struct user_child *child;
	const char *doubt; /* "": none */
	int64_t begun, until;
	uint64_t cpu_ns;
};

static void silence_next(struct silence *w)
{
	int64_t enough = monotonic_ms() + DOUBT_MS;

	w->until = w->doubt[0] && enough < w->child->deadline ? enough : w->child->deadline;
	w->cpu_ns = target_cpu_ns(w->child->target);
}

static struct silence silence_begin(const struct user_child *h, const char *doubt)
{
	struct silence w = {.child = h, .doubt = doubt, .begun = monotonic_ms()};

	silence_next(&w);
	return w;
}

/* There is no sign until w->until. Returns true if that is later now. */
static bool silence_goes_on(struct silence *w)
{
	if (!deadline_left(w->child->deadline) || target_cpu_ns(w->child->target) < w->cpu_ns + REST_NS)
		return false;
	silence_next(w);
	return true;
}

static int refuse_silent(const struct silence *w, int err, struct diag *d)
{
	return attach_refuse(w->child->target, err, d, "it did not answer within %.1f s%s%s",
			     (monotonic_ms() - w->begun) / 1000.0, w->doubt[0] ? ": " : "", w->doubt);
}

static int wait_for_socket(const struct user_child *h, const struct preparation *p, struct diag *d)
{
	struct silence w = silence_begin(h, p->doubt.text);
	int r;

	do {
		r = poll_socket(h, w.until, d);
	} while (r == -ENOENT && silence_goes_on(&w));
	return r == -ENOENT ? refuse_silent(&w, ETIMEDOUT, d) : r;
}

/*
 * Send one signal, never a second: a JVM that already listens answers SIGQUIT with a thread dump in the program's
 * output. So the last check is for the socket, and if another process's file exists, wait for its attach to
 * succeed. A JVM that was stopped meanwhile, or is too slow, handles the signal later. It finds the file then.
 */
static int wake_listener(const struct user_child *h, const struct preparation *p, struct diag *d)
{
	char name[64];
	int there, r;

	snprintf(name, sizeof(name), ".attach_pid%d", h->target->ns_pid);
	there = make_trigger(h, h->tmp, name);
	if (there < 0)
		there = make_trigger(h, h->cwd, name);
	if (there < 0)
		return attach_refuse(h->target, -there, d, "cannot create '%s' in /tmp or its working directory: %s",
				     name, strerror(-there));
	r = poll_socket(h, monotonic_ms() + (there ? OTHERS_MS : 0), d);
	if (r == -ENOENT) {
		*p->signalled = true;
		r = send_quit(h, d);
		*p->signalled = !r;
		r = r ?: wait_for_socket(h, p, d);
	}
	if (r >= 0 || target_ended(h->target))
		*p->signalled = false;
	if (!*p->signalled)
		remove_trigger(h);
	return r;
}

/* With -Xrs a JVM creates its socket while it starts, or never. */
static int wait_for_own_socket(const struct user_child *h, struct diag *d)
{
	int64_t enough = monotonic_ms() + SOCKET_MS;
	int r = poll_socket(h, enough < h->deadline ? enough : h->deadline, d);

	if (r != -ENOENT)
		return r;
	return attach_refuse(
		h->target, EBUSY, d,
		"it runs with -Xrs and its socket '/tmp/.java_pid%d' is gone; only a restart makes a new one",
		h->target->ns_pid);
}

static int open_connection(const struct user_child *h, const struct preparation *p, struct diag *d)
{
	struct proc_status status;
	int r = check_state(h, &status, d);

	if (r)
		return r;
	r = try_connect(h, d);
	if (r == -EAGAIN)
		return wait_for_socket(h, p, d);
	if (r >= 0)
		remove_trigger(h); /* left for a JVM that was slow */
	if (r != -ENOENT)
		return r;
	return p->options.signals_reduced ? wait_for_own_socket(h, d) : wake_listener(h, p, d);
}

/* Returns -ETIME if a JVM that has been sent the request, and seems to be able to answer, takes too long. */
static int read_reply(struct user_child *h, const struct exchange *e, int fd, struct answer *out, struct diag *d)
{
	struct pollfd poller = {fd, POLLIN, 0};
	struct silence w = silence_begin(h, e->brief ? e->prepared->doubt.text : "");
	struct proc_status status;
	size_t size = 0;
	ssize_t n;
	int r;

	for (;;) {
		r = poll(&poller, 1, deadline_left(out->length ? h->deadline : w.until));
		if (r < 0 && errno == EINTR)
			continue;
		if (r == 0)
			r = check_state(h, &status, d);
		if (r < 0)
			return r;
		if (r == 0 && out->length)
			return attach_refuse(h->target, ETIME, d, "no full answer within the time");
		if (r == 0 && silence_goes_on(&w))
			continue;
		if (r == 0)
			return refuse_silent(&w, deadline_left(h->deadline) ? ETIMEDOUT : ETIME, d);
		if (out->length + 1 >= size && (size >= REPLY_MAX || vec_reserve(&out->text, &size, size + 65536)))
			return attach_refuse(h->target, EMSGSIZE, d, "its answer is larger than 16 MB");
		n = read(fd, out->text + out->length, size - 1 - out->length);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return attach_refuse(h->target, errno, d, "%s", strerror(errno));
		out->length += n;
		out->text[out->length] = 0;
		if (n == 0)
			return 0;
	}
}

/* Of user_child_run(): `context` is the exchange. */
static int converse(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	const struct exchange *e = context;
	int fd, r;

	out->code = ATTACH_UNSENT;
	fd = open_connection(h, e->prepared, d);
	if (fd < 0)
		return fd;
	out->code = 0;
	if (send(fd, e->request, e->length, MSG_NOSIGNAL) != e->length)
		r = attach_refuse(h->target, errno, d, "%s", strerror(errno));
	else
		r = read_reply(h, e, fd, out, d);
	r = r ?: attach_reply_parse(out->text, &out->length, &out->code, d);
	close(fd);
	return r;
}

struct sweep {
	struct agent_file *file; /* may be NULL */
	bool signalled;
};

static int sweep_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	const struct sweep *s = context;

	if (!s->signalled)
		remove_trigger(h);
	if (s->file)
		agent_file_sweep(s->file, h);
	return 0;
}

int attach_wait_until_up(const struct target *t, struct diag *d)
{
	int64_t begun = monotonic_ms(), worked = begun;
	uint64_t cpu_ns = target_cpu_ns(t);
	struct proc_status status;

	while (!attach_room_has_started(t)) {
		if (proc_read_status(t->pid, &status) || target_ended(t))
			return attach_refuse(t, ESRCH, d, "it has ended");
		if (status.state == 'T' || status.state == 't')
			return attach_refuse(t, EBUSY, d, STOPPED);
		if (interrupted())
			return attach_refuse(t, EINTR, d, "interrupted");
		if (target_cpu_ns(t) >= cpu_ns + REST_NS) {
			cpu_ns = target_cpu_ns(t);
			worked = monotonic_ms();
		}
		if (monotonic_ms() > worked + IDLE_START_MS || monotonic_ms() > begun + START_MS)
			return attach_refuse(t, EBUSY, d, "it has not started up yet");
		usleep(5000);
	}
	return 0;
}

static void attach_release(struct preparation *p)
{
	if (p->signalled)
		munmap(p->signalled, sizeof(*p->signalled));
	p->signalled = NULL;
}

static int attach_check_room(const struct target *t, bool loads, struct preparation *p, struct diag *d)
{
	struct diag why;
	int r = attach_room_check(t, &p->options, loads, &p->doubt, &why);

	return r ? attach_refuse(t, -r, d, "%s", why.text) : 0;
}

int attach_check_agent(const struct target *t, struct diag *d)
{
	struct preparation p = {.deadline = 0};

	jvm_read_options(t, &p.options);
	return attach_check_room(t, true, &p, d);
}

static int attach_prepare(const struct target *t, bool loads, int timeout_ms, struct preparation *p, struct diag *d)
{
	int r = attach_wait_until_up(t, d);

	*p = (struct preparation){.deadline = monotonic_ms() + timeout_ms};
	if (r)
		return r;
	jvm_read_options(t, &p->options);
	if (p->options.attach_disabled)
		return attach_refuse(t, EPERM, d, DISABLED);
	r = attach_check_room(t, loads, p, d);
	if (r)
		return r;
	p->signalled = mmap(NULL, sizeof(*p->signalled), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->signalled != MAP_FAILED)
		return 0;
	p->signalled = NULL;
	return diag_errno(d, errno, "cannot attach to process %d '%s'", t->pid, t->name);
}

/*
 * Do the work in a child. If that had to be killed, clean up after it. A JVM that has got the signal and has not handled it
 * needs the file still. One that fell silent may have been frozen meanwhile: that says more.
 */
static int attach_run(const struct target *t, const struct preparation *p, user_child_work *work, void *context,
		      struct agent_file *file, struct exec_mount *mount, struct answer *answer, struct diag *d)
{
	struct sweep sweep = {.file = file};
	bool abandoned = false;
	struct diag why;
	int r = user_child_run_keeping(mount ? mount->socket : -1, t, work, context, deadline_left(p->deadline), answer,
				       &abandoned, d);

	if (mount)
		exec_mount_end(mount);
	sweep.signalled = *p->signalled;
	if (abandoned)
		user_child_clean_up(t, sweep_work, &sweep, 1000);
	if ((r == -ETIMEDOUT || r == -ETIME) && attach_room_check_frozen(t, &why))
		attach_refuse(t, EBUSY, d, "%s", why.text);
	return r;
}

int attach_command(const struct target *t, const char *command, const char *const *arguments, int timeout_ms, int *code,
		   char **reply, struct diag *d)
{
	struct answer answer = {0};
	struct preparation prepared;
	struct exchange e = {.brief = !strcmp(command, "threaddump"), .prepared = &prepared};
	int r;

	*reply = NULL;
	*code = ATTACH_UNSENT;
	e.length = attach_request_write(command, arguments, e.request, d);
	if (e.length < 0)
		return e.length;
	r = attach_prepare(t, false, timeout_ms, &prepared, d);
	if (r)
		return r;
	r = attach_run(t, &prepared, converse, &e, NULL, NULL, &answer, d);
	attach_release(&prepared);
	*code = answer.code;
	*reply = answer.text;
	return r;
}

struct load {
	struct agent_file file;
	const void *image;
	size_t size;
	const char *options;
	struct preparation prepared;
	bool may_mount;
};

/*
 * A JVM without counters cannot be observed while it starts. Before JVMTI's live phase it refuses agents (21+), or loads
 * them and gives them no environment.
 */
static bool load_came_early(const struct answer *a)
{
	struct diag ignored;
	int result;

	return strstr(a->text, "live phase") ||
	       (!attach_load_parse(a->code, a->text, &result, &ignored) && result == FRT_NO_JVMTI);
}

static int load_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	struct load *l = context;
	const char *arguments[] = {l->file.path, "true", l->options, NULL};
	struct exchange e = {.prepared = &l->prepared};
	int r = agent_file_write(&l->file, h, l->image, l->size, d);

	if (r)
		return r;
	e.length = attach_request_write("load", arguments, e.request, d);
	r = e.length < 0 ? e.length : converse(h, &e, out, d);
	while (!r && load_came_early(out) && deadline_left(h->deadline)) {
		answer_release(out);
		usleep(10000);
		r = converse(h, &e, out, d);
	}
	agent_file_remove(&l->file);
	return r;
}

static int load_new(const struct target *t, struct load *l, const char *file_name, int timeout_ms,
		    struct answer *answer, struct diag *d)
{
	struct exec_mount mount = {.socket = -1, .pid = -1};
	int r = attach_prepare(t, true, timeout_ms, &l->prepared, d);

	r = r ?: agent_file_name(&l->file, file_name, d);
	if (!r && l->may_mount)
		r = exec_mount_start(&mount, t, d);
	l->file.mounter = mount.socket;
	r = r ?: attach_run(t, &l->prepared, load_work, l, &l->file, &mount, answer, d);
	exec_mount_end(&mount);
	attach_release(&l->prepared);
	return r;
}

int attach_load_agent(const struct target *t, const char *file_name, const void *image, size_t size, bool may_mount,
		      const char *options, int timeout_ms, int *result, struct diag *d)
{
	struct load l = {.image = image, .size = size, .options = options ? options : "", .may_mount = may_mount};
	struct answer answer = {0};
	int r;

	if (strlen(l.options) > ATTACH_ARGUMENT)
		return diag_set(d, E2BIG, "cannot send %zu bytes of options to the JVM: the attach protocol takes %d",
				strlen(l.options), ATTACH_ARGUMENT);
	r = load_new(t, &l, file_name, timeout_ms, &answer, d);
	r = r ?: attach_load_parse(answer.code, answer.text ? answer.text : "", result, d);
	answer_release(&answer);
	return r;
}
