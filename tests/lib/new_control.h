/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_LIB_NEW_CONTROL_H
#define TESTS_LIB_NEW_CONTROL_H

#include "uprobes/agent/control.h"
#include "tests/lib/test.h"

#include <sys/mman.h>

/* A control segment that is new, instead of that of the case before. */
static bool new_control(void)
{
	if (control)
		munmap(control, FRT_SEGMENT_SIZE);
	return control_create("unit");
}

#endif
