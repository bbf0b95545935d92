/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of several executable mappings named libjvm.so the JVM runs in. A program may map a second file of that name,
 * also below the JVM's. Most threads of a JVM wait in functions of libjvm, so its return addresses stand on their stacks.
 */
#ifndef USER_PROCESS_LIBJVM_H
#define USER_PROCESS_LIBJVM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct code_range {
	uint64_t start, end;
};

/*
 * The index of the range that most words on top of the stacks of the process's threads point into; at most 64 threads
 * are looked at. 0 when none does, or there is no right to look.
 */
size_t libjvm_choose(pid_t pid, const struct code_range *ranges, size_t count);

#endif
