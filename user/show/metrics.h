/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of --metrics: sums since the start, for the textfile collector of Prometheus' node exporter. It is replaced as
 * a whole by rename, so nobody sees half of it, and it stays when frtrace ends or is killed.
 */
#ifndef USER_SHOW_METRICS_H
#define USER_SHOW_METRICS_H

#include "user/record/recording.h"

struct metrics;

/*
 * Check that the file can be written, before the target is touched; an existing one stays until the first
 * metrics_tick(). Returns 0, or -errno with *out set to NULL.
 */
int metrics_open(struct metrics **out, const char *path, struct diag *d);
void metrics_free(struct metrics *m);

/*
 * Sum up requests and statements from the first one on, before the recording starts. With --values=full they are left out, for
 * everybody may read the file. NULL is fine. Returns 0, or -ENOMEM with the message.
 */
int metrics_listen(struct metrics *m, const struct recording *r, struct diag *d);

/*
 * Call often: writes the file at once and then every 15 s; `now` is CLOCK_MONOTONIC in ns. The first failure is reported
 * on stderr and in the recording, and later writes are tried nevertheless. NULL is fine.
 */
void metrics_tick(struct metrics *m, const struct recording *r, int64_t now);

/* Write the final sums, after the hooks are gone. False: the file does not have them. NULL is fine. */
bool metrics_finish(struct metrics *m, const struct recording *r);

#endif
