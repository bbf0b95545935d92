/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that recordings fit together: same JVM, and no step of the wall clock while they were made. */
#ifndef USER_VIEW_MERGE_CHECK_H
#define USER_VIEW_MERGE_CHECK_H

#include "format/diag.h"
#include "user/view/jfr_file.h"

#include <stddef.h>

/* Facts about the JVM and its clock; INT64_MIN if the recording does not have the value. */
struct merge_facts {
	int64_t pid, start_ms; /* from jdk.JVMInformation, as the JVM reports them */
	/*
	 * Step of the wall clock between the start of the file and its last chunk, in ns: the time in the last chunk's
	 * header (files of a JVM) or in its frtrace.Clock event, minus the time computed from the ticks since the first
	 * chunk.
	 */
	int64_t clock_step;
	int64_t length; /* wall-clock ns between the two */
};

/* Read the facts. A damaged file yields those found before the damage. */
void merge_facts_read(const struct jfr_file_map *m, struct merge_facts *out);

/*
 * -EINVAL with the message if two recordings are of different JVMs. Prints a warning if a clock was stepped (slewing is
 * fine): event times count from the start of each recording, and the offset between the starts is then unknown.
 */
int merge_check(const struct jfr_file_map *maps, size_t count, struct diag *d);

#endif
