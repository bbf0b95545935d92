/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What looking at processes and clocks needs of the machine. Each machine's header has the same names:
 *
 *    tsc_now()			the time stamp counter of the CPU that runs this
 *    tsc_step()			ticks between two values that the counter can have; 0: about one
 *    tsc_order()		reads of memory after it are not made before reads of the clock in front of it
 *    TSC_SOURCE		what the kernel calls it as its clock source
 *    tsc_is_invariant()	does the processor promise that it is one clock for all CPUs?
 *    URETPROBE_CALL		the system call by which functions with uretprobes return; -1: there is none
 *    hypervisor_name()		of the hypervisor, as HotSpot names it; NULL: unknown
 */
#ifndef USER_PROCESS_THIS_MACHINE_H
#define USER_PROCESS_THIS_MACHINE_H

#if defined(__x86_64__)
#include "user/process/machine/x86_64.h"
#elif defined(__aarch64__)
#include "user/process/machine/aarch64.h"
#else
#error "frtrace knows x86_64 and aarch64"
#endif

#endif
