/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process tells about the JVM in it. */
#ifndef USER_PROCESS_JVM_H
#define USER_PROCESS_JVM_H

#include "user/process/target.h"

#include <stddef.h>

/*
 * Look for libjvm in the mappings: sets t->libjvm and t->perf_data.
 * 1: a HotSpot JVM; 0: no JVM; -ENOTSUP: a JVM, but OpenJ9; other -errno: no rights, gone.
 */
int jvm_find(struct target *t);

/*
 * Main class or jar: from the java launcher's command line, else from the counters, else the executable's name.
 * `full` (may be NULL) receives it as it was given: the jar's path, the class with its module. Sets t->name.
 * True: it is a java launcher's command line.
 */
bool jvm_identify(struct target *t, char *full, size_t size);

/* Is the program a 32-bit one? */
bool jvm_is_32_bit(const struct target *t);

/* False: it is a java launcher without anything to run, as in `java -version`. */
bool jvm_has_main(const struct target *t);

/* t->version and t->feature: from the counters, else from the `release` file above libjvm. */
void jvm_find_version(struct target *t);

/* "17.0.15" -> 17, "1.8.0_412" -> 8, "25-ea" -> 25; 0: unknown. */
int jvm_jdk_version(const char *version);

/* The value of KEY="value" in the text of a `release` file; false when it is not there. */
bool jvm_release_value(const char *text, const char *key, char *out, size_t size);

/* What the options say, from the command line, the environment and the counters. */
struct jvm_options {
	bool attach_disabled; /* -XX:+DisableAttachMechanism */
	bool signals_reduced; /* -Xrs */
};
void jvm_read_options(const struct target *t, struct jvm_options *out);

#endif
