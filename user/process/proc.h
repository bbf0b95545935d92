/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading /proc/PID: whole small files, and their texts taken apart. The
 * parsers take text, so that tests can give them any.
 */
#ifndef USER_PROCESS_PROC_H
#define USER_PROCESS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_GROUPS 64

struct mapping {
	uint64_t start, end, offset;
	char permissions[5];
	char path[512]; /* as the target names it, without " (deleted)" */
	char door[64];	/* a path of ours that opens the same file: /proc/PID/map_files/START-END */
};

struct proc_status {
	char state;	    /* 'R', 'S', 'T', 'Z', ... */
	pid_t tgid, ns_pid; /* ns_pid: the last of NSpid, or tgid where the kernel does not say */
	uid_t uid;	    /* effective */
	gid_t gid;
	uint64_t caught; /* SigCgt */
	gid_t groups[PROC_GROUPS];
	int group_count;
};

/* Read and take apart /proc/PID/status. 0 or -errno. */
int proc_read_status(pid_t pid, struct proc_status *out);

/* Open /proc/PID/NAME for reading. A descriptor, or -1 with errno. */
int proc_open(pid_t pid, const char *name);

/* Read at most `limit` bytes of /proc/PID/NAME; malloc'ed, 0-terminated (`length` may be NULL). NULL: errno says why.
 */
char *proc_read(pid_t pid, const char *name, size_t limit, size_t *length);

/* The same from a descriptor, from its beginning. */
char *proc_read_fd(int fd, size_t limit, size_t *length);

/* /proc/PID/status. 0, or -EINVAL when one of state, Tgid, Uid or Gid is missing. */
int proc_parse_status(const char *text, struct proc_status *out);

/* Field 22 of /proc/PID/stat (the command in it may hold spaces and parentheses). 0 or -EINVAL. */
int proc_parse_start_time(const char *text, uint64_t *start_time);

/* The offset of CLOCK_MONOTONIC in /proc/PID/timens_offsets, ns; 0 when there is none. Of that process, 0 our own. */
int64_t proc_parse_monotonic_offset(const char *text);
int64_t proc_monotonic_offset(pid_t pid);

/* One line of /proc/PID/maps; false when it is none or has no path. `door` is left alone. */
bool proc_parse_mapping(const char *line, struct mapping *out);

/* Call `see` for each mapping that has a path; a non-zero return ends the walk and is returned. -errno: no rights,
 * gone. */
int proc_each_mapping(pid_t pid, int (*visit)(const struct mapping *m, void *context), void *context);

/* The last part of a path. */
const char *path_base(const char *path);

/* Does the process's file listing say `name` for /proc/PID/exe? The base name, "" when it cannot be read. */
void proc_executable(pid_t pid, char *name, size_t size);

#endif
