/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording in the background: `frtrace start` returns when tracing is on, what follows comes through a socket. */
#ifndef USER_LIVE_BACKGROUND_H
#define USER_LIVE_BACKGROUND_H

#include "user/live/report.h"

struct background;

/*
 * Go on in a process of its own: true there. False in the one that was called, when tracing is on
 * or has failed: *status is what to end with, or -errno with the message.
 */
bool background_begin(struct background **out, int *status, struct diag *d);

/* Once the target is known, before it is touched: there is one recording of a process. */
int background_listen(struct background *b, const struct target *t, struct diag *d);

/* Tracing is on: let go of the terminal and of who called. */
void background_detach(struct background *b, const struct report *report, struct session *session,
		       struct recorder *recorder);

/* To poll on, and to be called when there is something. True: the recording is to end. */
int background_fd(const struct background *b);
bool background_look(struct background *b);

/* The recording ended with this status. NULL is fine. */
void background_end(struct background *b, int status);

#endif
