/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of one type, one after the other. */
#ifndef USER_VIEW_EVENT_ITER_H
#define USER_VIEW_EVENT_ITER_H

#include "format/jfr/jfr_read.h"

/* A number other than 0 ends it, and is what event_iter_each() returns. */
typedef int event_visit(struct jfr_chunk *chunk, const struct jfr_event *e, void *context);

/* All events of that type, in the order of the file. Faults are in file->fault. */
int event_iter_each(struct jfr_file *file, const char *type, event_visit *visit, void *context);

#endif
