/* SPDX-License-Identifier: BSD-2-Clause */
/* The HotSpot model of one target: its memory, its layout, the resolver over both. What stacks take. */
#ifndef USER_JVM_JVM_MODEL_H
#define USER_JVM_JVM_MODEL_H

#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"
#include "user/process/remote_mem.h"

struct jvm_model {
	struct remote_mem remote;
	struct hotspot_layout layout; /* `missing` is filled also when there are no stacks */
	struct resolver *resolver;    /* NULL: no stacks */
};

/* 0, or -errno: there will be no stacks, and the message says why. Touches nothing of the target. */
int jvm_model_open(struct jvm_model *m, const struct target *t, struct diag *d);

/* The same for those who read classes, not stacks: no resolver. */
int jvm_model_open_classes(struct jvm_model *m, const struct target *t, struct diag *d);
void jvm_model_close(struct jvm_model *m); /* a zeroed one is fine */

/* Where a JVM's flags stand (user/hotspot/flags.h). It need not have made itself yet. */
int jvm_model_find_flags(const struct target *t, const char *const names[], size_t count, uint64_t addresses[],
			 struct diag *d);

/*
 * Compare walked stacks with the JVM's own thread dump (user/jvm/layout_check.h). -EPROTO: they are
 * different, the model is not to be used. -ENODATA: none could be compared, though every JVM has threads that sleep:
 * most likely their frames cannot be read. 0 also when the JVM gave no dump. *dump is the last dump (NULL: the JVM gave none),
 * malloc'ed, the caller's: other things are read in it too.
 */
int jvm_model_prove(struct jvm_model *m, const struct target *t, char **dump, struct diag *d);

#endif
