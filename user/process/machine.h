/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine, as jdk.OSInformation and jdk.CPUInformation describe it. */
#ifndef USER_PROCESS_MACHINE_H
#define USER_PROCESS_MACHINE_H

#include <stdint.h>

struct machine {
	char os[512];
	char cpu[128];
	char cpu_description[512];
	uint32_t sockets, cores, threads;
};

void machine_read(struct machine *m);

#endif
