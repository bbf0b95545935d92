/* SPDX-License-Identifier: BSD-2-Clause */
/* Do recordings go together: are they of one JVM, and did its wall clock run on while they were made? */
#ifndef USER_VIEW_MERGE_CHECK_H
#define USER_VIEW_MERGE_CHECK_H

#include "format/diag.h"
#include "user/view/jfr_file.h"

#include <stddef.h>

/* What a recording says of the JVM and of its clock; a value that no event tells is INT64_MIN. */
struct merge_facts {
	int64_t pid, start_ms; /* of jdk.JVMInformation: as the JVM itself knows them */
	/*
	 * By how much the wall clock was set between the start of the file and its last chunk, ns: what a chunk's header (a
	 * JVM's) or its frtrace.Clock says of the time, less what the ticks since the first chunk make of it.
	 */
	int64_t clock_step;
	int64_t length; /* ns of wall clock between the two */
};

/* Read them; a file that is damaged tells what it has until there. */
void merge_facts_read(const struct jfr_file_map *m, struct merge_facts *out);

/*
 * -EINVAL with the message: two of them are of different JVMs. A clock that was set, not only adjusted, is said: the times of a
 * recording count from its start, and nothing tells by how much the starts of two are wrong against each other.
 */
int merge_check(const struct jfr_file_map *maps, size_t count, struct diag *d);

#endif
