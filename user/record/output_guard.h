/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process beside the recorder that outlives it. It syncs finished chunks to the disk (fdatasync), so that the
 * recorder never waits for the disk. If the recorder is killed, it cuts off the chunk that was being appended and
 * removes a scratch file that was not renamed yet (user/text/new_file.h).
 */
#ifndef USER_RECORD_OUTPUT_GUARD_H
#define USER_RECORD_OUTPUT_GUARD_H

#include <stdint.h>

struct output_guard;

/*
 * Start the guard, before any thread exists. Names are relative to `directory`; `scratch` is copied. NULL: it could
 * not be started (see errno); the calls below then do nothing.
 */
struct output_guard *output_guard_start(int directory, const char *scratch);

/* Watch the regular file `name` with these numbers, whose first `size` bytes are finished. */
void output_guard_watch(struct output_guard *g, const char *name, uint64_t device, uint64_t inode, uint64_t size);

/* Wait until everything is on the disk, then end the guard. */
void output_guard_end(struct output_guard *g);

#endif
