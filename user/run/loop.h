/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main loop of a recording: waits for records, drains them, and maintains the file and the live view until
 * something ends it.
 */
#ifndef USER_RUN_LOOP_H
#define USER_RUN_LOOP_H

#include "format/diag.h"

#include <stdbool.h>

struct record_run;

/*
 * Block SIGINT, SIGTERM and SIGHUP: they now end the loop instead of the process, by *out, a signalfd. `for_program` also
 * blocks the other signals that are commonly sent to a program. 0, or -errno and *out is -1.
 */
int loop_signals(int *out, bool for_program, struct diag *d);
void loop_signals_close(int signals); /* -1 is fine */

/*
 * Run until a signal, the duration, --max-events, or the end of the target, the program or the reader of the live view
 * (0), or until the recorder or the agent fails (-errno with the message). Before it begins, this process gives up the
 * capabilities that only attaching takes.
 */
int loop_run(const struct record_run *run, struct diag *d);

#endif
