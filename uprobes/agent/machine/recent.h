/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The FRT_RECENT durations of a cell at a time, with the vector instructions that each machine has. The headers of the
 * machines have the same names:
 *
 *    bucket_vector, BUCKET_VECTORS	an array of so many of these has FRT_RECENT buckets, a uint16_t each
 *    buckets_of_recent()		timing_bucket_of() of each duration
 *    places_of()			bit i is set if the i-th bucket is this one
 *    sum_of_recent()			of the durations
 */
#ifndef AGENT_RECENT_H
#define AGENT_RECENT_H

#include "bpf/frtrace.h"

#include <stdint.h>

#if defined(__x86_64__)
#include "uprobes/agent/machine/recent_x86_64.h"
#else
#include "uprobes/agent/machine/recent_plain.h"
#endif

#endif
