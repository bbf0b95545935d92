/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds JVMs and describes them from outside. */
#ifndef USER_PROCESS_FIND_H
#define USER_PROCESS_FIND_H

#include "user/process/look.h"
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
