/* SPDX-License-Identifier: BSD-2-Clause */
/* The JDKs of this machine, as judges. */
#ifndef TESTS_LIB_JDK_H
#define TESTS_LIB_JDK_H

#include <limits.h>
#include <stddef.h>

struct jdk {
	char home[PATH_MAX];
	int version; /* 8, 11, 17, ... */
};

/* JDKs (with javac) found by $JAVA_HOME, PATH and /usr/lib/jvm, one of each version, oldest first. Returns how many. */
size_t jdk_find(struct jdk *jdks, size_t capacity);

/* Run a shell command, made as by printf(). *text gets stdout and stderr, to be freed. Returns the exit status. */
int shell_run(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
