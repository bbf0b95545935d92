/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's type information (BTF) says, beyond what CO-RE relocates. */
#ifndef USER_CAPTURE_KERNEL_BTF_H
#define USER_CAPTURE_KERNEL_BTF_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

/* Offset of a per-CPU variable in its section; -1: there is no such variable. */
int64_t kernel_btf_variable(const struct btf *btf, const char *name);

/* Offset in bytes of a member of a struct, also one in its unnamed structs and unions; -1: there is none. */
int64_t kernel_btf_member(const struct btf *btf, const char *type, const char *member);

bool kernel_btf_has_value(const struct btf *btf, const char *enumeration, const char *value);
bool kernel_btf_has_tracepoint(const struct btf *btf, const char *name);

#endif
