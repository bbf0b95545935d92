/* SPDX-License-Identifier: BSD-2-Clause */
/* See machine.h. */
#ifndef USER_PROCESS_MACHINE_X86_64_H
#define USER_PROCESS_MACHINE_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <x86intrin.h>

static inline uint64_t tsc_now(void)
{
	return __rdtsc();
}

static inline uint64_t tsc_step(void)
{
	return 0;
}

static inline void tsc_order(void)
{
	__builtin_ia32_lfence();
}

#define TSC_SOURCE "tsc"

/* CPUID 80000007h, EDX bit 8 (Intel SDM volume 3, 18.17.1). */
static inline bool tsc_is_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

#define URETPROBE_CALL 335

/* CPUID 1, ECX bit 31, tells of a hypervisor, and 40000000h has its name in EBX, ECX and EDX. */
static inline const char *hypervisor_name(void)
{
	static const struct {
		char vendor[13];
		const char *name;
	} known[] = {
		{"KVMKVMKVM", "KVM virtualization detected"},
		{"VMwareVMware", "VMWare virtualization detected"},
		{"Microsoft Hv", "Hyper-V virtualization detected"},
		{"XenVMMXenVMM", "Xen hardware-assisted virtualization detected"},
	};
	char vendor[13] = "";
	unsigned int a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return "No virtualization detected";
	__cpuid(0x40000000, a, b, c, d);
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &c, 4);
	memcpy(vendor + 8, &d, 4);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(vendor, known[i].vendor) == 0)
			return known[i].name;
	return "Virtualization detected";
}

#endif
