/* SPDX-License-Identifier: BSD-2-Clause */
/* Which JVM and which recording a file is of. */
#ifndef USER_TRACE_ORIGIN_H
#define USER_TRACE_ORIGIN_H

#include "format/diag.h"
#include "format/jfr/jfr_read.h"

#define ORIGIN_UNKNOWN INT64_MIN

/* ORIGIN_UNKNOWN if the file does not have the value. */
struct origin {
	int64_t pid, start_ms;	    /* from jdk.JVMInformation, as the JVM reports them */
	int64_t recording_start_ms; /* from jdk.ActiveRecording, in the first chunk */
	uint64_t types;		    /* hash of the first chunk's description of its types */
};

/* Read the next chunks of `file` until they name the JVM. A damaged file yields what was found before the damage. */
void origin_read(struct jfr_file *file, struct origin *out);

/* True if equal keys stand for equal constants: the files are of one recording with unchanged types. */
bool origin_is_same_recording(const struct origin *a, const struct origin *b);

/* -EINVAL if the files are of different JVMs. `task` begins the message: "cannot merge". */
int origin_check_jvm(const char *a_path, const struct origin *a, const char *b_path, const struct origin *b,
		     const char *task, struct diag *d);

/* The number in a field of an event; ORIGIN_UNKNOWN: no such field, or no number. */
int64_t origin_number(struct jfr_chunk *chunk, const struct jfr_event *e, const char *name);

#endif
