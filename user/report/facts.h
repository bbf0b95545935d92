/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says about itself: program, JVM, machine, settings, messages, losses. */
#ifndef USER_REPORT_FACTS_H
#define USER_REPORT_FACTS_H

#include "format/jfr/jfr_read.h"

struct facts {
	char *program; /* "com.acme.Main --port 80"; NULL: unknown */
	struct facts_row {
		char *label, *text;
	} *row;
	size_t rows, row_capacity;
	struct facts_row *message; /* the label is its kind */
	size_t messages, message_capacity;
	uint64_t lost; /* bytes, see jdk.DataLoss */
	bool of_frtrace;
};

/* Read the file. 0 or -ENOMEM; release it in either case. Faults are in the file. */
int facts_read(struct facts *f, struct jfr_file *file);
void facts_release(struct facts *f);

#endif
