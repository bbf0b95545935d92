/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the functions of native methods lie: in which file, and where in it. The JVM says which function a method is
 * bound to. A method that was never called is not bound yet; the JVM will look for its name (user/jvm/jni_name.h) in the
 * libraries that are loaded by then, so it is looked for in those that are mapped, and in the JDK's own.
 */
#ifndef USER_JVM_NATIVE_PLACES_H
#define USER_JVM_NATIVE_PLACES_H

#include "user/process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum native_state {
	NATIVE_NEW,
	NATIVE_PLACED,
	NATIVE_UNBOUND,	 /* never called, and there is no function of its name yet: a library may bring it */
	NATIVE_MEMORY,	 /* in memory of no file, which no uprobe can be in */
	NATIVE_CRITICAL, /* there is a JavaCritical_ function, which the JVM may call instead */
	NATIVE_UNKNOWN,	 /* the JVM does not tell */
};

/* A traced native method. */
struct native_method {
	uint32_t id;				    /* the caller's */
	const char *class_name, *name, *descriptor; /* in the form of class files */
	bool boot;				    /* of the boot loader */
	enum native_state state;
	uint64_t address; /* of the Method; 0: not found yet */
	uint64_t code;	  /* address of the code that it had when it was looked for; 0: unknown */
};

struct native_place {
	uint64_t device, inode, offset; /* of the file; where in it the probe is */
	int fd;				/* the caller closes it */
};

struct native_places;

/* `t` is borrowed. Returns 0 or -errno: the JVM's classes cannot be read. */
int native_places_new(struct native_places **out, const struct target *t, struct diag *d);
void native_places_free(struct native_places *p);

/* Find the Methods of those that are new. */
void native_places_find_methods(struct native_places *p, struct native_method *method, size_t count);

/*
 * Find the function, and set method->state. True: *out is its place. Call again for a method that is NATIVE_UNBOUND.
 */
bool native_places_find(struct native_places *p, struct native_method *method, struct native_place *out);

/* True if the method has other code by now: it was bound, or RegisterNatives has bound it anew. Then find it again. */
bool native_places_is_rebound(const struct native_places *p, const struct native_method *method);

/* Read the libraries that have been mapped since. Call before native_places_find(). */
void native_places_look(struct native_places *p);

/* Where it reads the methods. */
struct jvm_model;
const struct jvm_model *native_places_model(const struct native_places *p);

#endif
