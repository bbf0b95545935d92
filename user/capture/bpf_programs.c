// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/bpf_programs.h"
#include "user/capture/usdt.h"
#include "user/process/rights.h"
#include "user/text/log.h"

#include "frtrace.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define VERIFIER_LINES	   8
#define WAKE_LEVEL	   (4u << 20) /* bytes */
#define WAKE_LEVEL_OF_MANY (2u << 20)
#define QUEUE_OF_MANY	   (8u << 20) /* the kernel allocates it as a whole */

/* Print a message's first line and its last ones: at the end of its log the verifier says what it refuses. */
static void log_ends(char *text)
{
	char *line = strtok_r(text, "\n", &text), *last[VERIFIER_LINES] = {NULL};
	size_t n = 0;

	if (line)
		log_detail("%s", line);
	while ((line = strtok_r(NULL, "\n", &text)))
		last[n++ % VERIFIER_LINES] = line;
	for (size_t i = n > VERIFIER_LINES ? n - VERIFIER_LINES : 0; i < n; i++)
		log_detail("  %s", last[i % VERIFIER_LINES]);
}

static int on_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text;

	if (level == LIBBPF_DEBUG || vasprintf(&text, format, args) < 0)
		return 0;
	log_ends(text);
	free(text);
	return 0;
}

extern const char plain_image[], plain_image_end[];

static enum right missing_right(void)
{
	return right_held(RIGHT_BPF) ? RIGHT_PERFMON : RIGHT_BPF;
}

/* Programs on the scheduler's tracepoints have storage for each task since Linux 5.13. */
static bool kernel_is_too_old(const struct utsname *u)
{
	int major, minor;

	return sscanf(u->release, "%d.%d", &major, &minor) == 2 && (major < 5 || (major == 5 && minor < 13));
}

static int try_map(enum bpf_map_type type, uint32_t key_size, uint32_t entries)
{
	int fd = bpf_map_create(type, NULL, key_size, key_size, entries, NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Returns why BPF ring buffers alone are refused, -errno, or 0. */
static int ring_refused(void)
{
	int err = try_map(BPF_MAP_TYPE_RINGBUF, 0, sysconf(_SC_PAGESIZE));

	return err && !try_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 1) ? err : 0;
}

static int load_failed(int err, struct diag *d)
{
	char why[RIGHT_TEXT];
	struct utsname u;

	if (rights_check_bpf(d))
		return -err;
	/* the verifier, too, says EACCES */
	if ((err == EPERM || err == EACCES) && !right_held(missing_right()))
		return diag_set(d, err, "cannot load BPF programs: no right to (%s): %s",
				right_why(missing_right(), err, why), right_advice());
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return diag_set(d, err,
				"cannot load BPF programs: this kernel has no BTF (/sys/kernel/btf/vmlinux); "
				"it needs CONFIG_DEBUG_INFO_BTF=y");
	if (!uname(&u) && kernel_is_too_old(&u))
		return diag_set(d, err, "cannot load BPF programs: frtrace needs Linux 5.13 or later, this is %s",
				u.release);
	return diag_errno(d, err, "cannot load BPF programs (-v shows why)");
}

/*
 * Kernels before 5.16, and those that cannot compile such calls, refuse a program with a call of a function that they do
 * not have, even where it is never reached.
 */
static bool takes_unknown_calls(void)
{
	const struct bpf_insn program[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_JEQ | BPF_K, .off = 1},
		{.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", program, sizeof(program) / sizeof(program[0]),
			       NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The programs without such calls, in the same skeleton. */
static struct frtrace_bpf *open_plain(void)
{
	struct frtrace_bpf *bpf = calloc(1, sizeof(*bpf));
	int err = bpf ? frtrace_bpf__create_skeleton(bpf) : -ENOMEM;

	if (!err) {
		bpf->skeleton->data = (void *)plain_image;
		bpf->skeleton->data_sz = plain_image_end - plain_image;
		err = bpf_object__open_skeleton(bpf->skeleton, NULL);
	}
	if (!err)
		return bpf;
	frtrace_bpf__destroy(bpf);
	errno = -err;
	return NULL;
}

int bpf_programs_open(struct frtrace_bpf **out, struct diag *d)
{
	libbpf_set_print(on_libbpf);
	*out = takes_unknown_calls() ? frtrace_bpf__open() : open_plain();
	return *out ? 0 : load_failed(errno, d);
}

int bpf_variables_mapped(bool mapped, struct diag *d)
{
	return mapped ? 0
		      : diag_set(d, ENOTSUP,
				 "cannot load BPF programs: libbpf could not map their variables (-v shows why)");
}

int bpf_programs_load_opened(struct frtrace_bpf *bpf, struct diag *d)
{
	int err = frtrace_bpf__load(bpf);
	int ring = err && bpf_map__autocreate(bpf->maps.queue) ? ring_refused() : 0;

	if (ring)
		return diag_errno(d, -ring,
				  "cannot load BPF programs: the BPF ring buffer is refused, use --buffer=perf");
	if (err)
		return load_failed(-err, d);
	return bpf_variables_mapped(bpf->rodata && bpf->data && bpf->bss, d);
}

static int load_opened(struct frtrace_bpf *bpf, enum settings_attach attach, struct diag *d)
{
	int err = usdt_choose(bpf->progs.agent_site, attach, d) ?: usdt_choose(bpf->progs.jvm_site, attach, d);

	return err ?: bpf_programs_load_opened(bpf, d);
}

/* Only the maps of that buffer are made: a policy may forbid the other ones. */
static void choose_buffer(struct frtrace_bpf *bpf, bool perf)
{
	int cpus = libbpf_num_possible_cpus();

	bpf->rodata->perf_buffers = perf;
	bpf_map__set_autocreate(bpf->maps.queue, !perf);
	bpf_map__set_autocreate(bpf->maps.perf_queue, perf);
	bpf_map__set_autocreate(bpf->maps.staging, perf);
	bpf_map__set_max_entries(bpf->maps.staging, cpus > 0 ? cpus : 1);
}

/* The program and the maps of HotSpot's own probes are loaded if these are the source of calls. */
static int choose_probes(struct frtrace_bpf *bpf, const struct settings *settings, struct diag *d)
{
	bool wanted = settings->source == SETTINGS_SOURCE_HOTSPOT;
	struct bpf_map *maps[] = {bpf->maps.hotspot_classes, bpf->maps.hotspot_methods, bpf->maps.hotspot_missed,
				  bpf->maps.hotspot_counts,  bpf->maps.hotspot_threads, bpf->maps.hotspot_java_threads,
				  bpf->maps.hotspot_stacks,  bpf->maps.codes,		bpf->maps.call_stacks};

	bpf_program__set_autoload(bpf->progs.hotspot_site, wanted);
	bpf_program__set_autoload(bpf->progs.hotspot_open, wanted);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		bpf_map__set_autocreate(maps[i], wanted);
	return wanted ? usdt_choose(bpf->progs.hotspot_site, settings->attach, d) : 0;
}

static int load_with(struct frtrace_bpf **out, struct kernel_probes *k, enum settings_kernel kernel,
		     const struct settings *settings, const struct target *t, struct diag *d)
{
	struct frtrace_bpf *bpf;
	int err = bpf_programs_open(&bpf, d);

	if (err)
		return err;
	bpf->bss->wake_level = WAKE_LEVEL;
	if (settings->one_of_many) {
		bpf->bss->wake_level = WAKE_LEVEL_OF_MANY;
		bpf_map__set_max_entries(bpf->maps.queue, QUEUE_OF_MANY);
	}
	choose_buffer(bpf, settings->buffer == SETTINGS_BUFFER_PERF);
	bpf_program__set_autoload(bpf->progs.process_exec, false);
	bpf_map__set_autocreate(bpf->maps.execs, false);
	kernel_probes_choose(k, bpf, kernel, settings, t->own_monotonic_offset);
	err = choose_probes(bpf, settings, d) ?: load_opened(bpf, settings->attach, d);
	if (err)
		frtrace_bpf__destroy(bpf);
	else
		*out = bpf;
	return err;
}

static int load_all_or_less(struct frtrace_bpf **out, struct kernel_probes *k, const struct settings *settings,
			    const struct target *t, struct diag *d)
{
	enum settings_kernel kernel = settings->kernel;
	char why[RIGHT_TEXT];
	int err;

	if (kernel && !load_with(out, k, kernel, settings, t, &k->why))
		return 0;
	if (kernel && settings->cpu_ns && right_held(missing_right())) {
		diag_set(&k->no_samples, ENOTSUP, "this kernel refuses the program that takes them (-v shows why)");
		if (!load_with(out, k, kernel, settings, t, &k->why)) {
			k->why = (struct diag){0};
			return 0;
		}
		k->no_samples = (struct diag){0}; /* it was not that */
	}
	err = load_with(out, k, SETTINGS_KERNEL_OFF, settings, t, d);
	if (!err && kernel && !right_held(missing_right()))
		diag_set(&k->why, EPERM, "no right to follow the scheduler (%s): %s",
			 right_why(missing_right(), EPERM, why), right_advice());
	else if (!err && kernel)
		diag_set(&k->why, ENOTSUP,
			 "this kernel refuses programs on its scheduler's tracepoints (-v shows why)");
	return err;
}

/*
 * The kernel's types, 5 MB, are read twice, here and by libbpf, through several buffers. Keep what is freed for the next
 * one: pages that are new each time cost more than the rest of loading.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

int bpf_programs_load(struct frtrace_bpf **out, struct kernel_probes *k, const struct settings *settings,
		      const struct target *t, struct diag *d)
{
	int err;

	keep_memory();
	err = load_all_or_less(out, k, settings, t, d);
	malloc_trim(0);
	return err;
}
