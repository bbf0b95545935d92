/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the java launcher's command line: the program that it runs, and which of its words are secrets. */
#ifndef USER_PROCESS_JAVA_COMMAND_H
#define USER_PROCESS_JAVA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct java_command {
	const char *main; /* class, jar file, module[/class] or source file; NULL: not on this command line */
	int main_at;	  /* its index in argv; argc if there is none */
	const char
		*instance; /* the directory of a server whose main class says nothing of it, as Tomcat's; NULL: none */
	bool jar, module;
	bool has_files; /* there is an @argfile before the main class, whose content is not here */
};

/* Parse argv as the `java` launcher of JDK 8 to 28 does. */
void java_command_parse(int argc, const char *const *argv, struct java_command *out);

/*
 * The usual short name: the jar or source file without its directory, the class without its module. Control
 * characters become "?".
 */
void java_command_name(const char *main, char *out, size_t size);

/*
 * Split a block of 0-terminated words (/proc/PID/cmdline, environ) into an array. The caller frees the array; the
 * words stay in `block`.
 */
int java_command_split(const char *block, size_t length, const char ***words);

/*
 * Whether the last of -XX:+FLAG and -XX:-FLAG among the words of `text` (split at white space) is +. -1: neither
 * occurs.
 */
int jvm_flag_set(const char *text, const char *flag);

/*
 * Join words with spaces, with secrets as "***": the value of anything with password, passwd, secret, token, key,
 * credential or the like in its name (-Dx.password=V, --token=V, "--api-key V"), and the user part of URLs.
 * Doubtful values are masked. The caller frees the result. NULL: no memory.
 */
char *java_command_mask(int count, const char *const *words);

/*
 * The same for a text in which single spaces separate words but may also be part of a value: a secret extends to
 * the next word with '-'.
 */
char *text_mask(const char *text);

#endif
