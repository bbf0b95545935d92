/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links of Linux 6.6 that attach a program to many places of a file at once, which libbpf 1.1 and the headers of Linux
 * 6.1 do not have.
 */
#ifndef USER_CAPTURE_UPROBE_MULTI_H
#define USER_CAPTURE_UPROBE_MULTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define UPROBE_MULTI_ATTACH_TYPE 48 /* BPF_TRACE_UPROBE_MULTI; for bpf_program__set_expected_attach_type() */

/*
 * True if this kernel has such links, they can be limited to a whole process, and we have the rights for them. Asked
 * once; the answer is kept.
 */
bool uprobe_multi_works(void);

/* Sessions, of Linux 6.13: one program for entry and return of functions; BPF_TRACE_UPROBE_SESSION. */
#define UPROBE_SESSION_ATTACH_TYPE 57
bool uprobe_session_works(void);

/* Places in a file; the arrays are parallel. */
struct uprobe_multi {
	int type;     /* 0: UPROBE_MULTI_ATTACH_TYPE; it is that of the program */
	bool returns; /* at the returns of the functions at these places */
	const char *path;
	pid_t pid; /* trap in this process only; 0: in all */
	const uint64_t *offsets, *semaphores, *cookies;
	size_t count;
};

/* Returns a descriptor, which closes the link, or -errno. */
int uprobe_multi_attach(int program, const struct uprobe_multi *places);

#endif
