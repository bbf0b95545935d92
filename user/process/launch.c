// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/launch.h"
#include "user/process/proc.h"
#include "user/text/io.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS		"JAVA_TOOL_OPTIONS"
#define STATUS_MISSING	127 /* as in sh, env, nice and timeout */
#define STATUS_REFUSED	126
#define STATUS_SIGNAL	128
#define ENVIRONMENT_MAX (4u << 20)

/* The user that the program runs as. */
struct user {
	bool change;
	uid_t uid;
	gid_t gid;
	const char *name, *home; /* NULL: not in the user database */
};

static bool read_id(const char *name, unsigned int *out)
{
	const char *text = getenv(name);
	unsigned long n;
	char *end;

	if (!text || !*text)
		return false;
	n = strtoul(text, &end, 10);
	*out = n;
	return !*end && n <= UINT32_MAX;
}

static void launch_take_entry(struct user *u, const struct passwd *entry)
{
	if (!entry)
		return;
	u->name = entry->pw_name;
	u->home = entry->pw_dir;
}

static int find_user(struct user *u, const char *name, struct diag *d)
{
	const struct passwd *entry;

	*u = (struct user){0};
	if (!name) {
		u->change = !geteuid() && read_id("SUDO_UID", &u->uid) && read_id("SUDO_GID", &u->gid) && u->uid;
		if (u->change)
			launch_take_entry(u, getpwuid(u->uid));
		return 0;
	}
	entry = getpwnam(name);
	if (!entry)
		return diag_usage(d, "wrong --user '%s': there is no such user", name);
	u->uid = entry->pw_uid;
	u->gid = entry->pw_gid;
	u->change = u->uid != geteuid();
	launch_take_entry(u, entry);
	return 0;
}

static void become_user(const struct user *u)
{
	if (!u->change)
		return;
	if (u->name ? initgroups(u->name, u->gid) : setgroups(1, &u->gid))
		_exit(STATUS_REFUSED);
	if (setresgid(u->gid, u->gid, u->gid) || setresuid(u->uid, u->uid, u->uid))
		_exit(STATUS_REFUSED);
	if (!u->name)
		return;
	setenv("HOME", u->home, 1);
	setenv("USER", u->name, 1);
	setenv("LOGNAME", u->name, 1);
}

static void add_to_environment(const char *option)
{
	const char *before = getenv(OPTIONS);
	char *all;

	if (!before || !*before)
		setenv(OPTIONS, option, 1);
	else if (asprintf(&all, "%s %s", before, option) >= 0)
		setenv(OPTIONS, all, 1);
}

static char **add_to_arguments(char *const *argv, const char *option)
{
	size_t count = 0;
	char **all;

	while (argv[count])
		count++;
	all = calloc(count + 2, sizeof(*all));
	if (!all)
		_exit(STATUS_REFUSED);
	all[0] = argv[0];
	all[1] = (char *)option;
	memcpy(all + 2, argv + 1, (count - 1) * sizeof(*all));
	return all;
}

static void become_program(const struct launch_setup *s, const struct user *u, int go, int why)
{
	char *const *argv = s->argv;
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(STATUS_REFUSED);
	become_user(u);
	if (!strcmp(path_base(argv[0]), "java") && !s->by_environment)
		argv = add_to_arguments(argv, s->java_option);
	else
		add_to_environment(s->java_option);
	execvp(argv[0], argv);
	err = errno;
	if (write(why, &err, sizeof(err)) < 0)
		_exit(STATUS_REFUSED);
	_exit(err == ENOENT ? STATUS_MISSING : STATUS_REFUSED);
}

/* The child's ends of the pipes. */
struct ends {
	int go, why;
};

static int make_pipes(struct launch *l, struct ends *child, struct diag *d)
{
	int go[2], why[2];

	if (pipe2(go, O_CLOEXEC))
		return diag_errno(d, errno, "cannot make a pipe");
	if (pipe2(why, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return diag_errno(d, errno, "cannot make a pipe");
	}
	*child = (struct ends){go[0], why[1]};
	l->go = go[1];
	l->why = why[0];
	return 0;
}

int launch_fork(struct launch *l, const struct launch_setup *setup, struct diag *d)
{
	struct ends child = {-1, -1};
	struct user user;
	int err;

	*l = (struct launch){.pid = -1, .pidfd = -1, .go = -1, .why = -1, .status = -1};
	err = find_user(&user, setup->user, d);
	err = err ?: make_pipes(l, &child, d);
	if (err)
		return err;
	l->pid = fork();
	if (!l->pid) {
		close(l->go);
		become_program(setup, &user, child.go, child.why);
	}
	close(child.go);
	close(child.why);
	l->pidfd = l->pid > 0 ? syscall(SYS_pidfd_open, l->pid, 0) : -1;
	return l->pidfd < 0 ? diag_errno(d, errno, "cannot fork") : 0;
}

int launch_go(struct launch *l, const char *name, struct diag *d)
{
	int err = 0;

	if (write(l->go, "", 1) != 1)
		return diag_errno(d, errno, "cannot start '%s'", name);
	if (read(l->why, &err, sizeof(err)) <= 0)
		return 0;
	l->status = err == ENOENT ? STATUS_MISSING : STATUS_REFUSED;
	return diag_set(d, err, "cannot start '%s': %s", name, strerror(err));
}

bool launch_ended(struct launch *l)
{
	int status;

	if (l->status < 0 && l->pid > 0 && waitpid(l->pid, &status, WNOHANG) == l->pid)
		l->status = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_SIGNAL + WTERMSIG(status);
	return l->status >= 0;
}

void launch_signal(const struct launch *l, int signal)
{
	if (l->status < 0)
		syscall(SYS_pidfd_send_signal, l->pidfd, signal, NULL, 0);
}

void launch_release(struct launch *l)
{
	for (int *fd = (int[]){l->pidfd, l->go, l->why, -1}, i = 0; i < 3; i++)
		io_close(fd[i]);
	l->pidfd = l->go = l->why = -1;
}

static int has_option(pid_t pid, void *text)
{
	size_t length = 0;
	char *block = proc_read(pid, "environ", ENVIRONMENT_MAX, &length);
	bool found = false;

	for (size_t at = 0; block && at < length && !found; at += strlen(block + at) + 1)
		found = !strncmp(block + at, OPTIONS "=", sizeof(OPTIONS)) && strstr(block + at, text);
	free(block);
	return found;
}

bool launch_is_inherited(const char *text)
{
	return proc_each_number("/proc", has_option, (void *)text) > 0;
}
