/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods that HotSpot replaces by its own machine code (vmIntrinsics; @IntrinsicCandidate), and the names by
 * which a starting JVM can be told not to (-XX:DisableIntrinsic). Used since JDK 17, where the flag affects the
 * interpreter and both compilers. A JVM skips unknown names that are not on its command line.
 */
#ifndef USER_JVM_INTRINSICS_H
#define USER_JVM_INTRINSICS_H

#include "bpf/frtrace.h"
#include "filters/filter_list.h"

#include <stdbool.h>

#define INTRINSICS_SINCE 17

struct intrinsics {
	char names[FRT_INTRINSICS_SIZE]; /* "_max,_min"; "": none */
	char methods[FRT_EXACT_SIZE];	 /* their methods: "java/lang/Math.max " */
	bool concat; /* also -XX:-OptimizeStringConcat, which replaces chains of StringBuilder calls */
	bool boxing; /* also -XX:-EliminateAutoBox, which removes valueOf() and intValue() */
};

/* Choose the intrinsics of the methods that filters select by name, for a JVM of this version. Returns 0 or -errno. */
int intrinsics_choose(struct intrinsics *chosen, const struct filter_list *filters, int jdk_version, struct diag *d);

#endif
