// SPDX-License-Identifier: BSD-2-Clause
/*
 * Common names of control groups (N: 64 hexadecimal digits). The innermost one counts:
 *
 *	/docker/N				/system.slice/docker-N.scope
 *	/kubepods/burstable/pod<uid>/N		/kubepods.slice/.../cri-containerd-N.scope
 *	/machine.slice/libpod-N.scope/container	/machine.slice/machine-NAME.scope
 *	/lxc/NAME				/lxc.payload.NAME/...
 */
#include "user/process/container.h"
#include "user/process/proc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 64u
#define SHOWN  12u

static const char hex[] = "0123456789abcdef";

/* The last run of 64 digits, or NULL. */
static const char *find_digits(const char *text)
{
	const char *found = NULL;

	for (size_t n; *text; text += n + !!text[n]) {
		n = strspn(text, hex);
		if (n == DIGITS)
			found = text;
	}
	return found;
}

/* Copy the text between `before` and the next character of `ends`. */
static bool find_name(const char *text, const char *before, const char *ends, char *out, size_t size)
{
	const char *at = strstr(text, before);
	size_t n;

	if (!at)
		return false;
	at += strlen(before);
	n = strcspn(at, ends);
	snprintf(out, size, "%.*s", (int)(n < size ? n : size), at);
	return n;
}

static bool find_machine(const char *text, char *out, size_t size)
{
	char *end;

	if (!find_name(text, "/machine-", "/\n", out, size))
		return false;
	end = strstr(out, ".scope");
	if (end)
		*end = 0;
	return end;
}

void container_parse(const char *cgroup, char *out, size_t size)
{
	const char *digits = find_digits(cgroup);

	out[0] = 0;
	if (digits)
		snprintf(out, size, "%.*s", (int)SHOWN, digits);
	else if (!find_name(cgroup, "/lxc.payload.", "/\n", out, size) &&
		 !find_name(cgroup, "/lxc/", "/\n", out, size) && !find_machine(cgroup, out, size))
		out[0] = 0;
	for (char *c = out; *c; c++)
		if (!isgraph((unsigned char)*c))
			*c = '?';
}

void target_container(const struct target *t, char *out, size_t size)
{
	char *text = proc_read(t->pid, "cgroup", 65536, NULL);

	out[0] = 0;
	if (text)
		container_parse(text, out, size);
	if (!out[0] && t->ns_pid != t->pid)
		snprintf(out, size, "own pid namespace");
	free(text);
}
