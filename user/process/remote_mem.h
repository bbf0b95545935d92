/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a running JVM, and the addresses of symbols that its libjvm exports. */
#ifndef USER_PROCESS_REMOTE_MEM_H
#define USER_PROCESS_REMOTE_MEM_H

#include "user/hotspot/mem.h"
#include "user/process/target.h"

struct remote_mem {
	struct mem mem; /* -EFAULT: not mapped; -ESRCH: the process is gone */
	int fd;		/* /proc/PID/mem; stays bound to this process if its pid is reused */
};

/* Returns 0; -EACCES, -EPERM: no rights; -ESRCH. */
int remote_mem_open(struct remote_mem *r, const struct target *t, struct diag *d);
void remote_mem_close(struct remote_mem *r);

/* The address at which t->libjvm is mapped. */
int remote_mem_find_libjvm(const struct target *t, uint64_t *base, struct diag *d);

/*
 * The addresses of symbols that the ELF image mapped at `base` exports, by its own dynamic section and GNU hash
 * table (System V ABI; https://sourceware.org/ml/binutils/2006-10/msg00377.html). Returns 0; -ENOENT: one is
 * missing; -EBADMSG: no such image.
 */
int remote_mem_find_symbols(const struct mem *m, uint64_t base, const char *const names[], size_t count,
			    uint64_t addresses[], struct diag *d);

#endif
