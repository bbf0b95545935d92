/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the JDKs of this machine, which judge results. */
#ifndef TESTS_LIB_JDK_H
#define TESTS_LIB_JDK_H

#include <limits.h>
#include <stddef.h>

struct jdk {
	char home[PATH_MAX];
	int version; /* 8, 11, 17, ... */
};

/*
 * Find JDKs (with javac) by $JAVA_HOME, PATH and /usr/lib/jvm, one of each version, oldest first. Returns their
 * number.
 */
size_t jdk_find(struct jdk *jdks, size_t capacity);

/*
 * Run a shell command, formatted as by printf(). *text receives stdout and stderr; the caller frees it. Returns
 * the exit status.
 */
int shell_run(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
