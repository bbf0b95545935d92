/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced JVM seen from outside: which process, which libjvm, which namespaces. target_open() (process.h) fills it. */
#ifndef USER_PROCESS_TARGET_H
#define USER_PROCESS_TARGET_H

#include "format/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define PROC_INITIAL_PID_NAMESPACE 0xeffffffcu /* the inode of the first one (PROC_PID_INIT_INO) */

struct target {
	pid_t pid;    /* in our pid namespace */
	pid_t ns_pid; /* in its innermost one (last of NSpid) */
	int pidfd;    /* readable when the process has ended; -1: no pidfd_open */
	uid_t uid;    /* effective */
	gid_t gid;
	uint64_t start_time;		 /* /proc/PID/stat field 22: with pid, the identity of the process */
	uint64_t own_pid_ns_ino;	 /* ours; 0: not known */
	uint64_t pid_ns_dev, pid_ns_ino; /* of /proc/PID/ns/pid, as bpf_get_ns_current_pid_tgid() wants them */
	int64_t monotonic_offset; /* of its time namespace, ns (/proc/PID/timens_offsets): its CLOCK_MONOTONIC - ours */
	int64_t own_monotonic_offset; /* ours - the kernel's own */
	char name[256];		      /* main class or jar, as a person calls it: "shop.jar", "com.acme.Main" */
	char version[64];	      /* "17.0.15"; "" unknown */
	int jdk_version;	      /* 8, 11, 17, ...; 0 unknown */
	char libjvm[512];	      /* path in the target's mount namespace */
	uint64_t libjvm_code;	      /* where its executable mapping begins; 0 unknown */
	bool up;		      /* it is known to have started: nobody need wait for that */
	char perf_data[256];	      /* its hsperfdata file, a path in the same; "" unknown */
};

/* Fill in what every process has: pid, ns_pid, uid, gid, start_time; the rest is 0, pidfd -1. 0 or -errno; -ESRCH for a zombie. */
int target_read(pid_t pid, struct target *t);

/* Close t->pidfd. */
void target_close(struct target *t);

/* Has the process ended (a zombie counts as ended, a reused pid too)? */
bool target_ended(const struct target *t);

/* CPU time of the process so far, nanoseconds; 0 when it is gone. */
uint64_t target_cpu_ns(const struct target *t);

#endif
