/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterates over the events of one type. For jdk.MethodTrace these are all that stand for a call, those of -e, too. */
#ifndef USER_FILES_EVENT_ITER_H
#define USER_FILES_EVENT_ITER_H

#include "format/jfr/jfr_read.h"

/* A nonzero result ends the iteration; event_iter_each() returns it. */
typedef int event_visit(struct jfr_chunk *chunk, const struct jfr_event *e, void *context);

/* Visit all events of `type`, in file order. Returns 0 or the visitor's result; read errors are in file->fault. */
int event_iter_each(struct jfr_file *file, const char *type, event_visit *visit, void *context);

/* The same for the events of one chunk. */
int event_iter_chunk(struct jfr_chunk *chunk, const char *type, event_visit *visit, void *context);

#endif
