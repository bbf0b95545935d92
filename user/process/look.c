// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/look.h"
#include "user/process/jvm.h"
#include "user/process/proc.h"

#include <errno.h>

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
