/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds JVMs and describes them from outside. */
#ifndef USER_PROCESS_FIND_H
#define USER_PROCESS_FIND_H

#include "user/process/apart.h"
#include "user/process/target.h"

/*
 * Find the single JVM that `spec` names: a pid, or a unique part of the main class or jar name, or "container:PART" or
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

/* Kind of a process, found by inspection only. */
enum target_kind {
	TARGET_NO_JVM = 0, /* or the process has ended */
	TARGET_HOTSPOT,
	TARGET_OPENJ9,
	TARGET_32_BIT, /* a 32-bit HotSpot JVM */
	TARGET_HIDDEN, /* its command line is a java launcher's, but it may not be inspected further */
	TARGET_MUTE,   /* a candidate that could not be looked at, or did not answer */
};

/*
 * Inspect any process. For a JVM *t is filled in, except t->pidfd (-1) and, for a hidden one, version and libjvm.
 * Nothing has to be closed. Its memory and files are read, which may hang: for any but the chosen process use
 * target_look_apart(), or call it by apart_run().
 */
enum target_kind target_look(pid_t pid, struct target *t);

/* What a look at a process has found. */
struct target_sight {
	struct target target; /* as from target_look(); for a mute one the name is its program's */
	enum target_kind kind;
	int error;	 /* for a mute one: -ETIMEDOUT, -EINTR, -EBUSY or another -errno of apart_run_sharing() */
	char full[4096]; /* the name with all that target.name leaves out */
};

/*
 * The same in a child that is left behind if it hangs (apart.h), and only for candidates: what nothing hangs for, the
 * mappings and the command line, shows a libjvm, or a java launcher that may not be inspected. Each process makes one look
 * hang at most; the next one finds it mute at once.
 */
void target_look_apart(pid_t pid, struct apart_time *time, struct target_sight *out);

/* Why a process is mute. */
int target_why_mute(int error, struct diag *d);

/*
 * Call `visit` for each candidate, except this process, in the order of /proc. *t is as from target_read(). A non-zero
 * return ends the walk and is returned.
 */
int target_each_candidate(int (*visit)(const struct target *t, void *context), void *context, struct diag *d);

/* Whether the name that a look has found contains `part`. */
bool target_sight_is_named(const struct target_sight *s, const char *part);

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
