/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's own method probes as the source of calls (--source=hotspot, source_hotspot): USDT sites in libjvm, which a JVM
 * passes that was started with -XX:+DTraceMethodProbes. Nothing is loaded into the JVM, and nothing is written to it.
 *
 * Each call of a chosen method is a record in the queue. This module makes spans of them, in TSC ticks, and keeps the
 * segment, which is frtrace's own (segment_make.h).
 */
#ifndef USER_CAPTURE_HOTSPOT_SOURCE_H
#define USER_CAPTURE_HOTSPOT_SOURCE_H

#include "format/diag.h"
#include "user/process/find.h"

/*
 * Does this JVM pass the probes? Returns 0, or -errno with the message: its libjvm has none, or it was started without the
 * flag.
 */
int hotspot_source_check(const struct target *t, struct diag *d);

#endif
