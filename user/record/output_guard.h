/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process beside the recorder that outlives it. It brings finished chunks to
 * the disk (fdatasync), so that the recorder never waits for one, and when the
 * recorder was killed it cuts the chunk that was being appended, and removes the
 * scratch file that has not got its name (user/record/new_file.h).
 */
#ifndef USER_RECORD_OUTPUT_GUARD_H
#define USER_RECORD_OUTPUT_GUARD_H

#include <stdint.h>

struct output_guard;

/*
 * Before there are threads. Names are those in `directory`; `scratch` is copied. NULL: there is none (errno says why); the
 * calls below then do nothing.
 */
struct output_guard *output_guard_start(int directory, const char *scratch);

/* The file is `name`, a regular file with these numbers, and its first `size` bytes are finished. */
void output_guard_watch(struct output_guard *k, const char *name, uint64_t device, uint64_t inode, uint64_t size);

/* Wait until all is on the disk, and let it go. */
void output_guard_end(struct output_guard *k);

#endif
