/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a recording in the background: `frtrace start` returns when tracing is on; later commands use a control socket.
 */
#ifndef USER_RUN_BACKGROUND_H
#define USER_RUN_BACKGROUND_H

#include "user/record/recording.h"

struct background;

/*
 * Fork the background process. True in the child. False in the caller, after tracing is on or has failed: *status is
 * the exit status, or -errno with the message.
 */
bool background_begin(struct background **out, int *status, struct diag *d);

/* Call once the target is known, before it is touched. */
int background_listen(struct background *b, const struct target *t, struct diag *d);

/* Tracing is on: release the terminal and the waiting caller. The recording is borrowed, for what clients ask. */
void background_detach(struct background *b, const struct recording *r);

/*
 * Poll this descriptor for input and then call background_serve(), which handles one request. True: end the recording.
 */
int background_fd(const struct background *b);
bool background_serve(struct background *b);

/* Write what the recording has so far to a file, with the calls that are open now; *size is its size. 0 or -errno. */
int background_dump(const struct background *b, const char *path, uint64_t last_ns, uint64_t *size, struct diag *d);

/* Answer a waiting `frtrace stop` with the status, remove the socket and free `b`. NULL is fine. */
void background_end(struct background *b, int status);

#endif
