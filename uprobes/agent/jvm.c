// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/jvm.h"

jvmtiEnv *jvmti;
