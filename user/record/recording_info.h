/* SPDX-License-Identifier: BSD-2-Clause */
/* The events with which each chunk begins, so that it can be read alone: the recording, its settings, the JVM, the OS. */
#ifndef USER_RECORD_RECORDING_INFO_H
#define USER_RECORD_RECORDING_INFO_H

#include "format/diag.h"
#include "format/jfr/jfr_write.h"
#include "user/options/settings.h"
#include "user/process/find.h"
#include "user/process/machine.h"
#include "user/process/process_context.h"

struct recording_remark;

struct recording_info {
	/* Set by the owner, who keeps what they point to. */
	const struct settings *settings;
	const char *destination; /* path of the output */
	int64_t start_epoch_ms;
	int64_t flush_ms; /* maximum age of an open chunk */
	bool stacks;	  /* calls have stacks */
	bool timed;	  /* jdk.MethodTiming is written */
	bool waits;	  /* frtrace.ThreadWait is written */

	const struct process_context
		*program; /* what it says of itself; NULL: nothing. May change between two chunks */

	/* Set by recording_info_read() and recording_info_remark(). */
	int32_t ns_pid;
	struct target_description jvm;
	struct machine machine;
	struct recording_remark *remarks;
};

/* Read the data about the JVM and the machine. Returns 0 or -errno; release the info in both cases. */
int recording_info_read(struct recording_info *info, const struct target *t, struct diag *d);
void recording_info_release(struct recording_info *info);

/* Add a remark for readers of the file, a frtrace.Message in each later chunk. Copies the strings. Returns 0 or -errno. */
int recording_info_remark(struct recording_info *info, const char *kind, const char *text);

/* Write the events to the open chunk, at the time `at`, in ticks. */
void recording_info_put(const struct recording_info *info, struct jfr_writer *w, int64_t at);

#endif
