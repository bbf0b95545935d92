/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a method's parameters, from the tables at the end of its ConstMethod. */
#ifndef USER_HOTSPOT_PARAMETERS_H
#define USER_HOTSPOT_PARAMETERS_H

#include "user/hotspot/layout.h"

#include <stdbool.h>

struct parameter_names {
	bool known; /* the class file has names: MethodParameters or a LocalVariableTable */
	/* Called for each name; `slot` is its local, or `number` its place among the parameters, the other is -1. */
	void (*visit)(const char *name, int slot, int number, void *context);
	void *context;
};

/*
 * Visit the names of the parameters of the Method at an address, as far as they are known. Returns 0; -EBADMSG: the Method
 * is implausible; other -errno: unreadable.
 */
int method_parameter_names(const struct hotspot_layout *l, const struct mem *m, uint64_t method,
			   struct parameter_names *names);

#endif
