/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges recordings by the conditions of --fail-if. What cannot be known is undecided, never passed: no such method, no
 * calls, too few calls for the quantile, calls that are not in the recording.
 */
#ifndef USER_COMPARE_GATE_H
#define USER_COMPARE_GATE_H

#include "filters/condition.h"
#include "user/compare/run.h"

/* In the order of their weight. */
enum gate_result { GATE_PASSED, GATE_UNDECIDED, GATE_FAILED };

/*
 * Judge a condition about all methods of a run, those that its filter selects. `before`: the old run, NULL if there is
 * none. Appends a line for each method, or one for all.
 */
enum gate_result gate_judge(const struct condition *c, const struct run *before, const struct run *after,
			    struct bytes *out);

/*
 * Judge all conditions about recordings that are read from the start, and print what is found. `before` may be NULL.
 * `status` is the exit status so far: EXIT_DONE and EXIT_INCOMPLETE give way to EXIT_VIOLATED and EXIT_UNDECIDED. Returns
 * the exit status, or -errno with the message.
 */
int gate_run(const struct condition_list *l, const struct jfr_file *before, const struct jfr_file *after, int status,
	     struct diag *d);

/* The same for a file or directory that has been written; one that cannot be read, or NULL, is undecided. */
int gate_run_path(const struct condition_list *l, const char *path, int status, struct diag *d);

#endif
