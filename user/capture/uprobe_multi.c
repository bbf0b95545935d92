// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/uprobe_multi.h"
#include "user/text/io.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

/* union bpf_attr for BPF_LINK_CREATE, as Linux 6.6 extends it. */
struct link_attr {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, semaphores, cookies;
	uint32_t count, multi_flags, pid, reserved;
};

int uprobe_multi_attach(int program, const struct uprobe_multi *places)
{
	const struct link_attr attr = {.program = program,
				       .attach_type = places->type ?: UPROBE_MULTI_ATTACH_TYPE,
				       .path = (uintptr_t)places->path,
				       .offsets = (uintptr_t)places->offsets,
				       .semaphores = (uintptr_t)places->semaphores,
				       .cookies = (uintptr_t)places->cookies,
				       .count = places->count,
				       .multi_flags = places->returns ? MULTI_RETURN : 0,
				       .pid = places->pid};
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/*
 * No link is made: "/" is not a regular file, which a kernel that knows these links finds out. The number -1 is no
 * process for a kernel that can limit a link to one; before 6.10 and its backports, a link was limited to one thread.
 */
static bool uprobe_multi_try(int program, int type)
{
	const uint64_t nowhere = 0;
	struct uprobe_multi places = {.type = type, .path = "/", .offsets = &nowhere, .count = 1};

	if (uprobe_multi_attach(program, &places) != -EBADF)
		return false;
	places.pid = -1;
	return uprobe_multi_attach(program, &places) == -EINVAL;
}

static bool uprobe_multi_has(int type)
{
	static const struct bpf_insn return_0[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = type);
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, NULL, "GPL", return_0, 2, &options);
	bool works = program >= 0 && uprobe_multi_try(program, type);

	io_close(program);
	return works;
}

bool uprobe_multi_works(void)
{
	static int works = -1;

	if (works < 0)
		works = uprobe_multi_has(UPROBE_MULTI_ATTACH_TYPE);
	return works;
}

bool uprobe_session_works(void)
{
	static int works = -1;

	if (works < 0)
		works = uprobe_multi_works() && uprobe_multi_has(UPROBE_SESSION_ATTACH_TYPE);
	return works;
}
