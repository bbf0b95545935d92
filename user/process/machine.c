// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/machine.h"
#include "user/process/machine/machine.h"
#include "user/process/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MEMINFO_MOST 16384

/* The value in "name<spaces>: value", or NULL. */
static const char *machine_value_of(char *line, const char *name)
{
	char *value = strchr(line, ':');

	if (strncmp(line, name, strlen(name)) || !value)
		return NULL;
	value += 1 + strspn(value + 1, " \t");
	value[strcspn(value, "\n")] = 0;
	return value;
}

static void read_os(struct machine *m)
{
	struct utsname u;
	char line[256], name[128] = "";
	FILE *f = fopen("/etc/os-release", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "PRETTY_NAME=\"%127[^\"]\"", name) == 1)
			break;
	if (f)
		fclose(f);
	if (!uname(&u))
		snprintf(m->os, sizeof(m->os), "%s\nuname: %s %s %s %s", name, u.sysname, u.release, u.version,
			 u.machine);
}

static void machine_read_cpu(struct machine *m)
{
	char line[4096], vendor[64] = "";
	const char *value;
	uint32_t cores = 0, sockets = 0;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if ((value = machine_value_of(line, "model name")))
			snprintf(m->cpu, sizeof(m->cpu), "%s", value);
		else if ((value = machine_value_of(line, "vendor_id")))
			snprintf(vendor, sizeof(vendor), "%s", value);
		else if ((value = machine_value_of(line, "cpu cores")))
			cores = atoi(value);
		else if ((value = machine_value_of(line, "physical id")) && (uint32_t)atoi(value) >= sockets)
			sockets = atoi(value) + 1;
	}
	if (f)
		fclose(f);
	m->sockets = sockets ? sockets : 1;
	m->threads = sysconf(_SC_NPROCESSORS_ONLN);
	m->cores = cores ? cores * m->sockets : m->threads;
	snprintf(m->cpu_description, sizeof(m->cpu_description), "Vendor: %s, Model: %s", vendor, m->cpu);
}

void machine_read(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	read_os(m);
	machine_read_cpu(m);
	m->virtualization = hypervisor_name();
}

/* /proc/meminfo has lines such as "MemTotal:        4015228 kB". */
bool machine_memory(uint64_t *total, uint64_t *used)
{
	char *text = proc_read(getpid(), "../meminfo", MEMINFO_MOST, NULL);
	const char *all = text ? proc_status_value(text, "MemTotal") : NULL;
	const char *free_now = text ? proc_status_value(text, "MemAvailable") : NULL;
	uint64_t available = free_now ? strtoull(free_now, NULL, 10) << 10 : 0;

	*total = all ? strtoull(all, NULL, 10) << 10 : 0;
	*used = *total - available;
	free(text);
	return *total && available && available <= *total;
}

int machine_last_pid(void)
{
	char *text = proc_read(getpid(), "../loadavg", 128, NULL), *last = text ? strrchr(text, ' ') : NULL;
	int pid = last ? atoi(last) : 0;

	free(text);
	return pid;
}
