/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine, as jdk.OSInformation, jdk.CPUInformation and others describe it. */
#ifndef USER_PROCESS_MACHINE_H
#define USER_PROCESS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct machine {
	char os[512];
	char cpu[128];
	char cpu_description[512];
	uint32_t sockets, cores, threads;
	const char *virtualization; /* in HotSpot's words, where it knows the hypervisor; static */
};

void machine_read(struct machine *m);

/* Its memory in bytes, and how much is in use now: not even available by dropping caches. False: unknown. */
bool machine_memory(uint64_t *total, uint64_t *used);

/* The pid, of our namespace, that was given out last; 0: unknown. */
int machine_last_pid(void);

#endif
