// SPDX-License-Identifier: BSD-2-Clause
/*
 * switches PID FILE: write a line for each time that a thread of the process leaves a CPU ("TID NS out") or gets one
 * ("TID NS in"; CLOCK_MONOTONIC) into FILE, until SIGINT or SIGTERM. They come from PERF_RECORD_SWITCH_CPU_WIDE, see
 * perf_event_open(2), in the order of each CPU. Status 1, with a line, if any was lost.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPUS  256
#define BYTES (4u << 20) /* of a CPU's buffer */

/* What sample_id_all appends to each record. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

static volatile sig_atomic_t ends;
static uint64_t lost;

static void on_signal(int number)
{
	(void)number;
	ends = 1;
}

static void take(const struct perf_event_header *h, uint32_t pid, FILE *out)
{
	struct sample_id id;

	memcpy(&id, (const char *)h + h->size - sizeof(id), sizeof(id));
	if (h->type == PERF_RECORD_LOST)
		lost += ((const uint64_t *)(h + 1))[1];
	else if (h->type == PERF_RECORD_SWITCH_CPU_WIDE && id.pid == pid)
		fprintf(out, "%u %llu %s\n", id.tid, (unsigned long long)id.time,
			h->misc & PERF_RECORD_MISC_SWITCH_OUT ? "out" : "in");
}

static void drain(struct perf_event_mmap_page *page, uint32_t pid, FILE *out)
{
	const char *data = (const char *)page + page->data_offset;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	_Alignas(8) char record[UINT16_MAX];

	while (tail < head) {
		const struct perf_event_header *at = (const void *)(data + tail % BYTES);
		uint16_t size = at->size;

		for (uint16_t i = 0; i < size; i++) /* a record may wrap around */
			record[i] = data[(tail + i) % BYTES];
		take((const void *)record, pid, out);
		tail += size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

static int open_cpu(int cpu)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_SW_DUMMY,
				    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
				    .sample_id_all = 1,
				    .context_switch = 1,
				    .use_clockid = 1,
				    .clockid = CLOCK_MONOTONIC,
				    .watermark = 1,
				    .wakeup_watermark = BYTES / 8};

	return (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct perf_event_mmap_page *page[CPUS];
	struct pollfd fds[CPUS];
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	FILE *out = argc == 3 ? fopen(argv[2], "w") : NULL;
	uint32_t pid = out ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;

	if (!out || cpus > CPUS)
		return 2;
	setpriority(PRIO_PROCESS, 0, -20);
	sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
	sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
	for (int i = 0; i < cpus; i++) {
		fds[i] = (struct pollfd){open_cpu(i), POLLIN, 0};
		page[i] = mmap(NULL, BYTES + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
			       fds[i].fd, 0);
		if (page[i] == MAP_FAILED) {
			fprintf(stderr, "switches: CPU %d: %s\n", i, strerror(errno));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (bool last = false; !last;) {
		last = ends;
		if (!last)
			poll(fds, (nfds_t)cpus, 100);
		for (int i = 0; i < cpus; i++)
			drain(page[i], pid, out);
	}
	if (lost)
		fprintf(stderr, "switches: %llu records lost\n", (unsigned long long)lost);
	return fclose(out) || lost ? 1 : 0;
}
