// SPDX-License-Identifier: BSD-2-Clause
#include "user/sites.h"

#include <bpf/libbpf.h>
#include <errno.h>

int site_attach_usdt(struct bpf_program *program, const char *path, const char *provider, const char *name,
		     struct bpf_link **link, struct diag *d)
{
	*link = bpf_program__attach_usdt(program, -1, path, provider, name, NULL);
	if (*link)
		return 0;
	if (errno == EPERM || errno == EACCES)
		return diag_set(d, errno, "cannot put an uprobe on '%s': no right to; run it with sudo", path);
	return diag_errno(d, errno, "cannot put an uprobe on the USDT site %s:%s in '%s'", provider, name, path);
}
