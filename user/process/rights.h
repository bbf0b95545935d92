/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities that frtrace needs, each with its purpose: messages name those that are missing. */
#ifndef USER_PROCESS_RIGHTS_H
#define USER_PROCESS_RIGHTS_H

#include "format/diag.h"
#include "user/process/target.h"

#include <stdbool.h>

/* A capability, by what it is for. */
enum right {
	RIGHT_BPF,	   /* CAP_BPF: BPF programs and their maps; CAP_SYS_ADMIN has it, too */
	RIGHT_PERFMON,	   /* CAP_PERFMON: attaching them by uprobe_multi links and to tracepoints; likewise */
	RIGHT_UPROBES,	   /* CAP_SYS_ADMIN: attaching programs by perf events, where there are no such links */
	RIGHT_LOOK,	   /* CAP_SYS_PTRACE: memory and directories of another process */
	RIGHT_DESCRIPTORS, /* CAP_DAC_READ_SEARCH: descriptors of a process of another user */
	RIGHT_GROUP,	   /* CAP_SETGID, CAP_SETUID: attaching as another user */
	RIGHT_USER,
	RIGHTS_NEEDED,		       /* frtrace works without those that follow */
	RIGHT_SYMBOLS = RIGHTS_NEEDED, /* CAP_SYSLOG: names of kernel functions */
	RIGHT_PRIORITY,		       /* CAP_SYS_NICE: running at nice -20 */
	RIGHTS
};

#define RIGHT_TEXT  160
#define RIGHTS_TEXT 400

/* True if it is in the effective set. In a user namespace that need not suffice. */
bool right_held(enum right r);

/* "CAP_BPF", and what it is for: "BPF programs". */
const char *right_name(enum right r);
const char *right_purpose(enum right r);

/* Why something that needs the right has failed with `err`: "CAP_SYS_PTRACE is missing", or the error. Returns `out`. */
const char *right_why(enum right r, int err, char out[RIGHT_TEXT]);

/* What to do without a right: "run with sudo", or for root what root of a container can do. */
const char *right_advice(void);

/*
 * Check for all rights that tracing this process takes, by what is allowed and by the effective set. `by_perf`:
 * programs are attached to uprobes by perf events. `agent`: an agent is loaded, which means to attach. Returns 0, or
 * -EPERM with *why naming all that are missing, or who refuses bpf().
 */
int rights_check(const struct target *t, bool by_perf, bool agent, struct diag *why);

/*
 * Is bpf() refused although the capabilities for it are held, by a container's seccomp filter or because it is in a user
 * namespace? Returns 0, or -EPERM with the message.
 */
int rights_check_bpf(struct diag *why);

/* The missing ones from `first` up to, without, `end`, as "CAP_BPF (BPF programs), ..."; "" if there are none. */
void rights_missing(enum right first, enum right end, char out[RIGHTS_TEXT]);

/* Does root of a container beside the process need the right, if it has no other ones? `t` NULL: any process. */
bool right_needed_beside(enum right r, const struct target *t, bool by_perf);

/* What is done after the process is traced. */
struct rights_later {
	bool attach; /* attaching to it once more */
	bool signal; /* sending signals to a program, which may be of another user */
	bool start;  /* starting recordings, in processes that are forked; only of syscall_filter_load() */
	bool mount;  /* and mounting the agent's directory for them */
	bool probe;  /* attaching programs to more functions by perf events */
};

/* Give up, for good, all capabilities that are not needed any more once the process is traced, and set no_new_privs. */
void rights_drop(const struct target *t, struct rights_later later);

#endif
