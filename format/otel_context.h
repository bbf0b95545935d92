/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the message with which a program says what it is, for tools outside of it: ProcessContext of OpenTelemetry's
 * process context (OTEP 4719), with messages of opentelemetry-proto (resource/v1, common/v1):
 *
 *    ProcessContext { Resource resource = 1; repeated KeyValue attributes = 2; }
 *    Resource       { repeated KeyValue attributes = 1; ... }
 *    KeyValue       { string key = 1; AnyValue value = 2; }
 *    AnyValue       { oneof: string = 1; bool = 2; int64 = 3; double = 4; an array = 5; a map = 6; bytes = 7; }
 */
#ifndef FORMAT_OTEL_CONTEXT_H
#define FORMAT_OTEL_CONTEXT_H

#include "format/slice.h"

#include <stdint.h>

enum otel_kind {
	OTEL_OTHER, /* nothing, an array, a map, bytes, or what later versions have */
	OTEL_STRING,
	OTEL_BOOL,
	OTEL_INT,
	OTEL_DOUBLE,
};

struct otel_attribute {
	bool of_resource; /* false: for readers, such as "threadlocal.schema_version" of OTEP 4947 */
	struct slice key;
	enum otel_kind kind;
	struct slice text; /* OTEL_STRING; should be UTF-8, and may be anything */
	int64_t integer;   /* OTEL_INT; OTEL_BOOL: 0 or 1 */
	double real;	   /* OTEL_DOUBLE */
};

/* Slices lie in the message. A nonzero result ends the walk and is returned. */
typedef int otel_visit(const struct otel_attribute *a, void *context);

/* Visit the attributes. 0; -EBADMSG: the message is damaged, and those before the damage have been visited. */
int otel_context_each(const void *message, size_t size, otel_visit *visit, void *context);

#endif
