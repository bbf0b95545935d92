/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the agent needs of the machine. Each machine's header has the same names:
 *
 *    sys_tsc()			the time stamp counter, the same on all CPUs; it has 2 to 4 GHz, but may rise in larger steps,
 *				and the processor may read it early
 *    sys_thread_pointer()	the thread pointer of the C library
 *    machine_dtv()		glibc's dtv of the running thread (its x.h of nptl: tcbhead_t)
 *    machine_stack_pointer()	of the running function
 *    order_stores()		the next stores are not seen before the last ones
 *    LOAD_U64, LOAD_U32, LOAD_U8	an instruction that loads *address into a register
 *    CALL_SITE_1, _2, _5	the whole body of a function that passes a site with 1, 2 or 5 arguments
 *    call6()			a system call
 *    machine_poll(), TRY_POLL	the system call that waits for one descriptor, a struct pollfd, and its harmless form for sys_try()
 *    machine_copy(), machine_fill()	memcpy() upwards, and memset(), without a call
 *    spawn()			clone(2) or clone3(2) with these two arguments; the child calls `work` and exits
 */
#ifndef AGENT_MACHINE_H
#define AGENT_MACHINE_H

#if defined(__x86_64__)
#include "uprobes/agent/machine/x86_64.h"
#elif defined(__aarch64__)
#include "uprobes/agent/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
