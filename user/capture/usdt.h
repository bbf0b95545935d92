/* SPDX-License-Identifier: BSD-2-Clause */
/* Attachment of BPF programs to USDT sites in files. */
#ifndef USER_CAPTURE_USDT_H
#define USER_CAPTURE_USDT_H

#include "format/diag.h"

struct bpf_program;
struct bpf_link;

struct usdt_site {
	const char *path; /* opens the file; /proc/PID/map_files for a mapped file that was deleted */
	int pid;	  /* trap in this process only; -1: the file is private to the target */
	const char *provider, *name;
};

/*
 * Attach a program to a USDT site; the program itself must check its task. Returns 0 or -errno with the message;
 * -ENOENT: no such site. The file may be forged: it is checked before libbpf reads it (elf_notes.h).
 */
int usdt_attach(struct bpf_program *program, const struct usdt_site *site, struct bpf_link **link, struct diag *d);

#endif
