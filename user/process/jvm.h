/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the JVM in a process, found from outside. */
#ifndef USER_PROCESS_JVM_H
#define USER_PROCESS_JVM_H

#include "user/process/target.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Look for libjvm in the mappings; sets t->libjvm and t->perf_data. Returns 1: a HotSpot JVM; 0: no JVM; -ENOTSUP:
 * OpenJ9; other -errno: no rights, or gone.
 */
int jvm_find(struct target *t);

/*
 * Find the main class or jar: from the java launcher's command line, else from the counters, else the executable's
 * name. Sets t->name. `full` (may be NULL) receives it unabbreviated: the jar's path, the class with its module,
 * and behind these the server's directory, if java_command_parse() finds one.
 * Returns true if the command line is a java launcher's.
 */
bool jvm_identify(struct target *t, char *full, size_t size);

/* True for a 32-bit program. */
bool jvm_is_32_bit(const struct target *t);

/* False for a java launcher that runs nothing, as in `java -version`. */
bool jvm_has_main(const struct target *t);

/* Set t->version and t->jdk_version: from the counters, else from the `release` file above libjvm. */
void jvm_find_version(struct target *t);

/* "17.0.15" -> 17, "1.8.0_412" -> 8, "25-ea" -> 25; 0: unknown. */
int jvm_jdk_version(const char *version);

/* The value of KEY="value" in the text of a `release` file. Returns false if it is missing. */
bool jvm_release_value(const char *text, const char *key, char *out, size_t size);

/* Relevant options, from the command line, the environment and the counters. */
struct jvm_options {
	bool attach_disabled; /* -XX:+DisableAttachMechanism */
	bool signals_reduced; /* -Xrs */
	const char *archive;  /* the option that has an AOT cache or a CDS archive written; NULL: none */
	uint64_t stack;	      /* bytes of a new thread's stack: -Xss, -XX:ThreadStackSize, or HotSpot's default */
};
/* The options in a word of an environment, if it is one of the three variables with options; otherwise NULL. */
const char *jvm_options_of_variable(const char *word);

void jvm_read_options(const struct target *t, struct jvm_options *out);

/* The options of a program that this process is to start, with its environment. */
void jvm_read_own_options(char *const *argv, struct jvm_options *out);

#endif
