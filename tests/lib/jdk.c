// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/jdk.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* "javac 17.0.15", "javac 1.8.0_412" */
static int version_of(const char *home)
{
	int major = 0, minor = 0;
	char *text, *v;

	if (shell_run(&text, "'%s/bin/javac' " JDK_BRIEF_TOOL " -version", home) == 0 && (v = strstr(text, "javac ")))
		sscanf(v, "javac %d.%d", &major, &minor);
	free(text);
	return major == 1 ? minor : major;
}

/* `program` is the path of a javac. */
static void add(struct jdk *jdks, size_t *n, size_t capacity, const char *program)
{
	char real[PATH_MAX], *end;
	int version;
	size_t i;

	if (*n == capacity || access(program, X_OK) || !realpath(program, real) || !(end = strstr(real, "/bin/javac")))
		return;
	*end = 0;
	for (i = 0; i < *n && strcmp(jdks[i].home, real) != 0; i++)
		;
	if (i < *n) /* by another name */
		return;
	version = version_of(real);
	for (i = 0; i < *n && jdks[i].version != version; i++)
		;
	if (i < *n || !version)
		return;
	for (i = (*n)++; i && jdks[i - 1].version > version; i--)
		jdks[i] = jdks[i - 1];
	snprintf(jdks[i].home, sizeof(jdks[i].home), "%s", real);
	jdks[i].version = version;
}

size_t jdk_find(struct jdk *jdks, size_t capacity)
{
	const char *home = getenv("JAVA_HOME"), *path = getenv("PATH");
	char program[PATH_MAX], *copy, *part, *rest = NULL;
	size_t n = 0, i;
	glob_t found;

	if (home && snprintf(program, sizeof(program), "%s/bin/javac", home))
		add(jdks, &n, capacity, program);
	copy = strdup(path ? path : "");
	for (part = strtok_r(copy, ":", &rest); part; part = strtok_r(NULL, ":", &rest)) {
		snprintf(program, sizeof(program), "%s/javac", part);
		add(jdks, &n, capacity, program);
	}
	free(copy);
	if (!glob("/usr/lib/jvm/*/bin/javac", 0, NULL, &found)) {
		for (i = 0; i < found.gl_pathc; i++)
			add(jdks, &n, capacity, found.gl_pathv[i]);
		globfree(&found);
	}
	return n;
}

int shell_run(char **text, const char *format, ...)
{
	static const char streams[] = "exec 2>&1 </dev/null; ";
	char command[8192];
	size_t size = 0, got, capacity = sizeof(command) - sizeof(streams);
	va_list a;
	FILE *p;
	int n, status;

	*text = NULL;
	memcpy(command, streams, sizeof(streams));
	va_start(a, format);
	n = vsnprintf(command + sizeof(streams) - 1, capacity, format, a);
	va_end(a);
	if (n < 0 || n >= (int)capacity || !(p = popen(command, "r")))
		return -1;
	do {
		*text = realloc(*text, size + 65536 + 1);
		got = fread(*text + size, 1, 65536, p);
		size += got;
	} while (got);
	(*text)[size] = 0;
	status = pclose(p);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
