/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JFR's method constants, from two sources: the agent's table (by its ids) and the resolver of frames.
 *
 * A method known to both gets one constant if its class loader is provably the same. The agent numbers loaders, the
 * resolver has addresses, and names prove nothing. The boot loader and the loaders that every JVM has once (platform
 * or extension, app) can be matched. A method of any other loader gets two constants if it is both traced and on
 * stacks.
 */
#ifndef USER_STACKS_METHOD_KEYS_H
#define USER_STACKS_METHOD_KEYS_H

#include "format/jfr/jfr_write.h"
#include "user/hotspot/packages.h"
#include "user/hotspot/resolve.h"
#include "user/segment/segment.h"

struct method_keys {
	struct jfr_writer *writer;
	const struct segment *segment;
	struct packages *packages; /* for the modules of traced classes; its own; NULL: they are unknown */
	uint32_t *resolved;	   /* key by number */
	size_t capacity;
	uint32_t traced[FRT_MAX_METHODS];
};

void method_keys_init(struct method_keys *k, struct jfr_writer *writer, const struct segment *segment);
void method_keys_release(struct method_keys *k);

/* Keys; 0: there is no such method, or no memory. */
uint64_t method_keys_traced(struct method_keys *k, uint32_t id);
uint64_t method_keys_resolved(struct method_keys *k, const struct resolved_method *m);

/* Key of a class that is known by its internal name only, a string of the segment. 0: there is none, or no memory. */
uint64_t method_keys_class(struct method_keys *k, uint32_t name);

/* Call when the resolver has dropped its methods and numbers them from the start. */
void method_keys_forget_resolved(struct method_keys *k);

/* jdk.internal.vm.Continuation.enterSpecial(), the bottom frame of every virtual thread's stack. */
uint64_t method_keys_continuation_entry(struct method_keys *k);

/* A function that is not Java's, as a method of the class "kernel" or "libc.so.6". */
uint64_t method_keys_function(struct method_keys *k, const char *where, const char *name);

/* Is this the method with that id? Compares the names of class, method and types. */
bool method_keys_same(const struct method_keys *k, uint32_t id, const struct resolved_method *m);

#endif
