/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of ours in the target's file system, for as long as the JVM needs to
 * load it: <base>/.frtrace-<random>/<name>, where base is the first of /tmp,
 * /var/tmp, the working directory and /dev/shm that can be written and is not
 * mounted noexec; before them, for a program that we start, `first`. Made by the target's user (so the helper child calls this),
 * which therefore can read it; nobody else but root can enter the directory.
 */
#ifndef USER_PROCESS_AGENT_FILE_H
#define USER_PROCESS_AGENT_FILE_H

#include "user/process/user_child.h"

struct agent_file {
	char directory[32];	  /* ".frtrace-0123456789ab" */
	const char *name, *first; /* first: an absolute path, or NULL */
	int base, inside;	  /* descriptors; -1 */
	bool made;		  /* the directory is ours */
	char path[512];		  /* as the target names it */
};

/* Choose the directory's name: before the fork, so that the parent can clean up behind a child that it had to kill. */
int agent_file_name(struct agent_file *f, const char *name, struct diag *d);
int agent_file_write(struct agent_file *f, const struct user_child *h, const void *image, size_t size, struct diag *d);
void agent_file_remove(struct agent_file *f);

/* Is there such a place, as far as mounts and modes tell? Writes nothing, and needs no helper. */
bool agent_file_has_place(const struct target *t);

/* Remove what a killed child may have left, in whichever base. */
void agent_file_sweep(struct agent_file *f, const struct user_child *h);

#endif
