/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads small files in /proc/PID as a whole, and parses them. The parsers take text, so that tests can pass any. */
#ifndef USER_PROCESS_PROC_H
#define USER_PROCESS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_GROUPS 64

struct mapping {
	uint64_t start, end, offset;
	uint64_t device, inode; /* device: major << 32 | minor */
	char permissions[5];
	char path[512]; /* the target's path of it, without " (deleted)" */
};

struct proc_status {
	char state;	    /* 'R', 'S', 'T', 'Z', ... */
	pid_t tgid, ns_pid; /* ns_pid: the last one of NSpid, or tgid if the kernel does not tell */
	uid_t uid;	    /* effective */
	gid_t gid;
	uint64_t caught;	       /* SigCgt */
	uint64_t permitted, effective; /* CapPrm, CapEff */
	uid_t real_uid;
	uint64_t threads;	      /* 0: unknown, as the following */
	uint64_t fd_table;	      /* FDSize: at least the number of descriptors */
	uint64_t address_space, data; /* VmSize and VmData, in bytes */
	gid_t groups[PROC_GROUPS];
	int group_count;
};

/* Read and parse /proc/PID/status. Returns 0 or -errno. */
int proc_read_status(pid_t pid, struct proc_status *out);

/* The last sign of life of a process: it has run since the last look, or is to run. */
struct proc_pulse {
	int64_t at_ms;	  /* CLOCK_MONOTONIC; 0 at first */
	char account[64]; /* the kernel's, of how often and how long it has run */
};

/* Milliseconds since then; 0 at the first call. A process that sleeps all the time has none. */
int64_t proc_rests_ms(pid_t pid, struct proc_pulse *p);

/* True if a thread of the process runs, or is to run when it gets a CPU. */
bool proc_wants_cpu(pid_t pid);

/*
 * True if a thread of the process sleeps in a function of the kernel whose name has one of these parts; the list ends with
 * NULL. False without the right to see that (CAP_SYS_ADMIN).
 */
bool proc_sleeps_in(pid_t pid, const char *const *parts);

/*
 * Call `visit` for each entry of a directory of /proc whose name is a number above 0: a process, a thread, a descriptor. A
 * non-zero result ends the walk and is returned. -errno: it cannot be read.
 */
int proc_each_number(const char *directory, int (*visit)(pid_t number, void *context), void *context);

/* The same for the threads of a process. */
int proc_each_thread(pid_t pid, int (*visit)(pid_t tid, void *context), void *context);

/* Has it a thread of this name, as the kernel keeps it: the first 15 characters? */
bool proc_has_thread(pid_t pid, const char *name);

/* Open /proc/PID/NAME for reading. Returns a descriptor, or -1 with errno. */
int proc_open(pid_t pid, const char *name);

/*
 * Read at most `limit` bytes of /proc/PID/NAME, 0-terminated; the caller frees it. `length` may be NULL. Returns
 * NULL with errno on failure.
 */
char *proc_read(pid_t pid, const char *name, size_t limit, size_t *length);

/* The same for a thread. */
char *proc_read_thread(pid_t pid, pid_t tid, const char *name, size_t limit);

/* The same from a descriptor, from its beginning. */
char *proc_read_fd(int fd, size_t limit, size_t *length);

/* What follows "KEY:" at the beginning of a line, after blanks: of a status, /proc/meminfo, /proc/cpuinfo. NULL: it is missing. */
const char *proc_status_value(const char *text, const char *key);

/* Parse /proc/PID/status. Returns 0, or -EINVAL if state, Tgid, Uid or Gid is missing. */
int proc_parse_status(const char *text, struct proc_status *out);

/*
 * The soft limit of that name ("Max open files") in the text of /proc/PID/limits; UINT64_MAX: there is none, or it is
 * unknown.
 */
uint64_t proc_parse_limit(const char *text, const char *name);

/* Field 22 of /proc/PID/stat (the command in it may contain spaces and parentheses). Returns 0 or -EINVAL. */
int proc_parse_start_time(const char *text, uint64_t *start_time);

/*
 * The offset of CLOCK_MONOTONIC in the text of /proc/PID/timens_offsets, in ns; 0 if there is none. The second
 * function reads it for a process; pid 0 is this process.
 */
int64_t proc_parse_monotonic_offset(const char *text);
int64_t proc_monotonic_offset(pid_t pid);

/* Parse a line of /proc/PID/maps. Returns false if it is invalid, or has neither a path nor a name: "[heap]", "[anon:NAME]". */
bool proc_parse_named_mapping(const char *line, struct mapping *out);

/*
 * Call `visit` for each mapping with a path. A non-zero return ends the walk and is returned. -errno: no rights,
 * or gone.
 */
int proc_each_mapping(pid_t pid, int (*visit)(const struct mapping *m, void *context), void *context);

/* The same, also for those with a name in brackets. */
int proc_each_named_mapping(pid_t pid, int (*visit)(const struct mapping *m, void *context), void *context);

/*
 * Is a device, as in struct mapping, a FUSE file system of that process? Whoever serves it can make its readers hang. A
 * mount that has been detached is not known, nor an overlay on top of one: this keeps a recording away from files that are
 * slow to read, such as those of a network, not from a process that means to make it hang (docs/safety.md).
 */
bool proc_mount_is_fuse(pid_t pid, uint64_t device);

/* The same from the text of /proc/PID/mountinfo. */
bool proc_parse_mount_is_fuse(const char *text, uint64_t device);

/*
 * Is the mount with this id shared with other mounts, on which what is mounted appears, too (mount_namespaces(7))? From the
 * text of /proc/PID/mountinfo. Returns 1, 0, or -ENOENT: it is not there.
 */
int proc_parse_mount_is_shared(const char *text, uint64_t id);

/* The last component of a path. */
const char *path_base(const char *path);

/* The base name of /proc/PID/exe; "" if it is unreadable. */
void proc_executable(pid_t pid, char *name, size_t size);

#endif
