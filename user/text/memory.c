// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/memory.h"
#include "user/exit.h"
#include "user/text/log.h"

#include <stdlib.h>

void memory_exhausted(void)
{
	log_error("frtrace: out of memory");
	exit(EXIT_FAILED);
}
