/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses among several executable mappings named libjvm.so the one that the JVM runs in. A program may map a
 * second file of that name, even below the JVM's. Most threads of a JVM wait in functions of libjvm, so its return
 * addresses are on their stacks.
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
 * The index of the range that most words at the top of the threads' stacks point into; at most 64 threads are
 * inspected. 0 if there are none, or without rights.
 */
size_t libjvm_choose(pid_t pid, const struct code_range *ranges, size_t count);

#endif
