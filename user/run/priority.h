/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The priority of frtrace (nice(2)) on a machine whose CPUs are all busy. While hooks go in or come out the program
 * waits for frtrace, and while the queue fills up calls are about to be lost; then it is -20. Otherwise it is what
 * frtrace was started with, so that the program gets the CPU first. Without CAP_SYS_NICE it never changes.
 */
#ifndef USER_RUN_PRIORITY_H
#define USER_RUN_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

/* Raise it to -20. For the main thread. */
void priority_raise(void);

/*
 * Adapt it while a recording runs. `filling`: the queue fills up; then it is raised, and for PRIORITY_NS afterwards.
 * `now`: CLOCK_MONOTONIC, ns.
 */
#define PRIORITY_NS 5000000000LL
void priority_adapt(bool filling, int64_t now);

/*
 * Start a thread at nice -20 that does nothing but wait for `fd` to become readable and then raise the main thread's
 * priority if the queue fills up: the main thread itself may have to wait too long for a CPU. `is_filling` is called in
 * that thread, until priority_unwatch() has returned. Without memory or rights there is no such thread.
 */
void priority_watch(int fd, bool (*is_filling)(const void *of), const void *of);
void priority_unwatch(void);

#endif
