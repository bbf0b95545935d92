// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/flags.h"
#include "uprobes/agent/own_memory.h"

#define MOST_OF_USER 1024u

static char names[FRT_INTRINSICS_SIZE + 1 + MOST_OF_USER]; /* static: the JVM keeps the pointer */

static char exact[FRT_EXACT_SIZE];

/* Append the user's own value of the flag. */
static bool add_users(const char *users)
{
	size_t length = users ? strlen(users) : 0, used = strlen(names);

	if (length >= MOST_OF_USER)
		return false;
	if (!length)
		return true;
	names[used] = ',';
	memcpy(names + used + 1, users, length + 1);
	return true;
}

bool flags_set(const struct frt_config *config)
{
	const char **flag = (const char **)config->flag_disable_intrinsic;
	uint64_t readable;

	memcpy(names, config->intrinsics, FRT_INTRINSICS_SIZE - 1);
	if (!flag || !own_memory_read(&readable, sizeof(readable), (uint64_t)flag) || !add_users(*flag))
		return false;
	*flag = names;
	for (int i = 0; i < 2; i++)
		if (config->flag_off[i])
			*(bool *)config->flag_off[i] = false;
	memcpy(exact, config->exact, sizeof(exact) - 1);
	return true;
}

static bool is_line(const char *line, size_t length, struct slice class_name, struct slice method)
{
	return length == class_name.length + 1 + method.length && !memcmp(line, class_name.at, class_name.length) &&
	       line[class_name.length] == '.' && !memcmp(line + class_name.length + 1, method.at, method.length);
}

bool flags_make_exact(struct slice class_name, struct slice method)
{
	for (const char *line = exact, *end; *line; line = end + (*end == '\n')) {
		for (end = line; *end && *end != '\n'; end++)
			;
		if (is_line(line, end - line, class_name, method))
			return true;
	}
	return false;
}
