/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrong layouts: the fields of struct frt_layout by name, and misleading values. */
#ifndef TESTS_LIB_GARBLE_H
#define TESTS_LIB_GARBLE_H

#include "bpf/frtrace.h"

struct layout_field {
	const char *name;
	uint32_t at, size;
};

extern const struct layout_field layout_fields[];
extern const uint32_t layout_field_count;

/*
 * Damage a layout in the way identified by a number, and describe it in `log`. The first numbers change one field
 * each, all fields in turn and then again with another value; from GARBLE_SEVERAL on several fields change at
 * once.
 */
#define GARBLE_SEVERAL 1000000u

void garble_layout(struct frt_layout *l, uint32_t number, char *log, uint32_t log_size);

#endif
