// SPDX-License-Identifier: BSD-2-Clause
/*
 * cli_fuzz [-n MUTANTS] [-t SECONDS] [-s SEED] [-l LINES] [-o DIR] RECORDING...
 *
 * Change recordings (jfr_mutate.h), and let the whole program read them: for each mutant a child runs some command lines
 * (cli_lines.h), one after the other. A child that crashes, hangs, leaks, or takes too much time, memory or output is a
 * finding: the mutant is kept in DIR. The same seed makes the same mutants. Without -n and -t it goes on until it is ended.
 * A RECORDING may be compressed. Status 1 if there was a finding.
 */
#include "tests/fuzz/cli_lines.h"
#include "tests/fuzz/jfr_mutate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#ifdef __SANITIZE_ADDRESS__
#define SLOWER 4 /* than without sanitizers; and their memory */
#define LEAKS  __lsan_do_recoverable_leak_check()
int __lsan_do_recoverable_leak_check(void);
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1:malloc_context_size=6:allocator_may_return_null=1:max_allocation_size_mb=2048:detect_leaks=1";
}
#else
#define SLOWER 1
#define LEAKS  0
#endif

#define CPU_MOST    1.0	       /* seconds of a run */
#define CPU_LIMIT   20	       /* of a child, which is ended then */
#define RSS_MOST    100	       /* MB of a run */
#define OUTPUT_MOST (50 << 20) /* bytes of a run */
#define SEEDS_MOST  64
#define LEAK_EVERY  16 /* mutants: a check takes as long as a run */

struct seed {
	const char *path;
	unsigned char *data;
	size_t size;
	struct mutated_file *parts;
};

/* What a child tells, even if it dies. */
struct told {
	size_t line, runs;
	double cpu;
	long rss;
	size_t slowest, largest; /* lines */
	char finding[256];
};

static struct seed seeds[SEEDS_MOST];
static size_t seed_count, lines_each = 4;
static uint64_t first_seed = 1, wanted;
static double seconds;
static const char *keep = "findings";
static struct told *told;
static volatile sig_atomic_t ended;

static void end(int signal_number)
{
	ended = 1;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static long rss_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void find(const char *what, double number)
{
	if (!told->finding[0])
		snprintf(told->finding, sizeof(told->finding), "%s: %g", what, number);
}

static void run_line(size_t line)
{
	double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	long rss = rss_kb();
	struct stat st;

	told->line = line;
	cli_run(line);
	told->runs++;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	rss = (rss_kb() - rss) / 1024;
	if (cpu > told->cpu) {
		told->cpu = cpu;
		told->slowest = line;
	}
	if (rss > told->rss) {
		told->rss = rss;
		told->largest = line;
	}
	if (cpu > CPU_MOST * SLOWER)
		find("seconds of CPU", cpu);
	if (rss > RSS_MOST * SLOWER)
		find("MB", rss);
	if (!stat("stdout", &st) && st.st_size > OUTPUT_MOST)
		find("bytes of output", st.st_size);
}

/* Some lines, or all: which ones, the seed says. */
static void child(uint64_t seed)
{
	struct rlimit cpu = {CPU_LIMIT, CPU_LIMIT + 1}, size = {2ll * OUTPUT_MOST, 2ll * OUTPUT_MOST};
	uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_FSIZE, &size);
	for (size_t i = 0; i < lines_each && i < cli_line_count; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		run_line(lines_each >= cli_line_count ? i : (state >> 33) % cli_line_count);
		if (told->finding[0])
			_exit(98);
	}
	if (seed % LEAK_EVERY == 0 && LEAKS)
		find("leaks", 1);
	_exit(told->finding[0] ? 98 : 0);
}

static void save(const struct bytes *mutant, uint64_t seed)
{
	char path[4096];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%llu.jfr", keep, (unsigned long long)seed);
	to = fopen(path, "wb");
	if (!to || fwrite(mutant->data, 1, mutant->size, to) != mutant->size || fclose(to))
		fprintf(stderr, "cli_fuzz: cannot write '%s'\n", path);
	else
		printf("  kept as %s\n", path);
}

static void show_stderr(void)
{
	FILE *from = fopen("stderr", "r");
	char line[512];
	int n = 0;

	while (from && fgets(line, sizeof(line), from) && n++ < 40)
		printf("    %s", line);
	if (from)
		fclose(from);
}

/* True: a finding. */
static bool try_mutant(const struct bytes *mutant, const struct seed *other, uint64_t seed)
{
	int status = 0;
	pid_t pid;

	cli_set_files(mutant->data, mutant->size, other->data, other->size);
	told->finding[0] = 0;
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(seed);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !status)
		return false;
	printf("FINDING: mutant %llu: %s: %s %d\n", (unsigned long long)seed, cli_text(told->line),
	       told->finding[0]	     ? told->finding
	       : WIFSIGNALED(status) ? "signal"
				     : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	save(mutant, seed);
	show_stderr();
	return true;
}

static void tell(uint64_t mutants, size_t findings)
{
	printf("%llu mutants, %zu runs, %zu findings; at most %.2f s of CPU (%s)", (unsigned long long)mutants,
	       told->runs, findings, told->cpu, cli_text(told->slowest));
	printf(", %ld MB (%s)\n", told->rss, cli_text(told->largest));
	fflush(stdout);
}

/* Mostly a small one: the description of types in a JVM's own recording takes longer to read than all the rest. */
static const struct seed *choose_seed(uint64_t seed)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15;
	const struct seed *a = &seeds[(state >> 40) % seed_count], *b = &seeds[(state >> 20 & 0xfffff) % seed_count];

	return (a->size < b->size) == ((state & 7) != 0) ? a : b;
}

static size_t fuzz(void)
{
	double began = now(CLOCK_MONOTONIC), due = began + 60;
	struct bytes mutant;
	size_t findings = 0;
	uint64_t n = 0;

	bytes_init(&mutant);
	for (; !ended && (!wanted || n < wanted); n++) {
		const struct seed *from = choose_seed(2 * (first_seed + n)),
				  *other = choose_seed(2 * (first_seed + n) + 1);
		double t = now(CLOCK_MONOTONIC);

		if (seconds && t - began > seconds)
			break;
		mutated_write(from->parts, first_seed + n, &mutant);
		findings += mutant.failed || try_mutant(&mutant, other, first_seed + n);
		if (t > due) {
			tell(n + 1, findings);
			due = t + 60;
		}
	}
	tell(n, findings);
	bytes_release(&mutant);
	return findings;
}

static bool read_seed(struct seed *s, const char *path)
{
	gzFile from = gzopen(path, "rb");
	size_t capacity = 4 << 20;
	int n = 0;

	s->path = path;
	s->data = malloc(capacity);
	if (from && s->data)
		n = gzread(from, s->data, capacity);
	if (from)
		gzclose(from);
	s->size = n > 0 ? n : 0;
	s->parts = s->size ? mutated_open(s->data, s->size) : NULL;
	if (!s->parts)
		fprintf(stderr, "cli_fuzz: '%s' is no recording\n", path);
	return s->parts;
}

static int usage(void)
{
	fprintf(stderr, "usage: cli_fuzz [-n MUTANTS] [-t SECONDS] [-s SEED] [-l LINES] [-o DIR] RECORDING...\n");
	return 2;
}

static bool take_options(int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "n:t:s:l:o:")) > 0) {
		switch (letter) {
		case 'n': wanted = strtoull(optarg, NULL, 0); break;
		case 't': seconds = atof(optarg); break;
		case 's': first_seed = strtoull(optarg, NULL, 0); break;
		case 'l': lines_each = strtoull(optarg, NULL, 0); break;
		case 'o': keep = optarg; break;
		default: return false;
		}
	}
	return optind < argc;
}

int main(int argc, char **argv)
{
	size_t findings;

	if (!take_options(argc, argv))
		return usage();
	for (; optind < argc && seed_count < SEEDS_MOST; optind++)
		if (!read_seed(&seeds[seed_count++], argv[optind]))
			return 2;
	mkdir(keep, 0700);
	keep = realpath(keep, NULL); /* the directory changes */
	if (!keep)
		return usage();
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 2;
	signal(SIGINT, end);
	signal(SIGTERM, end);
	cli_begin();
	findings = fuzz();
	cli_end();
	for (size_t i = 0; i < seed_count; i++) {
		mutated_close(seeds[i].parts);
		free(seeds[i].data);
	}
	return findings > 0;
}
