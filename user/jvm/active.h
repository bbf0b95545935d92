/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports active methods. A method that is on a stack while its class is rewritten stays in the interpreter until
 * it returns. The thread dump shows these methods before anything is changed.
 */
#ifndef USER_JVM_ACTIVE_H
#define USER_JVM_ACTIVE_H

#include "filters/filter_list.h"
#include "user/process/find.h"

#define ACTIVE_METHODS 256u

struct active_method {
	char name[400], class_name[256]; /* a.b.C.m, a.b.C */
	unsigned int stacks;		 /* with the method on it */
	uint32_t tid;			 /* of the last one */
};

struct active_list {
	struct active_method method[ACTIVE_METHODS];
	unsigned int count; /* more than ACTIVE_METHODS are not listed */
};

/*
 * The methods that the filters select and that are on a stack. The JVM's memory tells which methods match
 * (user/jvm/matches.h), and the line of the frame tells overloads apart; if the memory is unreadable, names decide.
 */
void active_find(struct active_list *out, const char *thread_dump, const struct target *t,
		 const struct filter_list *filters);

#endif
