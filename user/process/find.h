/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds JVMs and describes them from outside. */
#ifndef USER_PROCESS_FIND_H
#define USER_PROCESS_FIND_H

#include "user/process/target.h"

/*
 * Find the one JVM that `spec` names: a pid, or a unique part of the main class
 * or jar name. Several matches are listed in the message (usage error). Errors
 * say what to do: no such process, not a JVM, no rights. Opens t->pidfd; target_close().
 */
int target_open(const char *spec, struct target *t, struct diag *d);

/* What a process is, to one who only looks. */
enum target_kind {
	TARGET_NO_JVM = 0, /* or it has ended */
	TARGET_HOTSPOT,
	TARGET_OPENJ9,
	TARGET_32_BIT, /* a HotSpot JVM that is */
	TARGET_HIDDEN, /* its command line is that of a java launcher, and we have no right to look further */
};

/*
 * Look at a process, whatever it is. Of a JVM *t is filled, but for t->pidfd (-1) and, of one that is hidden,
 * version and libjvm. Nothing to be closed.
 */
enum target_kind target_look(pid_t pid, struct target *t);

/* Do so with all processes but our own, in the order of /proc, and show the JVMs. A non-zero return of `see` ends it and is returned. */
int target_each_jvm(int (*visit)(const struct target *t, enum target_kind kind, void *context), void *context,
		    struct diag *d);

/* What it runs: does main class or jar contain `part`? Is there one (java -version has none)? Version and name are read again, for a JVM that was not up when it was opened. */
bool target_is_named(const struct target *t, const char *part);
bool target_runs_something(const struct target *t);
void target_is_up(struct target *t);

/* When it was started, milliseconds since the epoch. */
int64_t target_start_ms(const struct target *t);

/* Time that the JVM has spent in safepoints so far, ns, from its hsperfdata file; -ENOENT where there is none. */
int target_safepoint_ns(const struct target *t, uint64_t *ns);

/* Memory limit of the target's cgroup, bytes; UINT64_MAX: none. */
uint64_t target_memory_limit(const struct target *t);

/* How many CPUs it may use: those of its affinity, or what the quotas of its cgroups leave; 1 when neither is known. */
double target_cpus(const struct target *t);

/* What jdk.JVMInformation wants; strings are malloc'ed, secrets in arguments are masked as "***". */
struct target_description {
	char *jvm_name;		/* "OpenJDK 64-Bit Server VM" */
	char *jvm_version;	/* as java -version prints it, or the best known */
	char *jvm_arguments;	/* -X..., -D..., */
	char *jvm_flags;	/* from JAVA_TOOL_OPTIONS and the like */
	char *java_arguments;	/* main class or jar and its arguments */
	int64_t start_epoch_ms; /* when the JVM had begun, as it says itself; INT64_MIN: it does not */
};
int target_describe(const struct target *t, struct target_description *out, struct diag *d);
void target_description_free(struct target_description *description);

#endif
