/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records that walk.bpf.c sends to bpf_walk.c. */
#ifndef LIVE_WALKED_H
#define LIVE_WALKED_H

#include "bpf/frtrace.h"

#define WALKED_FRAMES 128

struct walked {
	frt_u64 env; /* the thread's JNIEnv * */
	char name[16];
	frt_u32 count, end;
	struct frt_frame frames[WALKED_FRAMES];
};

#endif
