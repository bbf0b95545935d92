// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/usdt.h"
#include "uprobes/elf/elf_notes.h"
#include "user/capture/uprobe_multi.h"
#include "user/capture/usdt_cookie.h"
#include "user/process/map_lock.h"
#include "user/process/rights.h"
#include "user/process/root_path.h"
#include "user/text/io.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#define MAX_PLACES 256

struct usdt_link {
	int multi; /* descriptor of the link; -1: there are uprobes */
	struct bpf_link *uprobes[MAX_PLACES];
	size_t count;
};

/* What a program is attached to. */
struct places {
	uint64_t offset[MAX_PLACES], semaphore[MAX_PLACES], cookie[MAX_PLACES];
	size_t count;
};

int usdt_choose(struct bpf_program *program, enum settings_attach attach, struct diag *d)
{
	bool multi = attach != SETTINGS_ATTACH_PERF && uprobe_multi_works();

	if (attach == SETTINGS_ATTACH_MULTI && !multi)
		return diag_set(d, ENOTSUP,
				"--attach=multi: this kernel has no uprobe_multi links for a whole process");
	if (multi)
		bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
	return 0;
}

static uint64_t site_cookie(enum frt_site site, const char *arguments)
{
	bool registers = site == FRT_SITE_METHOD_ENTRY || site == FRT_SITE_METHOD_RETURN;

	return (registers ? usdt_register_cookie : usdt_cookie)(site, arguments);
}

static int find_site(struct places *p, const struct elf_notes *notes, const struct usdt_site *site, const char *path,
		     struct diag *d)
{
	struct elf_note found[ELF_NOTES_MAX_SITES];
	int count = elf_notes_find(notes, site->provider, site->name, found, d);

	if (count < 0)
		return count;
	if (!count)
		return diag_set(d, ENOENT, "there is no USDT site %s:%s in '%s'", site->provider, site->name, path);
	for (int i = 0; i < count; i++, p->count++) {
		if (p->count == MAX_PLACES)
			return diag_set(d, E2BIG, "too many USDT sites in '%s'", path);
		p->offset[p->count] = found[i].offset;
		p->semaphore[p->count] = found[i].semaphore;
		p->cookie[p->count] = site_cookie(site->site, found[i].arguments);
		if (!p->cookie[p->count])
			return diag_set(d, ENOTSUP,
					"the arguments of %s:%s in '%s' are not where frtrace can read them: %s",
					site->provider, site->name, path, found[i].arguments);
	}
	return 0;
}

static int find_sites(struct places *p, const struct usdt_file *file, const struct usdt_site *sites, size_t count,
		      struct diag *d)
{
	struct elf_notes *notes;
	int err = elf_notes_read(&notes, file->fd, file->path, d);

	for (size_t i = 0; !err && i < count; i++)
		err = find_site(p, notes, &sites[i], file->path, d);
	elf_notes_free(notes);
	return err;
}

static int attach_multi(struct usdt_link *l, const struct bpf_program *program, const char *path, int pid,
			const struct places *p)
{
	const struct uprobe_multi places = {.path = path,
					    .pid = pid > 0 ? pid : 0,
					    .offsets = p->offset,
					    .semaphores = p->semaphore,
					    .cookies = p->cookie,
					    .count = p->count};

	l->multi = uprobe_multi_attach(bpf_program__fd(program), &places);
	return l->multi < 0 ? l->multi : 0;
}

static int attach_each(struct usdt_link *l, const struct bpf_program *program, const char *path, int pid,
		       const struct places *p)
{
	for (; l->count < p->count; l->count++) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = p->cookie[l->count],
			    .ref_ctr_offset = p->semaphore[l->count]);
		struct bpf_link *link =
			bpf_program__attach_uprobe_opts(program, pid, path, p->offset[l->count], &options);

		if (!link)
			return -errno;
		l->uprobes[l->count] = link;
	}
	return 0;
}

static int attach_places(struct usdt_link *l, const struct bpf_program *program, const struct usdt_file *file,
			 const struct places *p, struct diag *d)
{
	bool multi = (int)bpf_program__expected_attach_type(program) == UPROBE_MULTI_ATTACH_TYPE;
	enum right needed = multi ? RIGHT_PERFMON : RIGHT_UPROBES;
	char path[PLACE_FD_PATH], why[RIGHT_TEXT];
	int err;

	root_path_fd_path(file->fd, path);
	err = file->pid > 0 ? map_locks_check(d) : 0; /* others may map it, too */
	if (err)
		return err;
	map_guard_enter();
	err = (multi ? attach_multi : attach_each)(l, program, path, file->pid, p);
	map_guard_leave();
	if (err == -EPERM || err == -EACCES)
		return diag_set(d, -err, "cannot put an uprobe on '%s': no right to (%s): %s", file->path,
				right_why(needed, -err, why), right_advice());
	return err ? diag_errno(d, -err, "cannot put uprobes on the USDT sites in '%s'", file->path) : 0;
}

/* `out` may be NULL. */
static int usdt_places(struct places **out, const struct usdt_file *file, const struct usdt_site *sites, size_t count,
		       struct diag *d)
{
	struct places *p = calloc(1, sizeof(*p));
	int err = p ? find_sites(p, file, sites, count, d)
		    : diag_errno(d, ENOMEM, "cannot look for USDT sites in '%s'", file->path);

	if (err || !out)
		free(p);
	else
		*out = p;
	return err;
}

int usdt_find(const struct usdt_file *file, const struct usdt_site *sites, size_t count, struct diag *d)
{
	return usdt_places(NULL, file, sites, count, d);
}

static int attach_to(struct usdt_link *l, const struct bpf_program *program, const struct usdt_file *file,
		     const struct usdt_site *sites, size_t count, struct diag *d)
{
	struct places *p = NULL;
	int err = usdt_places(&p, file, sites, count, d);

	err = err ?: attach_places(l, program, file, p, d);
	free(p);
	return err;
}

int usdt_attach(struct usdt_link **out, struct bpf_program *program, const struct usdt_file *file,
		const struct usdt_site *sites, size_t count, struct diag *d)
{
	struct usdt_link *l = calloc(1, sizeof(*l));
	int err;

	*out = NULL;
	if (!l)
		return diag_errno(d, ENOMEM, "cannot put uprobes on '%s'", file->path);
	l->multi = -1;
	err = attach_to(l, program, file, sites, count, d);
	if (err)
		usdt_detach(l);
	else
		*out = l;
	return err;
}

void usdt_detach(struct usdt_link *l)
{
	if (!l)
		return;
	map_guard_enter();
	io_close(l->multi);
	while (l->count)
		bpf_link__destroy(l->uprobes[--l->count]);
	map_guard_leave();
	free(l);
}
