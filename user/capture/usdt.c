// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/usdt.h"
#include "user/capture/elf_notes.h"
#include "user/process/rights.h"
#include "user/process/root_path.h"

#include <bpf/libbpf.h>
#include <errno.h>

static int attach_checked(struct bpf_program *program, const struct usdt_site *site, int fd, struct bpf_link **link,
			  struct diag *d)
{
	int err = elf_notes_check(fd, site->path, site->provider, site->name, d);
	char own[PLACE_FD_PATH], why[RIGHT_TEXT];

	if (err == -ENOENT)
		return diag_set(d, ENOENT, "there is no USDT site %s:%s in '%s'", site->provider, site->name,
				site->path);
	if (err)
		return err;
	root_path_fd_path(fd, own); /* the file that was checked, whatever the path leads to now */
	*link = bpf_program__attach_usdt(program, site->pid, own, site->provider, site->name, NULL);
	if (*link)
		return 0;
	if (errno == EPERM || errno == EACCES)
		return diag_set(d, errno, "cannot put an uprobe on '%s': no right to (%s): %s", site->path,
				right_why(RIGHT_PROBE, errno, why), right_advice());
	return diag_errno(d, errno, "cannot put an uprobe on the USDT site %s:%s in '%s'", site->provider, site->name,
			  site->path);
}

int usdt_attach(struct bpf_program *program, const struct usdt_site *site, struct bpf_link **link, struct diag *d)
{
	int path = open(site->path, O_PATH | O_CLOEXEC), fd, err;

	if (path < 0)
		return diag_errno(d, errno, "cannot open '%s'", site->path);
	fd = root_path_open_again(NULL, path, O_RDONLY, INT64_MAX);
	if (fd < 0)
		return diag_errno(d, -fd, "cannot open '%s'", site->path);
	err = attach_checked(program, site, fd, link, d);
	close(fd);
	return err;
}
