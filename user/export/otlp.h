/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes spans of OpenTelemetry: ExportTraceServiceRequest of OTLP 1 as JSON, one a line, as collectors read from files and
 * by HTTP. Ids are hexadecimal, enumerations numbers, integers of 64 bits texts (opentelemetry.io/docs/specs/otlp, JSON
 * Protobuf Encoding). Attributes have the names of the semantic conventions, where those have one.
 */
#ifndef USER_EXPORT_OTLP_H
#define USER_EXPORT_OTLP_H

#include "format/bytes.h"
#include "user/text/json.h"

struct otlp_resource {
	const char *service;
	int64_t pid; /* 0: unknown */
	const unsigned char
		*attributes; /* of otlp_put_value(): what the program says of itself; counts before the others */
	size_t attributes_size;
};

struct otlp_id {
	uint64_t high, low; /* of a span: only low */
};

/* What a wait was for. Each is "" if it is unknown, or there is none. */
struct otlp_peer {
	const char *resource;  /* as frtrace.ThreadWait has it */
	const char *service;   /* of its port */
	const char *process;   /* that has the other end, on the same machine */
	const char *container; /* of that process */
};

struct otlp_event {
	int64_t time, duration;
	const char *reason, *waker; /* waker: "" if it is unknown */
	struct otlp_peer peer;
};

enum otlp_kind { OTLP_TEXT, OTLP_INTEGER, OTLP_REAL, OTLP_BOOLEAN };

/* The class of the exception, as the semantic conventions call it. */
#define OTLP_ERROR_TYPE "error.type"

/* The service at the other end of a connection: up to version 1.38 of the semantic conventions it was peer.service. */
#define OTLP_PEER "service.peer.name"

#define OTLP_ALLOCATED "frtrace.allocated_bytes"
#define OTLP_REQUEST   "frtrace.request_ns"

/* Append an attribute to those of a span or of the resource. The text is UTF-8, or a number as Java prints it, "true" or "false". */
void otlp_put_value(struct bytes *values, enum otlp_kind kind, const char *name, const struct bytes *text);

/*
 * The same for a field of an event of -e. Those that readers know (user/trace/user_values.h) have the names of the semantic
 * conventions; of a request's URL path and query are two attributes.
 */
void otlp_put_event_value(struct bytes *values, const char *event, enum otlp_kind kind, const char *field,
			  const struct bytes *text);

/* The same for a number that may be unknown (INT64_MIN): then nothing is appended. */
void otlp_put_number(struct bytes *values, const char *name, int64_t number);

struct otlp_span {
	struct otlp_id trace;
	uint64_t id, parent; /* parent: 0 if there is none */
	const char *method;  /* a.b.C.m(int) */
	int64_t start, end;  /* ns since the epoch */
	const char *thread;
	int64_t thread_id; /* 0: unknown */
	bool thrown;
	int64_t cpu, run_queue, blocked, pause; /* ns; INT64_MIN: unknown */
	int64_t queued; /* ns: how long the call's task stood in a queue; INT64_MIN: it has none */
	/* Of otlp_put_value(). A request that was served, a call of another service, and a statement are of that kind of spans. */
	const unsigned char *values;
	size_t values_size;
};

struct otlp {
	struct json json;
	struct otlp_resource resource;
	unsigned int spans; /* in the line that is being written */
	/* Called after each line with the number of its spans; NULL: not needed. */
	void (*finished)(void *context, unsigned int spans);
	void *context;
};

/*
 * What OpenTelemetry's Java agent takes for the name of the service, if a JVM has these arguments with the property
 * otel.service.name; else OTLP_SERVICE_UNKNOWN. The caller frees it. NULL: no memory.
 */
#define OTLP_SERVICE_UNKNOWN "unknown_service:java"
char *otlp_service_name(const char *jvm_arguments);

/* `resource` has texts and attributes of the caller's. It may be another one from the next line on. */
void otlp_init(struct otlp *o, FILE *to, const struct otlp_resource *resource);

/* Between the two, the waits of the span. Beyond a number of them, a caller gives only how many it left out. */
void otlp_begin_span(struct otlp *o, const struct otlp_span *span);
void otlp_event(struct otlp *o, const struct otlp_event *event);
void otlp_end_span(struct otlp *o, const struct otlp_span *span, uint32_t events_left_out);

/* End the last line. */
void otlp_finish(struct otlp *o);

#endif
