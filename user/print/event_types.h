/* SPDX-License-Identifier: BSD-2-Clause */
/* The event types of a recording by name, and how many events each of them has. */
#ifndef USER_PRINT_EVENT_TYPES_H
#define USER_PRINT_EVENT_TYPES_H

#include "format/diag.h"
#include "user/trace/texts.h"
#include "format/jfr/jfr_read.h"

/* Zeroed at first. */
struct type_counts {
	struct texts names;
	struct type_count {
		const char *name;
		uint64_t events;
	} *type; /* by number of the name - 1, until they are sorted */
	size_t count, capacity;
	struct jfr_metadata *metadata; /* that `of` is about */
	uint32_t *of;		       /* for each of its types that is an event, the number of its name; else 0 */
};

void type_counts_release(struct type_counts *t);

/* Read the rest of a file. Without `events` only the types are read, not how many events they have. */
void type_counts_read(struct type_counts *t, struct jfr_file *file, bool events);

/* Most events first. */
void type_counts_sort(struct type_counts *t);

/*
 * Set *found, to be freed, to the type of that name, which may lack its package, as for `print --events`. -ENOENT: there is
 * none; -EINVAL: there are several, and none of exactly this name. `file` stays where it is.
 */
int type_named(const struct jfr_file *file, const char *wanted, char **found, struct diag *d);

#endif
