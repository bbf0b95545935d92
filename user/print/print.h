/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints all events of a file, ordered by end time. */
#ifndef USER_PRINT_PRINT_H
#define USER_PRINT_PRINT_H

#include "format/jfr/jfr_read.h"
#include "user/print/printer.h"
#include "user/print/select.h"

/*
 * Same formats as JDK 25's `jfr print` and `jfr print --json`. Read errors are in file->fault, write errors in
 * p->error.
 */
void print_text(struct jfr_file *file, struct select *select, struct printer *p);
void print_json(struct jfr_file *file, struct select *select, struct printer *p);

#endif
