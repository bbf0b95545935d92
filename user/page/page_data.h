/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of a report's scripts; html/data.js reads it. */
#ifndef USER_PAGE_PAGE_DATA_H
#define USER_PAGE_PAGE_DATA_H

#include "user/page/digest.h"
#include "user/page/stories.h"
#include "user/page/verdict.h"

/* Append JSON for a <script>. */
void page_data_put(struct bytes *out, const struct digest *d, const struct stories *s, const struct verdict *v,
		   size_t verdicts);

/* Append the cells in base64. */
void page_cells_put(struct bytes *out, struct digest *d);

#endif
