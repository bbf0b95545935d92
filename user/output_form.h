/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two forms of an output share, for user/output*.c alone. */
#ifndef USER_OUTPUT_FORM_H
#define USER_OUTPUT_FORM_H

#include "user/keeper.h"
#include "user/output.h"

struct output_chunk {
	uint64_t size;
	int64_t end_ns; /* when it was appended, CLOCK_MONOTONIC */
	char name[32];	/* in a directory */
};

struct output {
	const struct output_form *form;
	char *path, *scratch; /* what is being written before it has its place; left there by who is killed */
	int fd; /* the file, or the directory */
	struct output_limits limits;
	uint64_t size, dropped;
	struct output_chunk *chunk; /* oldest first */
	size_t chunks, capacity;
	struct keeper *keeper;
	uint64_t device, inode; /* of a file */
	/* of a directory: the second that the last name tells, and how many have been of it */
	char second[24];
	unsigned int of_second;
};

struct output_form {
	bool is_directory;
	unsigned int spare; /* this part in 4 may be too much before something is dropped; then as much is dropped */
	int (*open)(struct output *o, struct diag *d); /* o->fd and o->scratch */
	/* All or nothing. A directory's chunk gets its name. */
	int (*append)(struct output *o, struct output_chunk *c, const void *bytes, size_t size, struct diag *d);
	/* The oldest `gone` chunks; the table still has them. */
	int (*drop)(struct output *o, size_t gone, struct diag *d);
	/* The chunks from number `first` on, one behind the other, to a file that is empty. */
	int (*copy)(const struct output *o, size_t first, int to, struct diag *d);
	void (*remove)(struct output *o); /* nothing was written */
};

extern const struct output_form output_file, output_directory;

/* Set o->scratch to the path and this behind it. */
int output_set_scratch(struct output *o, const char *end, struct diag *d);

/* A regular file with one name, for its owner only; flags as O_EXCL. Returns a descriptor. */
int output_create(int directory, const char *path, int flags, struct diag *d);
void output_give_to_user(int fd);

/* 0 or -errno. */
int output_write(int fd, const void *bytes, size_t size, uint64_t at);
int output_copy_range(int from, uint64_t at, int to, uint64_t to_at, uint64_t size);

#endif
