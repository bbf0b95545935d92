/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording was asked to be: the values behind the options of `frtrace record`. */
#ifndef USER_OPTIONS_SETTINGS_H
#define USER_OPTIONS_SETTINGS_H

#include "filters/filter_list.h"
#include "format/diag.h"
#include "format/jfc/jfc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define SETTINGS_MAX_SIZE     (1ULL << 30)
#define SETTINGS_STACK_DEPTH  64
#define SETTINGS_WAIT_STACK   1000000ULL /* ns */
#define SETTINGS_MAX_OVERHEAD 25

/* The kernel's half: where the time of calls went. */
enum settings_kernel {
	SETTINGS_KERNEL_OFF = 0,
	SETTINGS_KERNEL_ON,   /* waits and pauses */
	SETTINGS_KERNEL_FULL, /* system calls and page faults too */
};

/* Where the stacks of calls come from. */
enum settings_stacks {
	SETTINGS_STACKS_AUTO = 0, /* walked; from JVMTI where they cannot be */
	SETTINGS_STACKS_WALK,	  /* walked, or none */
	SETTINGS_STACKS_JVMTI,
};

struct settings {
	const char *target; /* as typed; points into argv */
	char *const *
		program; /* the words behind "--", NULL-terminated: it is started, and `target` names one of its JVMs; or NULL */
	const char *user;		 /* it runs as; NULL: the one behind sudo, or ours */
	struct filter_list *filters;	 /* -m, -M, -x, --filters; at least one selects */
	uint64_t threshold_ns;		 /* 0: every call */
	bool threshold_given;		 /* by -t */
	struct settings_files *files;	 /* --settings; NULL: none; released by cli_release() */
	struct jfc_period timing_period; /* of the files */
	uint64_t duration_ns;		 /* 0: no end */
	uint64_t max_events;		 /* 0: no end */
	uint64_t max_size;		 /* bytes, never 0 */
	uint64_t max_age_ns;		 /* 0: none */
	char *with_jfr;			 /* settings of the JVM's own recording, a name or a path; NULL: none is made */
	char *output;			 /* as typed, %p and %t still in it; NULL: the default name */
	uint32_t max_overhead;		 /* per cent of a CPU of the threads that call a method; 0: no brake */
	uint32_t stack_depth;		 /* methods of a stack at most, 1 .. FRT_MAX_DEPTH */
	enum settings_kernel kernel;
	enum settings_stacks stacks;
	uint64_t wait_stack_ns; /* waits that are longer get their stacks */
	bool no_stack, skip_active, quiet, verbose;
	uint64_t interval_ns; /* of the live table; 0: none */
	uint64_t top;	      /* its rows at most; 0: as many as is usual */
	bool lines;	      /* print each recorded call */
	bool thrown;	      /* record only calls that end by an exception */
	bool background;      /* return when tracing is on */
	bool json;	      /* print what is printed as JSON */
};

/* The defaults, and an empty filter list. -ENOMEM. */
int settings_init(struct settings *s, struct diag *d);
void settings_release(struct settings *s); /* all but `files`; a zeroed one is fine */

/*
 * Values as people write them; `option` names the option in the message.
 * Time: a whole number and ns, us, ms, s, m, h or d, a space allowed; "0" alone.
 * Size: bytes, or with k, m, g (powers of 1024). Count: a whole number.
 * What is not one, or does not fit, is a usage error.
 */
int settings_parse_time(const char *option, const char *text, uint64_t *ns, struct diag *d);
int settings_parse_size(const char *option, const char *text, uint64_t *bytes, struct diag *d);
int settings_parse_count(const char *option, const char *text, uint64_t *count, struct diag *d);

/* A whole percentage, 1 to `max`, the sign may be missing; or "off", which is 0. */
int settings_parse_percent(const char *option, const char *text, uint64_t max, uint64_t *percent, struct diag *d);

/* Is this a name for -o: not empty, not "-", no % but %p, %t and %%. */
int settings_check_output(const char *text, struct diag *d);

/*
 * The file to write: %p is the pid, %t the time (local, 2026_11_20_18_05_24),
 * %% a percent sign; with the name of a directory that exists the default name
 * in it. With DIR/ it is a directory for chunk files in that one, named as the
 * JVM names its own: DIR/2026_11_20_18_05_24_PID/. `now` is seconds since the epoch.
 */
int settings_output_path(const struct settings *s, pid_t pid, time_t now, char *out, size_t size, struct diag *d);

#endif
