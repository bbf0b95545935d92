/* SPDX-License-Identifier: BSD-2-Clause */
/* Edit every method of every class below a directory, as an agent with no filter would. */
#ifndef TESTS_LIB_CLASS_TREE_H
#define TESTS_LIB_CLASS_TREE_H

#include "format/classfile/class_edit.h"

#include <stdio.h>

struct class_tree {
	const char *owner; /* of the hooks enter, leave, thrown; internal form */
	uint32_t next_id;  /* in: the first id; out: the one behind the last */
	FILE *ids;	   /* gets "id Class.method" of each edited method (all lambdas as "lambda"); NULL: none */
	FILE *log;	   /* gets each method that was not edited, with the reason; NULL: none */
	unsigned classes, failed, left_alone;
	unsigned results[EDIT_SHAPE + 1];
	unsigned long long old_size, new_size;
};

extern const char *const edit_result_text[EDIT_SHAPE + 1];

/*
 * Copy `from` to `to`, .class files edited. Left as they are, since tracing
 * them would change what they do: java.util.concurrent.locks, Continuation,
 * methods with @ReservedStackAccess or @JvmtiMountTransition, empty
 * finalizers, `owner` itself. 0, or -1 with the reason on stderr.
 */
int class_tree_edit(struct class_tree *t, const char *from, const char *to);

/* The whole of a file, with malloc(); NULL with the reason on stderr. Written: parent directories are made. */
void *file_read(const char *path, size_t *size);
int file_write(const char *path, const void *bytes, size_t size);

#endif
