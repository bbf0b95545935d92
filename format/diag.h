/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error messages. `int f(..., struct diag *d)` returns 0 or -errno. The function that first knows what is wrong
 * writes the message, the others pass it on, and only main prints it. No capital, no full stop, verb first, the
 * subject quoted: "cannot open '/x': No such file or directory".
 */
#ifndef FORMAT_DIAG_H
#define FORMAT_DIAG_H

struct diag {
	int usage;	 /* the user's input is wrong: exit status 2 instead of 1 */
	char text[1024]; /* may have several lines; without a final newline */
};

/* Write the message and return -err. `err` is a positive errno value. */
int diag_set(struct diag *d, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for an error in the command line, a filter or a value: sets d->usage, returns -EINVAL. */
int diag_usage(struct diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* diag_set() with ": strerror(err)" appended, and what to do if frtrace has too many open files. */
int diag_errno(struct diag *d, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
