/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of a report's scripts; page/data.js reads it. */
#ifndef USER_REPORT_PAGE_DATA_H
#define USER_REPORT_PAGE_DATA_H

#include "user/report/digest.h"
#include "user/report/stories.h"
#include "user/report/verdict.h"

/* Append JSON for a <script>. */
void page_data_put(struct bytes *out, const struct digest *d, const struct stories *s, const struct verdict *v,
		   size_t verdicts);

/* Append the cells in base64. */
void page_cells_put(struct bytes *out, struct digest *d);

#endif
