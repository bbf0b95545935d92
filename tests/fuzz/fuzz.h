/* SPDX-License-Identifier: BSD-2-Clause */
/* What every fuzz target includes. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called by libFuzzer, and by replay.c for each file of the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check(bool holds)
{
	if (!holds)
		abort();
}

/* The same with a message. */
static inline void require(bool holds, const char *what)
{
	if (!holds)
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	check(holds);
}

#endif
