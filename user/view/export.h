/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's calls for other tools. One source file each. */
#ifndef USER_VIEW_EXPORT_H
#define USER_VIEW_EXPORT_H

#include "user/view/call_iter.h"
#include "user/view/aggregate.h"

#include <stdio.h>

/*
 * Stacks as lines "main;caller;method N", for flame graphs; N is the number of calls, or their nanoseconds.
 * These and the others: 0 or -ENOMEM; faults are in file->fault, errors of writing in `to`.
 */
int export_collapsed(struct jfr_file *file, bool weigh_time, FILE *to);

/* Trace Event JSON, which Perfetto and chrome://tracing open: a complete event for each call and each state of a thread in it, a track for each thread. */
int export_chrome(struct jfr_file *file, FILE *to);

/* RFC 4180, with a header. */
int export_csv(struct jfr_file *file, FILE *to);

/* What the file's methods and threads are called: remembered by their keys. */
struct export_names {
	struct aggregate methods, threads; /* a thread's name is its first text, `mark` its number */
	struct bytes text;
};

void export_names_init(struct export_names *n);
void export_names_release(struct export_names *n);

/* "a.b.C.m(int)"; NULL: no memory. Valid until the next call. */
const char *export_method(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *method);

/* Its name and number (Java's, else the system's); `group->count` is 0 when it is seen for the first time: the caller
 * counts. NULL: no memory. */
struct group *export_thread(struct export_names *n, const struct call *call);

#endif
