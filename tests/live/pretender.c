/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pretender HOW LIBJVM: a process that looks like a JVM, answers attach requests, and then pretends that the agent was
 * loaded: it makes the control segment itself and answers commands. HOW is what is wrong with it:
 *
 *	silent		no command is answered
 *	unsealed	the segment has no seals, and is truncated again and again
 *	punched		its pages are taken away (fallocate(2)), which no seal forbids
 *	random		its words are odd numbers, which change all the time
 *	fifo, sparse	the descriptor with the name of the agent's file is of a FIFO, or of a file of 64 GB
 *	endless		a thread dump never ends
 *
 * Prints "ready". Arguments after these are ignored.
 */
#include "bpf/frtrace.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HOLE (1 << 20)

static const char *how;
static struct frt_header *header;
static int segment = -1;
static volatile bool started;

static bool is(const char *name)
{
	return !strcmp(how, name);
}

static void survive(int signal)
{
}

/* 0, an extreme value, a power of two, or a random number. */
static uint64_t odd_number(unsigned int *seed)
{
	uint64_t n = (uint64_t)rand_r(seed) << 32 ^ rand_r(seed);

	switch (rand_r(seed) % 5) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return 1ull << n % 64;
	case 3: return n % 1000;
	default: return n;
	}
}

/* Recordings go on while their states say so. */
static bool is_state(size_t word)
{
	for (int i = 0; i < FRT_RECORDINGS; i++)
		if (word == ((char *)&header->recording[i].state - (char *)header) / 8)
			return true;
	return false;
}

static void forge_words(unsigned int *seed)
{
	const size_t kept = offsetof(struct frt_header, command) / 8, end = kept + sizeof(struct frt_command) / 8 + 1;

	for (int i = 0; i < 4096; i++) {
		/* half of them where tables have their numbers of rows */
		size_t at = 1 + rand_r(seed) % (i % 2 ? sizeof(*header) / 8 - 1 : FRT_SEGMENT_SIZE / 8 - 1);

		if ((at < kept || at >= end) && !is_state(at))
			((volatile uint64_t *)header)[at] = odd_number(seed);
	}
}

static void *attack(void *unused)
{
	unsigned int seed = 1;

	for (;; usleep(1000)) {
		if (is("unsealed") && segment >= 0) {
			if (ftruncate(segment, 0) || ftruncate(segment, FRT_SEGMENT_SIZE))
				return NULL;
		} else if (started && is("random")) {
			forge_words(&seed);
		} else if (started && is("punched")) {
			fallocate(segment, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  4096 + (rand_r(&seed) % (FRT_SEGMENT_SIZE / HOLE)) * (off_t)HOLE, HOLE);
		}
	}
	return unused;
}

static void *answer(void *unused)
{
	for (;; usleep(500)) {
		struct frt_command *c = &header->command;
		uint32_t number = __atomic_load_n(&c->number, __ATOMIC_ACQUIRE);

		if (number == c->answered || is("silent"))
			continue;
		started |= c->kind == FRT_COMMAND_START;
		header->recording[c->recording % FRT_RECORDINGS].state =
			c->kind == FRT_COMMAND_STOP ? FRT_IDLE : FRT_ACTIVE;
		c->result = 0;
		__atomic_store_n(&c->answered, number, __ATOMIC_RELEASE);
	}
	return unused;
}

static void make_segment(const char *tag)
{
	char name[64];
	pthread_t thread;

	snprintf(name, sizeof(name), "frtrace-%s", tag);
	segment = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (ftruncate(segment, FRT_SEGMENT_SIZE))
		exit(4);
	header = mmap(NULL, FRT_SEGMENT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
	if (header == MAP_FAILED)
		exit(4);
	*header = (struct frt_header){.magic = FRT_MAGIC, .size = FRT_SEGMENT_SIZE, .pid = getpid()};
	if (!is("unsealed")) {
		fcntl(segment, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
		pthread_create(&thread, NULL, answer, NULL);
	}
	pthread_create(&thread, NULL, attack, NULL);
}

/* The descriptor of the agent's file, which stays open. */
static void keep_file(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char other[300];
	int fd;

	mkdir("forged", 0777);
	snprintf(other, sizeof(other), "forged/%s", name);
	if (is("fifo"))
		mkfifo(other, 0666);
	if (is("sparse"))
		close(open(other, O_RDWR | O_CREAT, 0777));
	fd = open(is("fifo") || is("sparse") ? other : path, is("fifo") ? O_RDWR : O_RDONLY);
	if (is("sparse") && truncate(other, 64ll << 30))
		exit(5);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(path, O_RDONLY), 0);
	if (fd < 0)
		exit(5);
}

/* "1\0COMMAND\0A\0B\0C\0" */
static bool read_request(int fd, char *out, size_t size, const char *words[5])
{
	size_t used = 0, zeros = 0, at = 0;

	while (zeros < 5 && used < size && read(fd, out + used, 1) == 1)
		zeros += !out[used++];
	for (int i = 0; zeros == 5 && i < 5; i++) {
		words[i] = out + at;
		at += strlen(out + at) + 1;
	}
	return zeros == 5;
}

static void serve(int fd)
{
	static const char line[] = "\"main\" #1 prio=5 os_prio=0 cpu=1ms elapsed=1s tid=0x00007f00 nid=0x1 runnable\n";
	static char request[8192];
	const char *words[5];

	if (!read_request(fd, request, sizeof(request), words))
		return;
	if (!strcmp(words[1], "load")) {
		keep_file(words[2]);
		make_segment(words[4] + strlen("init "));
		dprintf(fd, "0\nreturn code: 0\n");
		return;
	}
	dprintf(fd, "0\n");
	while (write(fd, line, sizeof(line) - 1) > 0 && is("endless"))
		;
}

int main(int argc, char **argv)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), library = argc > 2 ? open(argv[2], O_RDONLY) : -1;

	if (library < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, library, 0) == MAP_FAILED)
		return 1;
	how = argv[1];
	prctl(PR_SET_NAME, "Service Thread");
	signal(SIGQUIT, survive);
	signal(SIGPIPE, SIG_IGN);
	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/.java_pid%d", (int)getpid());
	unlink(a.sun_path);
	umask(0177);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 8))
		return 3;
	umask(0);
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			continue;
		serve(fd);
		close(fd);
	}
}
