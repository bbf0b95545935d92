/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording under test as the report's page reads it. For CMocka programs; one recording at a time. */
#ifndef TESTS_LIB_DIGESTED_H
#define TESTS_LIB_DIGESTED_H

#include "tests/lib/recording.h"
#include "user/page/digest.h"
#include "user/page/stories.h"

#define US 1000ll
#define MS 1000000ll

#define LONGEST 20 /* stories */

extern struct digested {
	struct recording r;
	struct digest *digest;
	struct stories stories;
	struct task_runs handed;
	struct bytes text;		/* the test's own, released by digested_end() */
	uint64_t worker, other, holder; /* threads 11, 12 and 13 */
} it;

/* Fixtures of a case. */
int digested_begin(void **state);
int digested_end(void **state);

/* Add a call or a wait of a thread; times in ns, from the beginning of the recording. */
void digested_call(uint64_t thread, const char *method, int64_t start, int64_t duration, int64_t cpu,
		   int64_t run_queue);
void digested_wait(uint64_t thread, int64_t start, int64_t duration, uint64_t waker);
void digested_wait_for_future(uint64_t thread, int64_t start, int64_t duration, uint64_t waker);

/* Add a sample of a thread that was in a method; NULL: in something unknown. */
void digested_sample(uint64_t thread, const char *method, int64_t at);

/* Read what has been added, with the stories of `wanted` of the longest calls, or with none. */
void digested_read_stories(size_t wanted);
void digested_read(void);

#endif
