/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether filters select methods of a loaded class, judged without its class file. */
#ifndef AGENT_LOADED_H
#define AGENT_LOADED_H

#include "filters/matcher.h"
#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

/*
 * True if the class has a selected method that can have hooks. Selected methods that cannot are reported as
 * skipped to the recording. Also true if the constant pool mentions an annotation that filters ask for, because only the class file
 * says what bears it. `tags` are those of the class's supertypes.
 */
bool loaded_has_target(uint32_t recording, const struct matcher *p, jclass c, struct slice name,
		       const struct matcher_tags *tags);

#endif
