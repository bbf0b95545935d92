/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attachment of a BPF program to USDT sites of a file: by one link where the kernel has such links, else by an uprobe
 * for each. Closing a link or an uprobe waits for a grace period of the kernel, some 50 ms.
 */
#ifndef USER_CAPTURE_USDT_H
#define USER_CAPTURE_USDT_H

#include "bpf/sites.h"
#include "format/diag.h"
#include "user/options/settings.h"

struct bpf_program;
struct usdt_link;

struct usdt_site {
	enum frt_site site; /* for the program's cookie */
	const char *provider, *name;
};

struct usdt_file {
	int fd;		  /* open for reading; borrowed */
	const char *path; /* for messages */
	int pid;	  /* trap in this process only; -1: the file is private to the target */
};

/*
 * Choose how the program is to be attached, before it is loaded. Returns 0, or -ENOTSUP with the message: this kernel
 * has no such links.
 */
int usdt_choose(struct bpf_program *program, enum settings_attach attach, struct diag *d);

/* Look for these sites, and attach to nothing. Returns 0, or -errno with the message as usdt_attach(). */
int usdt_find(const struct usdt_file *file, const struct usdt_site *sites, size_t count, struct diag *d);

/*
 * Attach the program to all places of these sites; the program itself must check its task. Returns 0, with *out for
 * usdt_detach(), or -errno with the message; -ENOENT: a site is missing; -ETIMEDOUT: a process holds the lock of its memory
 * map, and others than the target may map the file (map_lock.h). The file may be forged.
 */
int usdt_attach(struct usdt_link **out, struct bpf_program *program, const struct usdt_file *file,
		const struct usdt_site *sites, size_t count, struct diag *d);
void usdt_detach(struct usdt_link *l); /* or NULL */

#endif
