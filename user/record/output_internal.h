/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two forms of an output share, for user/record/output*.c alone. */
#ifndef USER_RECORD_OUTPUT_INTERNAL_H
#define USER_RECORD_OUTPUT_INTERNAL_H

#include "user/record/output_guard.h"
#include "user/record/new_file.h"
#include "user/record/output.h"

struct output_chunk {
	uint64_t size;
	int64_t end_ns; /* when it was appended, CLOCK_MONOTONIC */
	char name[32];	/* in a directory */
};

struct output {
	const struct output_form *form;
	char *path;
	struct new_file file; /* has its name from the first chunk on; closed in a directory */
	/* the directory; its name in the one that it is in; -1 for a file */
	int fd, parent;
	char name[NAME_MAX + 1];
	struct output_limits limits;
	uint64_t size, dropped;
	struct output_chunk *chunk; /* oldest first */
	size_t chunks, capacity;
	struct output_guard *keeper;
	/* of a directory: the second that the last name tells, and how many have been of it */
	char second[24];
	unsigned int of_second;
};

struct output_form {
	bool is_directory;
	unsigned int spare; /* this part in 4 may be too much before something is dropped; then as much is dropped */
	int (*open)(struct output *o, struct diag *d); /* and start the keeper */
	/* All or nothing. A directory's chunk gets its name. */
	int (*append)(struct output *o, struct output_chunk *c, const void *bytes, size_t size, struct diag *d);
	/* The oldest `gone` chunks; the table still has them. */
	int (*drop)(struct output *o, size_t gone, struct diag *d);
	/* The chunks from number `first` on, one behind the other, to a file that is empty. */
	int (*copy)(const struct output *o, size_t first, int to, struct diag *d);
	bool (*is_there)(const struct output *o); /* under its path; when there is a chunk */
	void (*close)(struct output *o);	  /* without a chunk nothing is left */
};

extern const struct output_form output_file, output_directory;

/* 0 or -errno. */
int output_write(int fd, const void *bytes, size_t size, uint64_t at);
int output_copy_range(int from, uint64_t at, int to, uint64_t to_at, uint64_t size);

#endif
