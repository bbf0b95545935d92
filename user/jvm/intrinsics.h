/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods that HotSpot replaces by machine code of its own (vmIntrinsics; @IntrinsicCandidate), and by which
 * names it can be told before it makes itself not to (-XX:DisableIntrinsic). From JDK 17 on, where that
 * holds for the interpreter and both compilers. Names that a JVM does not know it skips, when they
 * are not on its command line.
 */
#ifndef USER_JVM_INTRINSICS_H
#define USER_JVM_INTRINSICS_H

#include "bpf/frtrace.h"
#include "filters/filter_list.h"

#include <stdbool.h>

#define INTRINSICS_SINCE 17

struct intrinsics {
	char names[FRT_INTRINSICS_SIZE]; /* "_max,_min"; "": none */
	char methods[FRT_EXACT_SIZE];	 /* whose they are: "java/lang/Math.max\n" */
	bool concat; /* -XX:-OptimizeStringConcat, too: it takes chains of a StringBuilder's methods for one */
	bool boxing; /* -XX:-EliminateAutoBox, too: it takes valueOf() and intValue() for nothing */
};

/* Those of the methods that some filter selects by its name, in a JVM of this version. */
int intrinsics_choose(struct intrinsics *chosen, const struct filter_list *filters, int jdk_version, struct diag *d);

#endif
