/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report: one HTML file that requests nothing. html/ has its parts; page.html says where each stands. Tables are HTML,
 * those of user/view; scripts draw the rest from the data at the end.
 */
#ifndef USER_PAGE_PAGE_H
#define USER_PAGE_PAGE_H

#include "format/bytes.h"
#include "format/jfr/jfr_read.h"

/*
 * Append the page. `name` is the recording's, for the heading. Reads the file four times; faults are in file->fault. Out of
 * memory ends the process.
 */
void page_write(struct jfr_file *file, const char *name, struct bytes *out);

#endif
