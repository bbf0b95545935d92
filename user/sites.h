/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF programs put on places in files. */
#ifndef USER_SITES_H
#define USER_SITES_H

#include "format/diag.h"

struct bpf_program;
struct bpf_link;

/*
 * Attach a program to the USDT site provider:name of the file that `path`
 * opens (also a mapped one that was removed, by /proc/PID/map_files), for every
 * process that has it mapped: the file is private to the target, and
 * the programs check their task.
 */
int site_attach_usdt(struct bpf_program *program, const char *path, const char *provider, const char *name,
		     struct bpf_link **link, struct diag *d);

#endif
