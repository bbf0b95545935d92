/* SPDX-License-Identifier: BSD-2-Clause */
/* What the JVM answers to the agent's hooks in a test. All of its threads are threads of the test. */
#ifndef TESTS_UNIT_AGENT_HOOKED_H
#define TESTS_UNIT_AGENT_HOOKED_H

#include "uprobes/agent/open_stack.h"
#include "uprobes/agent/stack_jvmti.h"
#include "uprobes/agent/stack_named.h"
#include "uprobes/agent/thread.h"
#include "tests/lib/new_control.h"

static uint32_t serials;
static uint32_t new_flags;	      /* of slots that are claimed from now on */
static struct thread_virtual running; /* java_id 0: a platform thread */
static const char *running_name = "vvvvv";
static bool mount_unseen; /* no carrier knows its virtual thread */
static bool over;	  /* no open call is on the stack */

uint32_t thread_identify(struct frt_slot *s, JNIEnv *env)
{
	s->flags |= new_flags;
	if (new_flags & FRT_SLOT_CARRIER && !mount_unseen)
		s->carrier = (struct frt_carrier){.java_id = running.java_id};
	return __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
}

enum stack_jvmti_answer stack_jvmti_take(const struct frt_slot *s, JNIEnv *e, uint32_t method, uint32_t depth,
					 uint32_t *id)
{
	return STACK_JVMTI_UNASKED;
}

struct frt_frame stack_named_first(void)
{
	return (struct frt_frame){0};
}

/* Whether ended calls hold places is in test_open_stack.c. */
uint32_t open_stack_ask(const struct frt_slot *s, JNIEnv *e, uint32_t method)
{
	return over ? 0 : s->depth;
}

uint64_t thread_running_id(JNIEnv *e, bool *is_virtual)
{
	*is_virtual = running.java_id != 0;
	return running.java_id;
}

bool thread_running_virtual(JNIEnv *env, uint64_t known, char *name, size_t size, struct thread_virtual *v)
{
	*v = running;
	if (running.java_id && running.java_id != known)
		memcpy(name, running_name, v->name_length);
	return running.java_id != 0;
}

#endif
