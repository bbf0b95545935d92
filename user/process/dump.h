/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread dump that attach gives, and its text as a list of active methods. */
#ifndef USER_PROCESS_DUMP_H
#define USER_PROCESS_DUMP_H

#include "user/process/target.h"

#include <stdbool.h>
#include <stdint.h>

/* Names that are longer are cut. */
struct active_frame {
	char class_name[256]; /* binary name, a.b.C$D */
	char method[128];
	char thread[128];
	uint32_t tid; /* of the thread, the kernel's in the target's pid namespace; 0: not said */
	int line;     /* -1: not said */
	bool native;
	bool unknown; /* the JVM says nothing of the place: as of a method that was redefined since it was called */
};

/* *dump is malloc'ed, the caller's. -errno: the JVM gives none. */
int target_thread_dump(const struct target *t, char **dump, struct diag *d);

/* Call `see` for each Java frame of the dump's text; a non-zero return ends the walk and is returned. */
int dump_each_frame(const char *text, int (*visit)(const struct active_frame *f, void *context), void *context);

#endif
