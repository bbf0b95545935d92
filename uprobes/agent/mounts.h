/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual threads in traced calls, from carrier to carrier. The hooks are in java.lang.VirtualThread:
 *
 *    runContinuation()       mounts_mount(), on the carrier, before it becomes the virtual thread
 *    afterYield()            mounts_unmount(), on the carrier, before anybody else can resume the thread
 *    afterDone()             mounts_end()
 *    *ubmitRunContinuation() mounts_ready(), on whichever thread makes it runnable
 *    yieldContinuation()     mounts_waits() and mounts_waited(), on the virtual thread itself, for FRT_WAIT_PARKED;
 *                            not called when it waits for a monitor
 *    sleepNanos(), tryYield()  the same around that, for FRT_WAIT_SLEEP and FRT_WAIT_CARRIER
 *
 * and in sun.nio.ch.Poller and EPollPoller:
 *
 *    poll(), pollSelector()  mounts_polls() and mounts_polled(), on the virtual thread, which waits for a descriptor in it,
 *                            or, since JDK 24, for a selector, of whose descriptor it is
 *    implRegister()          mounts_registers() and mounts_registered(), on the thread that gives it to the poller
 *
 * JDK 21 to 28 have all of them. They are private, so that is known from their bytecode only (rewrite.c looks for the
 * names). While a thread in a call is on no carrier, what must be known of it stands in a private table. No locks.
 */
#ifndef AGENT_MOUNTS_H
#define AGENT_MOUNTS_H

#include "uprobes/agent/nesting.h"

#include <jni.h>

/* Before a recording: forget all threads. */
void mounts_begin(void);

void JNICALL mounts_mount(JNIEnv *env, jclass helper, jlong java_id);
void JNICALL mounts_unmount(JNIEnv *env, jclass helper, jlong java_id);
void JNICALL mounts_end(JNIEnv *env, jclass helper, jlong java_id);
void JNICALL mounts_ready(JNIEnv *env, jclass helper, jlong java_id);
jlong JNICALL mounts_waits(JNIEnv *env, jclass helper, jint reason);
void JNICALL mounts_waited(JNIEnv *env, jclass helper, jlong start, jint reason);
jlong JNICALL mounts_polls(JNIEnv *env, jclass helper, jint descriptor, jint reason);
void JNICALL mounts_polled(JNIEnv *env, jclass helper, jlong start, jint reason);
jlong JNICALL mounts_registers(JNIEnv *env, jclass helper, jint descriptor, jint reason);
void JNICALL mounts_registered(JNIEnv *env, jclass helper, jlong poll, jint reason);

/* A call begins on a carrier. The kernel's half must see it before the call's stamp is taken. */
static inline void mounts_enter(struct frt_slot *s)
{
	struct frt_carrier *c = &s->carrier;

	if (!c->java_id || c->depth++)
		return;
	c->since = slot_stamp(s);
	store_release(&s->virtual_key, frt_virtual_key(c->java_id));
}

/*
 * A call ends on a carrier. It is not followed if it began before `since`: the thread was on a carrier, or came from
 * one, that the agent did not know.
 */
static inline void mounts_leave(struct frt_slot *s, uint64_t start)
{
	struct frt_carrier *c = &s->carrier;

	c->followed = c->java_id && c->depth && start >= c->since;
	if (c->followed && !--c->depth)
		store_relaxed(&s->virtual_key, 0);
}

/* Was the call that has just ended followed? The stream has named the running thread. */
static inline bool mounts_followed(const struct frt_slot *s)
{
	return s->carrier.followed && s->carrier.java_id == s->vthread;
}

#endif
