/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds JVMs and describes them from outside. */
#ifndef USER_PROCESS_FIND_H
#define USER_PROCESS_FIND_H

#include "user/process/apart.h"
#include "user/process/target.h"

/*
 * Kind of a process, found by inspection only. Any may make its reader hang, so those that nobody has chosen are looked at
 * apart.
 */
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

/* ---- finding one */

/*
 * Find the single JVM that `spec` names: a pid, or a unique part of the main class or jar name, or of the directory of
 * a server with Tomcat's, Jetty's or WildFly's main class, or "container:PART" or
 * "cgroup:PART", a part of its container as `frtrace list` shows it, or of its control group's path. Several matches
 * are a usage error that lists them. Error messages say what to do: no such process, not a JVM, no rights. Opens
 * t->pidfd; close it with target_close().
 */
int target_open(const char *spec, struct target *t, struct diag *d);

/* What `spec` is a part of, as messages name it: "main class or jar", "container", "control group". *part: without a prefix. */
const char *target_spec_of(const char *spec, const char **part);

/*
 * The same for a part of a name, but wait until such a JVM runs. -EINTR: a signal came (interrupt.h). Processes are looked
 * at only while new ones come.
 */
int target_wait(const char *spec, struct target *t, struct diag *d);

/*
 * Call `visit` for each process, except this one, in the order of /proc, until interrupted() (interrupt.h). Returns 0, or
 * -errno with the message.
 */
int target_each_process(void (*visit)(pid_t pid, void *context), void *context, struct diag *d);

/* Whether the name that a look has found contains `part`, as in target_open(). */
bool sight_is_named(const struct sight *s, const char *part);

/*
 * target_is_named(): whether the main class or jar contains `part`. target_has_main(): whether there is one (java
 * -version has none). Both read version and name again, for a JVM that was not up when it was opened.
 */
bool target_is_named(const struct target *t, const char *part);
bool target_runs_something(const struct target *t);
void target_is_up(struct target *t);

/* Start time of the process, in milliseconds since the epoch. */
int64_t target_start_ms(const struct target *t);

/* Total time of the JVM in safepoints, in ns, from its hsperfdata file; -ENOENT without one. */
int target_safepoint_ns(const struct target *t, uint64_t *ns);

/* Memory limit of the target's cgroup in bytes; UINT64_MAX: none. */
uint64_t target_memory_limit(const struct target *t);

/*
 * Number of CPUs that it may use: those of its affinity, or what the quotas of its cgroups leave; 1 if neither is
 * known.
 */
double target_cpus(const struct target *t);

/* The data for jdk.JVMInformation. Strings are allocated; secrets in arguments are masked as "***". */
struct target_description {
	char *jvm_name;		/* "OpenJDK 64-Bit Server VM" */
	char *jvm_version;	/* as printed by java -version, or the best known */
	char *jvm_arguments;	/* -X..., -D..., */
	char *jvm_flags;	/* from JAVA_TOOL_OPTIONS and the like */
	char *java_arguments;	/* main class or jar and its arguments */
	int64_t start_epoch_ms; /* the JVM's own start time; INT64_MIN: unknown */
};
int target_describe(const struct target *t, struct target_description *out, struct diag *d);
void target_description_free(struct target_description *description);

#endif
