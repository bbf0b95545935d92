/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JFR's constants of methods, from the two places that know methods: the
 * agent's table (by its ids) and the resolver of frames.
 *
 * A method that comes from both is one constant when its class loader can be
 * told to be the same. The agent numbers loaders, the resolver has addresses of
 * another thing, and names prove nothing: of the boot loader and of the loaders
 * that every JVM has once (platform or extension, app) it is known, any other
 * loader becomes two constants when classes of it are traced and are on stacks too.
 */
#ifndef USER_RECORD_METHOD_KEYS_H
#define USER_RECORD_METHOD_KEYS_H

#include "format/jfr/jfr_write.h"
#include "user/hotspot/resolve.h"
#include "user/capture/segment.h"

struct method_keys {
	struct jfr_writer *writer;
	const struct segment *segment;
	uint32_t *resolved; /* key by number */
	size_t capacity;
	uint32_t traced[FRT_MAX_METHODS];
};

void method_keys_init(struct method_keys *k, struct jfr_writer *writer, const struct segment *segment);
void method_keys_release(struct method_keys *k);

/* Keys; 0: there is no such method, or no memory. */
uint64_t method_keys_traced(struct method_keys *k, uint32_t id);
uint64_t method_keys_resolved(struct method_keys *k, const struct resolved_method *m);

/* The resolver has forgotten its methods and begins to number them anew. */
void method_keys_forget_resolved(struct method_keys *k);

/* jdk.internal.vm.Continuation.enterSpecial(), with which the stack of every virtual thread begins. */
uint64_t method_keys_continuation_entry(struct method_keys *k);

/* A function of the kernel, as a method of the class "kernel". */
uint64_t method_keys_kernel(struct method_keys *k, const char *name);

/* Is it the method with that id, by the names of class, method and types? */
bool method_keys_same(const struct method_keys *k, uint32_t id, const struct resolved_method *m);

#endif
