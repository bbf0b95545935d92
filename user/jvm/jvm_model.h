/* SPDX-License-Identifier: BSD-2-Clause */
/* The HotSpot model of one target: its memory, its layout, and the resolver over both. It is what stacks need. */
#ifndef USER_JVM_JVM_MODEL_H
#define USER_JVM_JVM_MODEL_H

#include "user/hotspot/layout.h"
#include "user/hotspot/resolve.h"
#include "user/process/remote_mem.h"

struct jvm_model {
	struct remote_mem remote;
	uint64_t symbols[VMSTRUCTS_SYMBOLS]; /* addresses of the JVM's tables */
	struct hotspot_layout layout;	     /* `missing` is set even if there are no stacks */
	struct resolver *resolver;	     /* NULL: no stacks */
};

/* Open the model. On -errno there will be no stacks, and the message says why. Only reads the target. */
int jvm_model_open(struct jvm_model *m, const struct target *t, struct diag *d);

/* The same for users that read classes, not stacks: without a resolver. */
int jvm_model_open_classes(struct jvm_model *m, const struct target *t, struct diag *d);
void jvm_model_close(struct jvm_model *m); /* accepts a zeroed one */

/* The addresses of a JVM's flags (user/hotspot/flags.h). The JVM need not be initialised yet. */
int jvm_model_find_flags(const struct target *t, const char *const names[], size_t count, uint64_t addresses[],
			 struct diag *d);

/* The value of a flag that is true or false, or a number; -ENOENT with the message: this JVM has no such flag. */
int jvm_model_read_flag(const struct target *t, const char *name, bool *value, struct diag *d);
int jvm_model_read_number(const struct target *t, const char *name, uint64_t *value, struct diag *d);

/*
 * The version as the JVM's own recordings have it: "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE
 * (25.0.3+9-LTS), built on ...". It lies in libjvm (Abstract_VM_Version::_s_internal_vm_info_string, JDK 8 to 28), also
 * before the JVM is initialised, and may be any text of less than `size` bytes.
 */
int jvm_model_version(const struct target *t, char *out, size_t size, struct diag *d);

/*
 * Compare walked stacks with the JVM's own thread dump (user/jvm/layout_check.h). Returns 0;
 * -EPROTO: they differ, do not use the model; -ENODATA: none could be compared, because the JVM gave no dump, or
 * although every JVM has sleeping threads, so their frames are most likely unreadable; -ETIMEDOUT: the JVM does not
 * answer. *dump is the last dump (NULL: the JVM gave none), which the caller frees; other code reads it, too.
 */
int jvm_model_check(struct jvm_model *m, const struct target *t, char **dump, struct diag *d);

#endif
