// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/jvm_recording.h"
#include "user/process/attach.h"
#include "user/process/child.h"
#include "user/process/find.h"
#include "user/process/interrupt.h"
#include "user/process/user_child.h"
#include "user/process/root_path.h"
#include "user/text/io.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#define TIMEOUT_MS     30000
#define YOUNG_MS       10000 /* age at which a JVM has certainly started */
#define AGAIN_US       50000
#define SINCE	       11
#define FILE_NAME      "jvm.jfr"
#define MAX_SIZE       "1g" /* maximum size that the JVM keeps on disk */
#define MAX_BYTES      (2ll << 30)
#define GUARD_MS       600000 /* time for a JVM that does not answer the guard */
#define GUARD_AGAIN_US 1000000

static const char *const bases[] = {"/tmp", "/var/tmp"};
#define BASES ((int)(sizeof(bases) / sizeof(bases[0])))

/* MAY_RUN: a command got no answer, but the JVM may execute it yet. */
enum own_state { DOES_NOT_RUN, RUNS, MAY_RUN };

/* A recording that could not be stopped into its file still runs; more cannot be done about one that could not be dropped. */
static const struct own_command {
	const char *verb, *want;      /* in the JVM's answer */
	enum own_state done, refused; /* what follows from its answer */
} own_start = {"start", "Started recording", RUNS, DOES_NOT_RUN},
  own_stop = {"stop", "Stopped recording", DOES_NOT_RUN, RUNS},
  own_drop = {"stop", "Stopped recording", DOES_NOT_RUN, DOES_NOT_RUN};

struct jvm_recording {
	struct target target;
	char name[48]; /* of the recording; and of its directory, after the dot */
	const char *base_path;
	int base, inside; /* O_PATH descriptors of the directory; they outlive the JVM */
	int guard;	  /* link to the child; -1: none */
	pid_t guard_pid;
	enum own_state state;
};

static int jvm_recording_make_directory(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	const struct jvm_recording *r = context;
	char name[64];
	int base, err = -ENOENT;

	snprintf(name, sizeof(name), ".%s", r->name);
	for (int i = 0; i < BASES; i++) {
		base = root_path_open_at(h->root, bases[i], O_PATH | O_DIRECTORY);
		out->code = i;
		if (base >= 0 && !mkdirat(base, name, 0700))
			return 0;
		err = base < 0 ? base : -errno;
	}
	return diag_set(d, -err, "cannot make a directory in the /tmp of process %d: %s", h->target->pid,
			strerror(-err));
}

static int open_directories(struct jvm_recording *r, struct diag *d)
{
	int root = root_path_open(&r->target, "root");
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), ".%s", r->name);
	r->base = root < 0 ? root : root_path_open_at(root, r->base_path, O_PATH | O_DIRECTORY);
	io_close(root);
	r->inside = r->base < 0 ? r->base : openat(r->base, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->inside < 0 || fstat(r->inside, &st) || st.st_uid != r->target.uid)
		return diag_set(d, EPERM, "cannot open the directory '%s/%s' of process %d", r->base_path, name,
				r->target.pid);
	return 0;
}

/* Runs with its user and root. */
static int prepare_directory(struct jvm_recording *r, struct diag *d)
{
	struct answer answer = {0};
	int err = user_child_run(&r->target, jvm_recording_make_directory, r, TIMEOUT_MS, &answer, NULL, d);

	r->base_path = bases[answer.code >= 0 && answer.code < BASES ? answer.code : 0];
	answer_release(&answer);
	return err ? err : open_directories(r, d);
}

static void remove_directory(struct jvm_recording *r)
{
	char name[64];

	snprintf(name, sizeof(name), ".%s", r->name);
	if (r->inside >= 0) {
		unlinkat(r->inside, FILE_NAME, 0);
		unlinkat(r->base, name, AT_REMOVEDIR);
	}
}

/* Report an error with the first words of the JVM's reply. */
static int jvm_recording_refuse(const struct jvm_recording *r, const char *what, const char *reply, struct diag *d)
{
	const char *line = reply ? reply + strspn(reply, " \r\n") : "";

	return diag_set(d, ENOTSUP, "cannot %s the JVM's own recording of process %d '%s': %s%.*s", what, r->target.pid,
			r->target.name, *line ? "it says: " : "it says nothing", (int)strcspn(line, "\r\n"), line);
}

/* Run a diagnostic command. Sets r->state. -EAGAIN: the JVM does not know the command. */
static int run_command(struct jvm_recording *r, const struct own_command *c, const char *words, struct diag *d)
{
	const char *arguments[] = {words, NULL};
	char *reply = NULL;
	int code, err;

	err = attach_command(&r->target, "jcmd", arguments, TIMEOUT_MS, &code, &reply, d);
	if (!err)
		r->state = c->done;
	else if (code != ATTACH_UNSENT)
		r->state = MAY_RUN;
	if (!err && (code || !reply || !strstr(reply, c->want))) {
		err = jvm_recording_refuse(r, c->verb, reply, d);
		r->state = c->refused;
		if (reply && strstr(reply, "Unknown diagnostic command"))
			err = -EAGAIN;
	}
	free(reply);
	return err;
}

/* A JVM without counters may have been attached to while it starts: before it has a recorder. */
static bool may_be_starting(const struct target *t)
{
	return time(NULL) * 1000 < target_start_ms(t) + YOUNG_MS && !target_ended(t) && !interrupted();
}

static int start_command(struct jvm_recording *r, const char *settings, struct diag *d)
{
	char words[PATH_MAX];
	int err;

	snprintf(words, sizeof(words),
		 "JFR.start name=%s settings=%s disk=true maxsize=" MAX_SIZE
		 " dumponexit=true filename=%s/.%s/" FILE_NAME,
		 r->name, settings, r->base_path, r->name);
	while ((err = run_command(r, &own_start, words, d)) == -EAGAIN && may_be_starting(&r->target))
		usleep(AGAIN_US);
	return err;
}

/* Stop the recording; with `keep` into its file. */
static int stop_command(struct jvm_recording *r, bool keep, struct diag *d)
{
	char words[256];
	int used = snprintf(words, sizeof(words), "JFR.stop name=%s", r->name);

	if (keep)
		snprintf(words + used, sizeof(words) - used, " filename=%s/.%s/" FILE_NAME, r->base_path, r->name);
	return run_command(r, keep ? &own_stop : &own_drop, words, d);
}

static int remove_work(struct user_child *h, void *context, struct answer *out, struct diag *d)
{
	struct jvm_recording *r = context;
	char path[128];

	snprintf(path, sizeof(path), "%s/.%s", r->base_path, r->name);
	r->base = root_path_open_at(h->root, r->base_path, O_PATH | O_DIRECTORY);
	r->inside = root_path_open_at(h->root, path, O_PATH | O_DIRECTORY);
	remove_directory(r);
	return 0;
}

/* The recorder has died without cleaning up, or a command got no answer: the JVM may be stopped for a while. */
static void clean_up(struct jvm_recording *r)
{
	int64_t until = monotonic_ms() + GUARD_MS;
	struct diag ignored;

	for (r->state = MAY_RUN; r->state != DOES_NOT_RUN && !target_ended(&r->target) && deadline_left(until);) {
		stop_command(r, false, &ignored);
		if (r->state != DOES_NOT_RUN)
			usleep(GUARD_AGAIN_US);
	}
	user_child_clean_up(&r->target, remove_work, r, TIMEOUT_MS);
	remove_directory(r); /* it outlives the JVM */
}

/* The child must not keep the recorder's descriptors open, but for those of the directory. */
static void jvm_recording_watch(struct jvm_recording *r, int from)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigdelset(&all, SIGCHLD);
	for (int i = 0; i < 3; i++) { /* ignored, not blocked: a pending signal would interrupt the cleanup */
		signal(ends[i], SIG_IGN);
		sigdelset(&all, ends[i]);
	}
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	child_keep("jfr-guard", (int *[]){&from, &r->base, &r->inside}, 3);
	r->target.pidfd = -1;
	r->target.memory = 0;
	if (read(from, &byte, 1) == 0)
		clean_up(r);
	_exit(0);
}

static int start_guard(struct jvm_recording *r, struct diag *d)
{
	r->guard_pid = child_fork(&r->guard);
	if (!r->guard_pid)
		jvm_recording_watch(r, r->guard);
	return r->guard_pid < 0 ? diag_errno(d, -r->guard_pid, "cannot watch over the JVM's own recording") : 0;
}

/* With `work` the guard cleans up, which may take long. */
static void end_guard(struct jvm_recording *r, bool work)
{
	if (r->guard < 0)
		return;
	if (!work)
		send(r->guard, "", 1, MSG_NOSIGNAL);
	close(r->guard);
	r->guard = -1;
	if (!work)
		child_wait(r->guard_pid);
}

static int start(struct jvm_recording *r, const char *settings, struct diag *d)
{
	int err = prepare_directory(r, d);

	err = err ?: start_guard(r, d);
	err = err ?: start_command(r, settings, d);
	return err;
}

int jvm_recording_start(struct jvm_recording **out, const struct target *t, const char *settings, struct diag *d)
{
	struct jvm_recording *r;
	uint64_t random;
	int err;

	if (t->jdk_version && t->jdk_version < SINCE)
		return diag_set(
			d, ENOTSUP,
			"cannot start the JVM's own recording of process %d '%s': JDK %d has none, it came with %d",
			t->pid, t->name, t->jdk_version, SINCE);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return diag_errno(d, errno, "cannot get random bytes");
	r = calloc(1, sizeof(*r));
	if (!r)
		return diag_errno(d, ENOMEM, "cannot start the JVM's own recording");
	r->target = *t;
	r->base = r->inside = r->guard = -1;
	snprintf(r->name, sizeof(r->name), "frtrace-%012" PRIx64, random >> 16);
	err = start(r, settings, d);
	if (err)
		jvm_recording_free(r);
	else
		*out = r;
	return err;
}

/* Copy the whole file. The JVM may still write to it, even without end; that affects only this copy. */
static int copy_file(int from, int to)
{
	char buffer[1 << 16];
	int64_t total = 0;
	ssize_t n = 0;
	int err = 0;

	while (!err && (n = read(from, buffer, sizeof(buffer))) > 0) {
		total += n;
		err = total > MAX_BYTES ? -EFBIG : io_write_all(to, buffer, n);
	}
	return err ?: n < 0 ? -errno : 0;
}

static int take_file(struct jvm_recording *r, int to, struct diag *d)
{
	int fd = root_path_open_again(&r->target, openat(r->inside, FILE_NAME, O_PATH | O_NOFOLLOW | O_CLOEXEC),
				      O_RDONLY, MAX_BYTES),
	    err;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_uid != r->target.uid || !st.st_size) {
		io_close(fd);
		return diag_set(d, ENODATA, "the JVM's own recording is lost: process %d has written none%s",
				r->target.pid, target_ended(&r->target) ? " when it ended" : "");
	}
	err = copy_file(fd, to);
	close(fd);
	return err ? diag_errno(d, -err, "cannot copy the JVM's own recording") : 0;
}

int jvm_recording_stop(struct jvm_recording *r, int to, struct diag *d)
{
	int err = target_ended(&r->target) ? 0 : stop_command(r, true, d);

	if (err && !target_ended(&r->target))
		return err;
	return take_file(r, to, d);
}

void jvm_recording_free(struct jvm_recording *r)
{
	struct diag ignored;
	bool left;

	if (!r)
		return;
	if (r->state == RUNS && !target_ended(&r->target))
		stop_command(r, false, &ignored);
	left = r->state != DOES_NOT_RUN && r->guard >= 0 && !target_ended(&r->target);
	end_guard(r, left);
	if (!left)
		remove_directory(r);
	io_close(r->inside);
	io_close(r->base);
	free(r);
}
