/* SPDX-License-Identifier: BSD-2-Clause */
/* All events of a file, in the order of their ends. */
#ifndef USER_VIEW_PRINT_H
#define USER_VIEW_PRINT_H

#include "format/jfr/jfr_read.h"
#include "user/view/printer.h"
#include "user/view/select.h"

/* As `jfr print` and `jfr print --json` of JDK 25. 0 or -ENOMEM; faults are in file->fault, p->error may be set. */
int print_text(struct jfr_file *file, struct select *select, struct printer *p);
int print_json(struct jfr_file *file, struct select *select, struct printer *p);

#endif
