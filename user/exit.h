/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit statuses of the command line. */
#ifndef USER_EXIT_H
#define USER_EXIT_H

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,     /* the request failed; EXIT_FAILURE has the same value */
	EXIT_USAGE = 2,	     /* the command line is wrong */
	EXIT_INCOMPLETE = 3, /* done, but the result is incomplete */
	EXIT_VIOLATED = 4,   /* done, and a condition of --fail-if holds */
	EXIT_UNDECIDED = 5,  /* done, and one of them cannot be decided */
};

#endif
