/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile JVM: this library is preloaded into a JVM and writes into the control segment that its agent shares with
 * frtrace. FRTRACE_ATTACK says how: "random SEED", "cells" or "stacks". It starts when the recording has started. The
 * program in the JVM must survive, so values that the agent itself needs are restored at once.
 */
#include "bpf/frtrace.h"
#include "user/process/tsc.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORKERS	     3u /* threads of AttackTarget: a slot that is forged before they have theirs might become theirs */
#define FIRST_FORGED 256u /* lower slots belong to the agent */
#define MOST_BYTES   64u

static char *base;
static struct frt_header *header;
static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint32_t below(uint32_t bound)
{
	return next_random() % bound;
}

/* 0, an extreme value, or a random one. */
static uint64_t odd_number(void)
{
	switch (below(6)) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return 1ULL << below(64);
	case 3: return below(1000);
	default: return next_random();
	}
}

static int open_segment(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir))) {
		char path[300], target[256] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (readlink(path, target, sizeof(target) - 1) > 0 && !strncmp(target, "/memfd:frtrace-", 15))
			fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return fd;
}

static void await_recording(void)
{
	int fd;

	while ((fd = open_segment()) < 0)
		usleep(10000);
	base = mmap(NULL, FRT_SEGMENT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		abort();
	header = (struct frt_header *)base;
	while (*(volatile frt_u32 *)&header->state != FRT_ACTIVE || *(volatile frt_u32 *)&header->slots < WORKERS)
		usleep(10000);
	usleep(300000); /* time for real calls with real stacks */
}

static struct frt_slot *slot_at(uint32_t number)
{
	return (struct frt_slot *)(base + FRT_SLOTS_AT) + number;
}

/* A slot whose `env` is set: the agent does not give it to a thread. */
static struct frt_slot *forge_slot(uint32_t number)
{
	struct frt_slot *s = slot_at(number);

	s->env = s->thread_pointer = 1;
	s->epoch = header->epoch;
	if (header->slots <= number)
		header->slots = number + 1;
	return s;
}

static void scribble_slot(void)
{
	struct frt_slot *s = forge_slot(FIRST_FORGED + below(FRT_MAX_SLOTS - FIRST_FORGED));
	uint32_t log2 = below(20);

	s->cells = (FRT_CELLS_AT + (uint64_t)below(FRT_CELLS_SIZE / 4096) * 4096) << 8 | (below(4) ? below(8) : log2);
	s->ring = (FRT_RINGS_AT + (uint64_t)below(FRT_RINGS_SIZE / 1024) * 1024) << 8 | (10 + below(6));
	s->head += below(8) ? 32 * below(300) : odd_number();
	s->depth = below(40);
	s->thread = header->thread_serial - below(8);
	s->exited = odd_number();
	s->recorded = odd_number();
	s->longest = odd_number();
	s->record_ticks = odd_number();
	s->open_dump_epoch = header->open_dump;
	s->open_dump_stack = (header->stack_next >> 32) - below(100);
	for (uint32_t i = 0; i < FRT_OPEN_CALLS; i++)
		s->open[i] = (struct frt_open_call){.start = odd_number(), .method = below(10)};
}

/* Write a span into a ring, of a slot or of none. */
static void scribble_span(void)
{
	struct frt_span s = {.start = tsc_now() - below(1u << 30),
			     .duration = below(2) ? below(100000) : odd_number(),
			     .method = below(8) ? below(12) : odd_number(),
			     .thread = header->thread_serial - below(16),
			     .stack = (header->stack_next >> 32) - below(200),
			     .flags = below(8),
			     .kind = below(5) ? FRT_SPAN : below(4)};

	memcpy(base + FRT_RINGS_AT + 32 * (uint64_t)below(FRT_RINGS_SIZE / 32), &s, sizeof(s));
}

static struct frt_frame odd_frame(void)
{
	uint64_t places[] = {(uintptr_t)base + below(FRT_SEGMENT_SIZE), (uintptr_t)&places,
			     (uintptr_t)&printf + below(1 << 20), odd_number(), below(12)};
	struct frt_frame f;

	for (size_t i = 0; i < sizeof(f); i++)
		((char *)&f)[i] = next_random();
	f.code = places[below(5)];
	f.at = below(2) ? f.code + below(4096) : odd_number();
	f.kind = below(8);
	return f;
}

static void add_stack(uint32_t count)
{
	uint64_t mine = __atomic_fetch_add(&header->stack_next, 1ULL << 32 | count, __ATOMIC_RELAXED);
	struct frt_frame *frames = (struct frt_frame *)(base + FRT_FRAMES_AT);
	struct frt_stack *row = (struct frt_stack *)(base + FRT_STACKS_AT) + (uint32_t)(mine >> 32) % FRT_STACKS;

	for (uint32_t i = 0; i < count; i++)
		frames[((uint32_t)mine + i) % (header->stack_frames ?: FRT_STACK_FRAMES)] = odd_frame();
	row->first = mine;
	row->count = below(50) ? count : odd_number();
	row->end = below(10);
	row->flags = below(4);
	__atomic_store_n(&row->id, mine >> 32, __ATOMIC_RELEASE);
}

/* This leaves the agent's own entries alone: only ids beyond them get random contents. */
static void scribble_table(void)
{
	static const struct {
		uint64_t at, size;
	} tables[] = {
		{FRT_METHODS_AT + 4096, 16 * FRT_MAX_METHODS - 4096},
		{FRT_CLASSES_AT + 4096, 16 * FRT_MAX_CLASSES - 4096},
		{FRT_LOADERS_AT + 4096, 16 * FRT_MAX_LOADERS - 4096},
		{FRT_SKIPS_AT, 16 * FRT_MAX_SKIPS},
		{FRT_STRINGS_AT + (1 << 20), FRT_STRINGS_SIZE - (1 << 20)},
		{FRT_THREADS_AT, 128 * FRT_MAX_THREADS},
		{FRT_VIRTUAL_NAMES_AT, 64 * FRT_VIRTUAL_CALLS},
		{FRT_CELLS_AT + FRT_CELLS_SIZE / 2, FRT_CELLS_SIZE / 2},
		{FRT_GROUPS_AT, 64ULL * FRT_MAX_GROUPS},
		{FRT_SHARED_AT, 64 * FRT_MAX_METHODS},
		{FRT_FRAMES_AT, 24 * FRT_STACK_FRAMES},
	};
	uint32_t t = below(sizeof(tables) / sizeof(*tables));
	uint64_t at = tables[t].at + next_random() % (tables[t].size - MOST_BYTES);

	for (uint32_t i = below(MOST_BYTES); i; i--)
		base[at + i] = below(2) ? 0 : next_random();
}

/* Change for a moment what the agent needs: fill levels of tables, and rows in use. */
static void flip_word(void)
{
	frt_u32 *words[] = {&header->methods,
			    &header->classes,
			    &header->loaders,
			    &header->recording[below(FRT_RECORDINGS)].skips,
			    &header->strings,
			    &header->slots,
			    &header->thread_serial,
			    &header->hook_ticks,
			    &header->open_dump,
			    &header->stack_frames,
			    (frt_u32 *)(base + FRT_METHODS_AT) + 4 * below(12) + below(4),
			    (frt_u32 *)(base + FRT_CLASSES_AT) + 4 * below(12) + below(4),
			    (frt_u32 *)(base + FRT_LOADERS_AT) + 4 * below(4) + below(4),
			    (frt_u32 *)(base + FRT_STRINGS_AT) + below(64),
			    (frt_u32 *)(base + FRT_HISTOGRAMS_AT) + below(256)};
	frt_u32 *word = words[below(sizeof(words) / sizeof(*words))], was = *word;

	*(volatile frt_u32 *)word = odd_number();
	if (!below(50))
		usleep(below(2000));
	*(volatile frt_u32 *)word = was;
}

static void scribble_header(void)
{
	header->recording[below(FRT_RECORDINGS)].unslotted = below(1000);
	header->recording[below(FRT_RECORDINGS)].dead_calls = below(1000);
	header->unbucketed = odd_number();
	header->retransform_ns = odd_number();
	header->stacks_off = below(1000);
	memset(header->message, next_random() | 1, sizeof(header->message));
	header->virtual_used = 1;
}

static void scribble_virtual(void)
{
	struct frt_virtual_call *c = (struct frt_virtual_call *)(base + FRT_VIRTUAL_AT) + below(FRT_VIRTUAL_CALLS);

	c->java_id = odd_number();
	c->method = below(12);
	c->carrier = header->thread_serial - below(8);
	c->stack = (header->stack_next >> 32) - below(100);
	c->open_dump = header->open_dump;
	c->start = odd_number();
}

static void write_randomly(void)
{
	static void (*const kinds[])(void) = {scribble_slot,  scribble_span,   scribble_span,
					      scribble_table, scribble_table,  flip_word,
					      flip_word,      scribble_header, scribble_virtual};

	for (unsigned int i = 0;; i++) {
		kinds[below(sizeof(kinds) / sizeof(*kinds))]();
		if (i % 64 == 0)
			add_stack(below(16) ? below(100) : below(FRT_MAX_DEPTH));
		if (i % 4096 == 0)
			usleep(1000);
	}
}

/* Let all slots share cells that change all the time. */
static void point_to_the_same_cells(void)
{
	struct frt_cell *cells = (struct frt_cell *)(base + FRT_CELLS_AT);

	for (;;)
		for (uint32_t i = 0; i < FRT_MAX_SLOTS; i++) {
			if (i >= FIRST_FORGED)
				forge_slot(i)->cells = (uint64_t)FRT_CELLS_AT << 8 | (16 + i % 2);
			cells[below(1u << 17)].count += FRT_RECENT;
		}
}

static void add_stacks(void)
{
	for (;;)
		add_stack(FRT_MAX_DEPTH);
}

static void *attack(void *how)
{
	await_recording();
	seed = 88172645463325252ULL;
	if (!strcmp(how, "cells"))
		point_to_the_same_cells();
	if (!strcmp(how, "stacks"))
		add_stacks();
	seed += strtoull((char *)how + strcspn(how, " "), NULL, 10);
	write_randomly();
	return NULL;
}

/* The thread blocks all signals: they belong to the JVM. */
__attribute__((constructor)) static void begin(void)
{
	const char *how = getenv("FRTRACE_ATTACK");
	sigset_t all, before;
	pthread_t thread;

	if (!how)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, attack, (void *)how))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
