/* SPDX-License-Identifier: BSD-2-Clause */
/* Edits each method of each class below a directory, as an agent without filter would. */
#ifndef TESTS_LIB_CLASS_TREE_H
#define TESTS_LIB_CLASS_TREE_H

#include "format/classfile/class_edit.h"

#include <stdio.h>

struct class_tree {
	const char *owner; /* of the hooks enter, leave, thrown; internal form */
	uint32_t next_id;  /* in: the first id; out: the last id + 1 */
	FILE *ids; /* receives "id Class.method" for each edited method (all lambdas as "lambda"); may be NULL */
	FILE *log; /* receives each method that was not edited, with the reason; may be NULL */
	unsigned classes, failed, left_alone;
	unsigned results[EDIT_SHAPE + 1];
	unsigned long long old_size, new_size;
};

extern const char *const edit_result_text[EDIT_SHAPE + 1];

/*
 * Copy `from` to `to` with edited .class files. Classes and methods that tracing would break are not edited:
 * java.util.concurrent.locks, Continuation, methods with @ReservedStackAccess or @JvmtiMountTransition, empty
 * finalizers, and `owner` itself. Returns 0, or -1 with the reason on stderr.
 */
int class_tree_edit(struct class_tree *t, const char *from, const char *to);

/* Read a whole file into malloc() memory; NULL with the reason on stderr. file_write() creates parent directories. */
void *file_read(const char *path, size_t *size);
int file_write(const char *path, const void *bytes, size_t size);

#endif
