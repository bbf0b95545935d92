/* SPDX-License-Identifier: BSD-2-Clause */
/* What the filters want of a class that is loaded, told without its class file. */
#ifndef AGENT_LOADED_H
#define AGENT_LOADED_H

#include "filters/matcher.h"
#include "uprobes/agent/control.h"

#include <jni.h>
#include <jvmti.h>

void loaded_init(jvmtiEnv *jvmti);

/*
 * Has the class a method that is selected and can have hooks? Those that cannot
 * are named among the skips. Also true when its constant pool has an annotation
 * that filters ask for: who bears it stands in the class file alone. `marks` are those by supertype.
 */
bool loaded_has_target(const struct matcher *p, jclass c, struct text name, const struct matcher_tags *tags);

#endif
