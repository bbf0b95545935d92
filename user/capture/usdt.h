/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF programs put on places in files. */
#ifndef USER_CAPTURE_USDT_H
#define USER_CAPTURE_USDT_H

#include "format/diag.h"

struct bpf_program;
struct bpf_link;

struct usdt_site {
	const char *path; /* opens the file; also a mapped one that was removed, by /proc/PID/map_files */
	int pid;	  /* only this process is to trap there; -1: the file is private to the target */
	const char *provider, *name;
};

/*
 * Attach a program to a USDT site; the programs check their task. -ENOENT: there is no such site. The file may be
 * forged: it is checked before libbpf reads it (elf_notes.h).
 */
int usdt_attach(struct bpf_program *program, const struct usdt_site *site, struct bpf_link **link, struct diag *d);

#endif
