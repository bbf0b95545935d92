/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread dump that the JVM returns through attach, parsed into a list of active methods. */
#ifndef USER_PROCESS_DUMP_H
#define USER_PROCESS_DUMP_H

#include "user/process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An active method. Longer names are cut. */
struct active_frame {
	char class_name[256]; /* binary name, a.b.C$D */
	char method[128];
	char thread[128];
	uint32_t tid; /* of the thread: the kernel's, in the target's pid namespace; 0: unknown */
	int line;     /* -1: unknown */
	bool native;
	bool unknown; /* the JVM gives no place, as for a method that was redefined after it was called */
};

/* The caller frees *dump. Returns -errno if the JVM gives none. */
int target_thread_dump(const struct target *t, char **dump, struct diag *d);

/* Call `visit` for each Java frame in the dump's text. A non-zero return ends the walk and is returned. */
int dump_each_frame(const char *text, int (*visit)(const struct active_frame *f, void *context), void *context);

/* A Java thread. */
struct dump_thread {
	char name[128];
	uint64_t java_id;
	uint32_t tid; /* as above; never 0 */
};

/* Call `visit` for each Java thread of which both ids are known. Returns as above. */
int dump_each_thread(const char *text, int (*visit)(const struct dump_thread *t, void *context), void *context);

/* The Java threads of a dump by their kernel ids. Zeroed: there are none. */
struct java_threads {
	struct dump_thread *thread; /* sorted by tid */
	size_t count, capacity;
};

/* Replace the threads by those in the dump's text. Without memory some are missing. */
void java_threads_read(struct java_threads *t, const char *dump);
void java_threads_release(struct java_threads *t);

/* The thread with that id in the target's pid namespace; NULL: there was none. */
const struct dump_thread *java_threads_find(const struct java_threads *t, uint32_t tid);

#endif
