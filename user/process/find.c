// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/find.h"
#include "user/process/container.h"
#include "user/process/interrupt.h"
#include "user/process/jvm.h"
#include "user/process/machine.h"
#include "user/process/proc.h"
#include "user/process/rights.h"
#include "user/process/user_child.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define START_MS     3000 /* time for a java launcher to load libjvm */
#define WAIT_POLL_US 50000
#define MAX_CGROUP   65536 /* bytes */

static void read_namespaces(struct target *t)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", t->pid);
	if (!stat(path, &st)) {
		t->pid_ns_dev = st.st_dev;
		t->pid_ns_ino = st.st_ino;
	}
	if (!stat("/proc/self/ns/pid", &st))
		t->own_pid_ns_ino = st.st_ino;
	t->own_monotonic_offset = proc_monotonic_offset(0);
	t->monotonic_offset = proc_monotonic_offset(t->pid) - t->own_monotonic_offset;
}

static int refuse_thread(pid_t pid, struct diag *d)
{
	struct proc_status status = {0};

	proc_read_status(pid, &status);
	return diag_usage(d, "%d is a thread of process %d: use %d", pid, status.tgid, status.tgid);
}

static int refuse_rights(const struct target *t, int err, struct diag *d)
{
	char name[64], why[RIGHT_TEXT];

	return diag_set(d, err,
			"cannot look into process %d of user '%s': no rights (%s): run with sudo or as that user",
			t->pid, user_name(t->uid, name, sizeof(name)), right_why(RIGHT_LOOK, err, why));
}

static int refuse_program(const struct target *t, struct diag *d)
{
	char name[256];

	proc_executable(t->pid, name, sizeof(name));
	return diag_set(d, ENOEXEC, "process %d ('%s') is not a JVM: it has no libjvm mapped", t->pid, name);
}

/* Whoever reads a process that does not answer cannot be interrupted, so that is found out first. */
static int check_answers(pid_t pid, struct diag *d)
{
	struct diag why;
	struct sight s;

	if (look_once(pid, &s))
		return diag_set(d, EINTR, "cannot attach to process %d: interrupted", pid);
	if (s.kind != TARGET_MUTE || s.error != -ETIMEDOUT) /* where no child can look, nothing is known */
		return 0;
	look_why_mute(s.error, &why);
	return diag_set(d, -s.error, "cannot attach to process %d ('%s'): %s", pid, s.target.name, why.text);
}

/* A launcher that has just started has no libjvm yet. */
static int find_jvm(struct target *t)
{
	int64_t deadline = monotonic_ms() + START_MS;
	char name[64];
	int r;

	for (;;) {
		r = jvm_find(t);
		if (r || target_ended(t) || !deadline_left(deadline))
			return r;
		if (interrupted())
			return -EINTR;
		proc_executable(t->pid, name, sizeof(name));
		if (strcmp(name, "java"))
			return 0;
		usleep(5000);
	}
}

/* The number may belong to another process since the target's state was read. */
static int open_pidfd(struct target *t)
{
	struct target now;

	t->pidfd = syscall(SYS_pidfd_open, t->pid, 0);
	if (t->pidfd < 0)
		return errno == ESRCH ? -ESRCH : 0;
	if (!target_read(t->pid, &now) && now.start_time == t->start_time)
		return 0;
	close(t->pidfd);
	t->pidfd = -1;
	return -ESRCH;
}

static int open_pid(pid_t pid, struct target *t, struct diag *d)
{
	int r = target_read(pid, t);

	if (r == -EINVAL)
		return refuse_thread(pid, d);
	if (r == -ENOENT || r == -ESRCH || (!r && open_pidfd(t)))
		return diag_set(d, ESRCH, "no process %d", pid);
	if (r)
		return diag_errno(d, -r, "cannot read the state of process %d", pid);
	r = check_answers(pid, d);
	if (r)
		return r;
	r = find_jvm(t);
	if (target_ended(t))
		return diag_set(d, ESRCH, "process %d has ended", pid);
	if (r == -EINTR)
		return diag_set(d, EINTR, "cannot attach to process %d: interrupted", pid);
	if (r == -ENOTSUP)
		return diag_set(d, ENOTSUP, "process %d is not a HotSpot JVM but OpenJ9", pid);
	if (r < 0)
		return refuse_rights(t, -r, d);
	if (r == 0)
		return refuse_program(t, d);
	read_namespaces(t);
	jvm_identify(t, NULL, 0);
	jvm_find_version(t);
	return 0;
}

static const char container[] = "container:", cgroup[] = "cgroup:";

const char *target_spec_of(const char *spec, const char **part)
{
	*part = spec;
	if (strncmp(spec, container, strlen(container)) == 0) {
		*part += strlen(container);
		return "container";
	}
	if (strncmp(spec, cgroup, strlen(cgroup)) == 0) {
		*part += strlen(cgroup);
		return "control group";
	}
	return "main class or jar";
}

int target_wait(const char *spec, struct target *t, struct diag *d)
{
	const char *part, *what = target_spec_of(spec, &part);
	int64_t look_until = INT64_MIN;
	int err = -ESRCH, last = -1;

	for (;;) {
		if (machine_last_pid() != last || !last) {
			last = machine_last_pid();
			look_until = monotonic_ms() +
				     START_MS; /* a process becomes a JVM by exec(), and maps libjvm later */
		}
		if (monotonic_ms() < look_until)
			err = target_open(spec, t, d);
		if (err != -ESRCH && err != -ENOEXEC && err != -EINTR)
			return err;
		if (interrupted())
			return diag_set(d, EINTR, "no JVM whose %s contains '%s' was started", what, part);
		usleep(WAIT_POLL_US);
	}
}

struct process_visit {
	void (*visit)(pid_t pid, void *context);
	void *context;
};

static int visit_process(pid_t pid, void *context)
{
	const struct process_visit *v = context;

	if (interrupted())
		return 1;
	if (pid != getpid())
		v->visit(pid, v->context);
	return 0;
}

int target_each_process(void (*visit)(pid_t pid, void *context), void *context, struct diag *d)
{
	int r = proc_each_number("/proc", visit_process, &(struct process_visit){visit, context});

	return r < 0 ? diag_errno(d, -r, "cannot read '/proc'") : 0;
}

/* Result of the search by name. */
struct matches {
	const char *part;
	struct looks looks;
	pid_t first;
	int count, hidden; /* hidden: the name matches, but the process may not be inspected */
	int mute;	   /* their names are unknown */
	struct target unreadable;
	char list[900];
};

static void find_add_match(struct matches *m, const struct target *t)
{
	size_t used = strlen(m->list);

	if (!m->count++)
		m->first = t->pid;
	snprintf(m->list + used, sizeof(m->list) - used, "\n%7d  %-10s %.80s", t->pid, t->version[0] ? t->version : "?",
		 t->name);
}

/* The text of /proc/PID/cgroup; container names are in it, too. */
static bool cgroup_has(pid_t pid, const char *part)
{
	char *text = proc_read(pid, "cgroup", MAX_CGROUP, NULL);
	bool found = text && strstr(text, part);

	free(text);
	return found;
}

static bool container_has(const struct target *t, const char *part)
{
	char name[128];

	target_container(t, name, sizeof(name));
	return strstr(name, part);
}

/* `full` is the name with all that t->name leaves out. */
static bool target_matches(const struct target *t, const char *full, const char *part)
{
	if (strncmp(part, container, strlen(container)) == 0)
		return container_has(t, part + strlen(container));
	if (strncmp(part, cgroup, strlen(cgroup)) == 0)
		return cgroup_has(t->pid, part + strlen(cgroup));
	return strstr(t->name, part) || strstr(full, part);
}

static void find_collect(const struct sight *s, void *context)
{
	struct matches *m = context;

	if (s->kind == TARGET_MUTE)
		m->mute++;
	else if (!sight_is_named(s, m->part))
		return;
	else if (s->kind == TARGET_HOTSPOT || s->kind == TARGET_32_BIT)
		find_add_match(m, &s->target);
	else if (s->kind == TARGET_HIDDEN) {
		m->hidden++;
		m->unreadable = s->target;
	}
}

static void find_begin(pid_t pid, void *context)
{
	struct matches *m = context;

	looks_begin(&m->looks, pid);
}

static int find_none(const struct matches *m, struct diag *d)
{
	const char *part, *what = target_spec_of(m->part, &part);

	if (m->mute)
		return diag_set(d, ESRCH,
				"no JVM whose %s contains '%s'; of %d the name is unknown: "
				"their memory or files do not answer: see 'frtrace list'",
				what, part, m->mute);
	return diag_set(d, ESRCH, "no JVM whose %s contains '%s'", what, part);
}

static int find_by_name(const char *part, pid_t *pid, struct diag *d)
{
	struct matches m = {.part = part};
	int r;

	looks_init(&m.looks, find_collect, &m);
	r = target_each_process(find_begin, &m, d);
	if (r)
		return r;
	if (looks_finish(&m.looks))
		return diag_set(d, EINTR, "cannot search for '%s': interrupted", part);
	if (m.count > 1)
		return diag_usage(d, "%d JVMs match '%s': give a pid%s", m.count, part, m.list);
	if (!m.count && m.hidden)
		return refuse_rights(&m.unreadable, EACCES, d);
	if (!m.count)
		return find_none(&m, d);
	*pid = m.first;
	return 0;
}

int target_open(const char *spec, struct target *t, struct diag *d)
{
	bool number = spec[0] && !spec[strspn(spec, "0123456789")];
	const char *part;
	pid_t pid = 0;
	int r = 0;

	memset(t, 0, sizeof(*t));
	t->pidfd = -1;
	target_spec_of(spec, &part);
	if (!part[0])
		return diag_usage(d, "no target given: a pid, or a part of the main class or jar name");
	if (number && (strlen(spec) > 9 || (pid = atoi(spec)) == 0))
		return diag_usage(d, "'%s' is not a pid", spec);
	if (!number)
		r = find_by_name(spec, &pid, d);
	r = r ?: open_pid(pid, t, d);
	if (r)
		target_close(t);
	return r;
}

bool sight_is_named(const struct sight *s, const char *part)
{
	return target_matches(&s->target, s->full, part);
}

bool target_is_named(const struct target *t, const char *part)
{
	struct target copy = *t;
	char full[4096];

	jvm_identify(&copy, full, sizeof(full));
	return target_matches(&copy, full, part);
}

bool target_runs_something(const struct target *t)
{
	return jvm_has_main(t);
}

void target_is_up(struct target *t)
{
	t->up = true;
	jvm_find(t); /* now the counters are mapped */
	jvm_identify(t, NULL, 0);
	jvm_find_version(t);
}

/* ---- looks */

#define MUTE_MOST_OF_USER 8

static enum target_kind kind_of(int found, bool launcher, const struct target *t)
{
	if (found == 1)
		return jvm_is_32_bit(t) ? TARGET_32_BIT : TARGET_HOTSPOT;
	if (found == -ENOTSUP)
		return TARGET_OPENJ9;
	return (found == -EACCES || found == -EPERM) && launcher ? TARGET_HIDDEN : TARGET_NO_JVM;
}

static enum target_kind look_closely(pid_t pid, struct target *t, char *full, size_t size)
{
	enum target_kind kind;
	int found;

	if (target_read(pid, t))
		return TARGET_NO_JVM;
	found = jvm_find(t);
	if (!found || found == -ESRCH || found == -ENOENT)
		return TARGET_NO_JVM;
	kind = kind_of(found, jvm_identify(t, full, size), t);
	if (kind == TARGET_HOTSPOT || kind == TARGET_32_BIT)
		jvm_find_version(t);
	return kind;
}

enum target_kind target_look(pid_t pid, struct target *t)
{
	return look_closely(pid, t, NULL, 0);
}

/* Processes that have not answered: nothing of them is read again. */
static struct {
	pid_t pid;
	uid_t uid;
	uint64_t start_time;
} mute[APART_MOST];
static unsigned int mute_next;

static void mute_add(const struct target *t)
{
	mute[mute_next % APART_MOST].pid = t->pid;
	mute[mute_next % APART_MOST].uid = t->uid;
	mute[mute_next++ % APART_MOST].start_time = t->start_time;
}

/* -ETIMEDOUT: it has not answered before. -EBUSY: too many of its user have not, and run still. */
static int mute_find(const struct target *t)
{
	struct target now;
	int of_user = 0;

	for (int i = 0; i < APART_MOST; i++) {
		if (!mute[i].pid || mute[i].uid != t->uid)
			continue;
		if (mute[i].pid == t->pid && mute[i].start_time == t->start_time)
			return -ETIMEDOUT;
		if (target_read(mute[i].pid, &now) || now.start_time != mute[i].start_time)
			mute[i].pid = 0;
		else if (++of_user == MUTE_MOST_OF_USER)
			return -EBUSY;
	}
	return 0;
}

static void look_work(pid_t pid, void *result)
{
	struct sight *s = result;

	s->kind = look_closely(pid, &s->target, s->full, sizeof(s->full));
	s->runs = s->kind != TARGET_NO_JVM && jvm_has_main(&s->target);
}

static void look_done(pid_t pid, int err, const void *result, void *context)
{
	const struct sight *seen = result;
	const struct looks *l = context;
	struct sight s = {.kind = TARGET_MUTE, .runs = true, .error = err};

	if (!err) {
		if (seen->kind != TARGET_NO_JVM)
			l->see(seen, l->context);
		return;
	}
	if (target_read(pid, &s.target))
		return;
	look_name_mute(pid, &s.target);
	if (err == -ETIMEDOUT && !mute_find(&s.target))
		mute_add(&s.target);
	l->see(&s, l->context);
}

void looks_init(struct looks *l, void (*see)(const struct sight *s, void *context), void *context)
{
	*l = (struct looks){.apart = {.look = look_work, .size = sizeof(struct sight), .done = look_done},
			    .see = see,
			    .context = context};
	l->apart.context = l;
}

void looks_begin(struct looks *l, pid_t pid)
{
	struct target t;
	int err;

	if (apart_is_at(&l->apart, pid) || target_read(pid, &t))
		return;
	err = mute_find(&t);
	if (err)
		look_done(pid, err, NULL, l);
	else
		apart_begin(&l->apart, pid);
}

void looks_collect(struct looks *l)
{
	apart_collect(&l->apart);
}

int looks_finish(struct looks *l)
{
	return apart_finish(&l->apart);
}

static void look_keep(const struct sight *s, void *context)
{
	*(struct sight *)context = *s;
}

int look_once(pid_t pid, struct sight *out)
{
	struct looks l;

	*out = (struct sight){.kind = TARGET_NO_JVM};
	looks_init(&l, look_keep, out);
	looks_begin(&l, pid);
	return looks_finish(&l);
}

void look_name_mute(pid_t pid, struct target *t)
{
	if (!target_read(pid, t))
		proc_executable(pid, t->name, sizeof(t->name));
}

int look_why_mute(int error, struct diag *d)
{
	if (error == -ETIMEDOUT)
		return diag_set(d, ETIMEDOUT, "its memory, or a file of it, does not answer");
	if (error == -EBUSY)
		return diag_set(d, EBUSY, "not looked at: too many others of its user do not answer");
	return diag_errno(d, -error, "cannot look at it");
}
