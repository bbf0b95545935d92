/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread dump that attach gives, as a list of active methods. */
#ifndef USER_TARGET_DUMP_H
#define USER_TARGET_DUMP_H

#include <stddef.h>

struct active_frame {
	char class_name[256]; /* binary name, a.b.C$D */
	char method[128];
	char thread[128];
};

/* Call `see` for each Java frame of the dump's text; a non-zero return ends the walk and is returned. */
int dump_each_frame(const char *text, int (*see)(const struct active_frame *f, void *context), void *context);

#endif
