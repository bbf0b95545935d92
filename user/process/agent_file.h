/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A temporary file in the target's file system, for as long as the JVM needs to load it:
 * <base>/.frtrace-<random>/<name>. The base is the first of /tmp, /var/tmp, the working directory and /dev/shm
 * that is writable and not mounted noexec; for a program that frtrace starts, `first` is tried before them. The
 * target's user creates the file (the helper child calls this), and so can read it; nobody else except root can
 * enter the directory. If all are noexec and there is a mounter, the directory is mounted without that flag meanwhile.
 */
#ifndef USER_PROCESS_AGENT_FILE_H
#define USER_PROCESS_AGENT_FILE_H

#include "user/process/user_child.h"

struct agent_file {
	char directory[32];	  /* ".frtrace-0123456789ab" */
	const char *name, *first; /* first: an absolute path, or NULL */
	int base, inside;	  /* descriptors; -1 */
	bool made;		  /* the directory has been created */
	int mounter;		  /* the socket of exec_mount.h; -1: noexec is final */
	bool mounted, mount_failed;
	char path[512]; /* the target's path of it */
};

/* Choose the directory's name, before the fork, so that the parent can clean up after a child that it had to kill. */
int agent_file_name(struct agent_file *f, const char *name, struct diag *d);
int agent_file_write(struct agent_file *f, const struct user_child *h, const void *image, size_t size, struct diag *d);
void agent_file_remove(struct agent_file *f);

/*
 * Is there a suitable base, judged by mounts and modes? Writes nothing, and needs no helper child. NOEXEC: it takes a
 * mounter.
 */
enum agent_place { AGENT_PLACE_NONE, AGENT_PLACE_NOEXEC, AGENT_PLACE_GOOD };
enum agent_place agent_file_find_place(const struct target *t);

/* Remove what a killed child may have left, in any base. */
void agent_file_sweep(struct agent_file *f, const struct user_child *h);

#endif
