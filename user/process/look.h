/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process is, seen from outside. Any may make its reader hang, so those that nobody has chosen are looked at apart. */
#ifndef USER_PROCESS_LOOK_H
#define USER_PROCESS_LOOK_H

#include "user/process/apart.h"
#include "user/process/target.h"

/* Kind of a process, found by inspection only. */
enum target_kind {
	TARGET_NO_JVM = 0, /* or the process has ended */
	TARGET_HOTSPOT,
	TARGET_OPENJ9,
	TARGET_32_BIT, /* a 32-bit HotSpot JVM */
	TARGET_HIDDEN, /* its command line is a java launcher's, but it may not be inspected further */
	TARGET_MUTE,   /* it does not answer, or could not be looked at: it may be a JVM */
};

/*
 * Inspect any process. For a JVM *t is filled in, except t->pidfd (-1) and, for a hidden one, version and libjvm.
 * Nothing has to be closed. Its memory and files are read, which may hang: for any but the chosen process use a look
 * apart.
 */
enum target_kind target_look(pid_t pid, struct target *t);

/* What a look at a process has found. */
struct sight {
	struct target target; /* as from target_look(); for a mute one the name is its program's */
	enum target_kind kind;
	bool runs;	 /* false for a java launcher that runs nothing, as in `java -version` */
	int error;	 /* for a mute one: -errno as in apart.h */
	char full[4096]; /* the name with all that target.name leaves out */
};

/* Looks apart at many processes. */
struct looks {
	struct apart apart;
	void (*see)(const struct sight *s, void *context); /* for each JVM, and each process that is mute */
	void *context;
};

void looks_init(struct looks *l, void (*see)(const struct sight *s, void *context), void *context);

/*
 * Look at a process, as apart_begin() does. Each makes one look hang at most: from then on it is mute at once. So are all
 * processes of a user who has several that hang: whoever has many must not use up the looks at those of others.
 */
void looks_begin(struct looks *l, pid_t pid);
void looks_collect(struct looks *l); /* as apart_collect() and apart_finish() do */
int looks_finish(struct looks *l);

/* Look at one. Returns 0, or -EINTR. */
int look_once(pid_t pid, struct sight *out);

/* What can be said of a mute process: *t as from target_read(), and its program as its name. */
void look_name_mute(pid_t pid, struct target *t);

/* Why a process is mute; `error` as in struct sight. */
int look_why_mute(int error, struct diag *d);

#endif
