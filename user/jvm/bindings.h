/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The function that a native method is bound to, and its library, however that was done: by its name (Java_...), by
 * RegisterNatives, or by the JVM itself. It is read from the JVM's memory, so it is what the next call will run.
 */
#ifndef USER_JVM_BINDINGS_H
#define USER_JVM_BINDINGS_H

#include "user/jvm/matches.h"
#include "user/process/libraries.h"

#include <limits.h>

struct bindings;

enum binding_kind {
	BINDING_UNKNOWN, /* the JVM does not tell, or its memory cannot be read */
	BINDING_NONE,	 /* not bound yet: it was never called. Or never, because the JVM replaces all calls */
	BINDING_LIBRARY,
	BINDING_MEMORY, /* code in memory of no file */
};

struct binding {
	enum binding_kind kind;
	uint64_t address;
	char place[PATH_MAX];		/* "libnio.so+0x5a10": base name, and address in the file */
	char function[ELF_FILE_SYMBOL]; /* "": no symbol is there */
};

/* Both are borrowed. `setup` is that of the matches. NULL: no memory. */
struct bindings *bindings_new(const struct target *t, const struct matches_setup *setup);
void bindings_free(struct bindings *b);

/* The binding of a match, which is a native method. */
void bindings_find(struct bindings *b, const struct match *m, struct binding *out);

#endif
