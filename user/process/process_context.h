/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program says of itself to tools outside of it: OpenTelemetry's process context (OTEP 4719; format/otel_context.h).
 * A mapping with one of three names begins with a header:
 *
 *    "OTEL_CTX"   version u32 = 2   payload size u32   time of publication u64   address of the payload u64
 *
 * The time is 0 while the program changes the rest, and another one after it. All of it is the program's word.
 */
#ifndef USER_PROCESS_PROCESS_CONTEXT_H
#define USER_PROCESS_PROCESS_CONTEXT_H

#include "format/otel_context.h"
#include "user/process/target.h"

#define PROCESS_CONTEXT_SIZE  65536u /* bytes of a payload; a larger one is not read */
#define PROCESS_CONTEXT_MOST  128u   /* attributes */
#define PROCESS_CONTEXT_KEY   255u   /* bytes */
#define PROCESS_CONTEXT_VALUE 4096u

/* An attribute of the program's resource, such as service.name. */
struct process_attribute {
	enum otel_kind kind; /* never OTEL_OTHER */
	char *key, *value;   /* as text: "shop", "true", "-3", "0.25" */
};

/* The context as it was found last. */
struct process_context {
	struct process_attribute *attribute; /* no two have one key */
	size_t count;
	bool threads_unknown; /* it says that its threads publish their context in a form that is not known here */
};

struct process_context_reader;

/*
 * `t` is borrowed. `redact` (filters/redact.h, borrowed): attributes with such keys have the value "[REDACTED]". NULL: the
 * program's memory cannot be read, or there is none left.
 */
struct process_context_reader *process_context_reader_new(const struct target *t, const char *redact);
void process_context_reader_free(struct process_context_reader *r);

/*
 * Look at it now. What is returned is valid until the next look. Without a context it has no attributes; neither has a
 * damaged one. While the program changes it, it is what it was. Texts that are too long, or that are not scalar, are left
 * out; so are process.command_line and process.command_args, which may have secrets (jdk.JVMInformation has them masked).
 */
const struct process_context *process_context_read(struct process_context_reader *r);

#endif
