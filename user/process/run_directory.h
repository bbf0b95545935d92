/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory for this user's sockets and locks: /run/frtrace for root, /tmp/frtrace-UID for others. */
#ifndef USER_PROCESS_RUN_DIRECTORY_H
#define USER_PROCESS_RUN_DIRECTORY_H

#include <stdbool.h>

#define RUN_DIRECTORY 64

/* Write its name. It need not exist. */
void run_directory_name(char out[RUN_DIRECTORY]);

/* True if it exists and only this user can write to it. */
bool run_directory_is_own(void);

/* Create it if it is missing. Returns 0, or -EACCES if run_directory_is_own() is false. */
int run_directory_make(void);

#endif
