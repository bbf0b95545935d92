// SPDX-License-Identifier: BSD-2-Clause
#include "user/sites.h"

#include <bpf/libbpf.h>
#include <errno.h>

int site_attach_usdt(struct bpf_program *program, const struct site *site, struct bpf_link **link, struct diag *d)
{
	*link = bpf_program__attach_usdt(program, site->pid, site->path, site->provider, site->name, NULL);
	if (*link)
		return 0;
	if (errno == EPERM || errno == EACCES)
		return diag_set(d, errno, "cannot put an uprobe on '%s': no right to; run it with sudo", site->path);
	return diag_errno(d, errno, "cannot put an uprobe on the USDT site %s:%s in '%s'", site->provider, site->name,
			  site->path);
}
