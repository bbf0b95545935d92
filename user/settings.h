/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording was asked to be: the values behind the options of `frtrace record`. */
#ifndef USER_SETTINGS_H
#define USER_SETTINGS_H

#include "filters/parse.h"
#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define SETTINGS_MAX_SIZE (1ULL << 30)

enum settings_clock {
	SETTINGS_CLOCK_TSC = 0,
	SETTINGS_CLOCK_MONOTONIC, /* not yet: cli_parse() refuses it */
};

struct settings {
	const char *target;	     /* as typed; points into argv */
	struct filter_list *filters; /* -m and -x; at least one selects */
	uint64_t threshold_ns;	     /* 0: every call */
	uint64_t duration_ns;	     /* 0: no end */
	uint64_t max_events;	     /* 0: no end */
	uint64_t max_size;	     /* bytes, never 0 */
	char *output;		     /* as typed, %p and %t still in it; NULL: the default name */
	enum settings_clock clock;
	bool no_stack, skip_active, quiet, verbose;
};

/* The defaults, and an empty filter list. -ENOMEM. */
int settings_init(struct settings *s, struct diag *d);
void settings_release(struct settings *s); /* a zeroed one is fine */

/*
 * Values as people write them; `option` names the option in the message.
 * Time: a whole number and ns, us, ms, s, m, h or d, a space allowed; "0" alone.
 * Size: bytes, or with k, m, g (powers of 1024). Count: a whole number.
 * What is not one, or does not fit, is a usage error.
 */
int settings_parse_time(const char *option, const char *text, uint64_t *ns, struct diag *d);
int settings_parse_size(const char *option, const char *text, uint64_t *bytes, struct diag *d);
int settings_parse_count(const char *option, const char *text, uint64_t *count, struct diag *d);

/* Is this a name for -o: not empty, not "-", no % but %p, %t and %%. */
int settings_check_output(const char *text, struct diag *d);

/*
 * The file to write: %p is the pid, %t the time (local, 2026_11_20_18_05_24),
 * %% a percent sign; with DIR/, or the name of a directory that exists, the
 * default name in it. `now` is seconds since the epoch.
 */
int settings_output_path(const struct settings *s, pid_t pid, time_t now, char *out, size_t size, struct diag *d);

#endif
