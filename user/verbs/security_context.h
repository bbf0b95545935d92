/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the securityContext that Kubernetes needs to give a container with frtrace beside a JVM. */
#ifndef USER_VERBS_SECURITY_CONTEXT_H
#define USER_VERBS_SECURITY_CONTEXT_H

#include "user/options/settings.h"
#include "user/process/target.h"

#include <stdio.h>

/* As YAML, for this kernel and these settings. `t` NULL: a JVM of any user. */
void security_context_print(FILE *to, const struct settings *s, const struct target *t);

#endif
