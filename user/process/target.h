/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced JVM seen from outside: its process, its libjvm, its namespaces. target_open() (find.h) fills it in. */
#ifndef USER_PROCESS_TARGET_H
#define USER_PROCESS_TARGET_H

#include "format/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* The inodes of the first namespaces, in all kernels (PROC_PID_INIT_INO, PROC_USER_INIT_INO in include/linux/proc_ns.h). */
#define PROC_INITIAL_PID_NAMESPACE  0xeffffffcu
#define PROC_INITIAL_USER_NAMESPACE 0xeffffffdu

#define TARGET_VIRTUAL_SINCE 21 /* the first JDK with virtual threads (JEP 444) */

struct target {
	pid_t pid;    /* in frtrace's pid namespace */
	pid_t ns_pid; /* in its innermost pid namespace (last of NSpid) */
	int pidfd;    /* readable when the process has ended; -1: pidfd_open is unavailable */
	int memory;   /* shows that it has left its memory for another program's; 0: not watched */
	uid_t uid;    /* effective */
	gid_t gid;
	uint64_t start_time;		 /* /proc/PID/stat field 22: identifies the process together with pid */
	uint64_t own_pid_ns_ino;	 /* frtrace's own; 0: unknown */
	uint64_t pid_ns_dev, pid_ns_ino; /* of /proc/PID/ns/pid, for bpf_get_ns_current_pid_tgid() */
	/* of its time namespace, ns (/proc/PID/timens_offsets): its CLOCK_MONOTONIC - frtrace's */
	int64_t monotonic_offset;
	int64_t own_monotonic_offset; /* frtrace's CLOCK_MONOTONIC - the kernel's own */
	char name[256];		      /* short name of main class or jar: "shop.jar", "com.acme.Main" */
	char version[64];	      /* "17.0.15"; "": unknown */
	int jdk_version;	      /* 8, 11, 17, ...; 0: unknown */
	char libjvm[512];	      /* path in the target's mount namespace */
	uint64_t libjvm_code;	      /* start of its executable mapping; 0: unknown */
	bool up;		      /* known to have started, so nothing has to wait for that */
	char perf_data[256];	      /* its hsperfdata file, a path in the same namespace; "": unknown */
};

/*
 * Fill in what every process has: pid, ns_pid, uid, gid, start_time; the rest is 0, pidfd -1. Returns 0 or -errno;
 * -ESRCH for a zombie.
 */
int target_read(pid_t pid, struct target *t);

/* From now on target_ended() notices an exec(), too. Without the right to look it does not. */
void target_watch_memory(struct target *t);

/* Close t->pidfd and t->memory. */
void target_close(struct target *t);

/* True if the process has ended, or has become another program; a zombie or a reused pid counts as ended. */
bool target_ended(const struct target *t);

/* True if it has become another program by exec(). */
bool target_replaced(const struct target *t);

/* True if it runs with the user and group of this process. */
bool target_is_same_user(const struct target *t);

/* CPU time of the process so far, in nanoseconds; 0 if it is gone. */
uint64_t target_cpu_ns(const struct target *t);

/* The threads of the target as the kernel sees them. */

struct target_task {
	int tid;	   /* in the target's innermost pid namespace */
	bool asleep;	   /* neither running nor runnable */
	uint64_t switches; /* number of switches: a sleeper with an unchanged number has not run */
};

/* Parse /proc/PID/task/TID/status. Returns 0 or -EINVAL. */
int task_parse(const char *text, struct target_task *out);

/*
 * True if the thread with that id in the target's innermost pid namespace is alive, still has this name of the kernel's, and
 * was started when the kernel's CLOCK_BOOTTIME in units of 2^shift ns ended with the 32 bits of `started`, to the 10 ms that
 * /proc tells. False: it is another one, or gone, or frtrace is in other namespaces than the target.
 */
bool target_task_is(const struct target *t, uint32_t tid, const char kernel_name[16], uint32_t started,
		    unsigned int shift);

/* Call `visit` for each thread. A non-zero return ends the walk and is returned. -errno: no rights, or gone. */
int target_each_task(const struct target *t, int (*visit)(const struct target_task *task, void *context),
		     void *context);

#endif
