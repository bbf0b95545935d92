/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints events in the format of `jfr print --json`: {"recording": {"events": [{"type": ..., "values": {...}}, ...]}}.
 */
#ifndef USER_PRINT_EVENT_JSON_H
#define USER_PRINT_EVENT_JSON_H

#include "format/jfr/jfr_chunk.h"
#include "user/print/printer.h"

void event_json_begin(struct printer *p);
void event_json_put(struct printer *p, struct jfr_chunk *chunk, const struct jfr_event *e, bool first);
void event_json_end(struct printer *p);

#endif
