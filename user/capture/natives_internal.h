/* SPDX-License-Identifier: BSD-2-Clause */
/* For natives.c and native_records.c only. */
#ifndef USER_CAPTURE_NATIVES_INTERNAL_H
#define USER_CAPTURE_NATIVES_INTERNAL_H

#include "user/capture/natives.h"
#include "user/capture/session_internal.h"
#include "format/recent.h"
#include "user/jvm/native_places.h"

/* A C function, which several methods may be bound to. */
struct function {
	uint32_t *method; /* numbers in natives.method */
	size_t methods, capacity;
};

struct known_stack {
	uint32_t id;	 /* of copied_stacks_take_call(); 0: it has none */
	uint32_t method; /* number in natives.method + 1 of the call's; 0: of none */
	uint32_t function;
};

struct natives {
	struct session *session;
	struct native_probes *probes; /* NULL: not loaded */
	struct native_places *places;
	struct diag failure; /* why nothing is traced; "" */
	bool failed;
	bool begun; /* the first lines have said why some are not traced */
	struct native_method *method;
	size_t methods, method_capacity;
	uint32_t rows;		   /* of the segment, that have been looked at */
	struct function *function; /* as they are numbered in `probes` */
	size_t functions, function_capacity;
	int64_t look_due;
	struct roots *roots; /* NULL: calls need not be in one */
	struct natives_counts counts;
	struct recent stacks; /* known ones, by identity */
	struct known_stack stack[RECENT_PLACES];
};

/* A record of the queue. False: it is malformed, or not of a native method. */
bool natives_take(struct session *s, const void *record, size_t size);

#endif
