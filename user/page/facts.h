/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says about itself: program, JVM, machine, settings, messages, losses. Out of memory ends the process. */
#ifndef USER_PAGE_FACTS_H
#define USER_PAGE_FACTS_H

#include "user/trace/trace.h"

struct facts_rows {
	struct facts_row {
		char *label, *text;
	} *row;
	size_t count, capacity;
};

struct facts {
	char *program; /* "com.acme.Main --port 80"; NULL: unknown */
	struct facts_rows about;
	struct facts_rows messages; /* the label is the kind */
	uint64_t lost;		    /* bytes, see jdk.DataLoss */
	bool of_frtrace;
};

extern const struct trace_ops facts_ops; /* with a zeroed struct facts */
void facts_release(struct facts *f);

#endif
