/* SPDX-License-Identifier: BSD-2-Clause */
/* What the CPU time of calls was spent in, by samples of their threads: methods that were running, most samples first. */
#ifndef USER_VIEW_CALL_SAMPLES_H
#define USER_VIEW_CALL_SAMPLES_H

#include "format/map.h"
#include "user/trace/method_names.h"

struct call_samples {	  /* zeroed: none */
	struct map place; /* by method: 1 + its index, until they are sorted to be shown */
	struct call_sample {
		uint32_t method; /* its number; 0: unknown */
		uint64_t count;
	} *of;
	size_t count, capacity;
	uint64_t total;
};

void call_samples_release(struct call_samples *s);

/* The method that was running, of a stack of an event; 0: unknown. */
uint32_t sample_method(struct method_names *names, struct jfr_chunk *chunk, struct jfr_value stack);

/* Not behind one of the functions below. */
void call_samples_add(struct call_samples *s, uint32_t method);

/*
 * "34 samples: 62 % demo.Cart.price(int), 21 % java.util.Arrays.copyOf(byte[], int), 17 % others", broken into lines of
 * at most `width` columns, each indented. Nothing if there are none. The names must be settled.
 */
void call_samples_put(struct bytes *out, struct call_samples *s, const struct method_names *names, size_t width,
		      unsigned int indent);

/* The same as JSON, with all methods: {"demo.Cart.price(int)":21,"unknown":1}. */
void call_samples_put_json(struct bytes *out, struct call_samples *s, const struct method_names *names);

#endif
