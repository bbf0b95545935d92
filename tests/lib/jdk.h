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

/* Options of a short-lived tool of a JDK, which then takes half the CPU time; JDK_BRIEF is for `java` itself. */
#define JDK_BRIEF      "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#define JDK_BRIEF_TOOL "-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC"

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
