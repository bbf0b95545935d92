/* SPDX-License-Identifier: BSD-2-Clause */
/* The java launcher's command line: what runs in it, and which of its words are secrets. */
#ifndef USER_PROCESS_JAVA_COMMAND_H
#define USER_PROCESS_JAVA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct java_command {
	const char
		*main; /* class, jar file, module[/class] or source file; NULL: not to be told from this command line */
	int main_at;   /* its place in argv; argc when there is none */
	bool jar, module;
	bool has_files; /* an @argfile stands before the main class: what it says is not here */
};

/* argv as the `java` launcher of JDK 8 to 28 takes it. */
void java_command_parse(int argc, const char *const *argv, struct java_command *out);

/* What a person calls it: the jar or source file without its folder, the class without its module. Control characters
 * become "?". */
void java_command_name(const char *main, char *out, size_t size);

/* Cut a block of 0-terminated words (/proc/PID/cmdline, environ) into an array; malloc'ed, the words stay in `block`.
 */
int java_command_split(const char *block, size_t length, const char ***words);

/* Does the last of -XX:+FLAG and -XX:-FLAG among the words of `text` (split at white space) say +? -1: neither is
 * there. */
int jvm_flag_set(const char *text, const char *flag);

/*
 * Join words with spaces, secrets as "***": the value of whatever has password, passwd, secret, token, key, credential
 * or the like in its name (-Dx.password=V, --token=V, "--api-key V"), and the user part of URLs. In doubt it is masked.
 * malloc'ed; NULL: no memory.
 */
char *java_command_mask(int count, const char *const *words);

/* The same for a text whose words are separated by single spaces, a value's spaces among them: a secret reaches up to
 * the next word with '-'. */
char *text_mask(const char *text);

#endif
