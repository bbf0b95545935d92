/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about a recording, each with how often it was said, to compare what several readers say. For CMocka programs. */
#ifndef TESTS_LIB_CLAIMS_H
#define TESTS_LIB_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

struct claims {
	char **line;
	size_t count, capacity;
};

void claims_release(struct claims *f);

__attribute__((format(printf, 2, 3))) void claim_add(struct claims *f, const char *format, ...);

/* The same, but nothing if it has been said: for readers that show a choice. */
__attribute__((format(printf, 2, 3))) void claim_add_once(struct claims *f, const char *format, ...);

/* Sums by name. */
struct sums {
	struct sum {
		char *name;
		int64_t total;
	} *sum;
	size_t count, capacity;
};

/* Add `n` to the sum of that name. What is 0 or less, as unknown times are, is left out. */
__attribute__((format(printf, 3, 4))) void sum_up(struct sums *s, int64_t n, const char *format, ...);

/* Make each a claim, "NAME: 17", and forget them. */
void sums_say(struct sums *s, struct claims *f);

/* What a reader says differently from what is true, until it is mended: "-12 x ..." is missing, "+12 x ..." is too much. */
struct known_difference {
	const char *reader, *claim;
};

/*
 * `reader` says what is true, but for what stands in `known`, which ends with a NULL. A difference that is known and gone
 * is a failure, too: take it out of the list.
 */
void assert_claims(const char *reader, struct claims *said, struct claims *truth, const struct known_difference *known);

#endif
