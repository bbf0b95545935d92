/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings of a recording: the values of the options of `frtrace record`. */
#ifndef USER_OPTIONS_SETTINGS_H
#define USER_OPTIONS_SETTINGS_H

#include "filters/condition.h"
#include "filters/event_list.h"
#include "filters/filter_list.h"
#include "filters/handoff.h"
#include "format/diag.h"
#include "format/jfc/jfc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define SETTINGS_MAX_SIZE     (1ULL << 30)
#define SETTINGS_STACK_DEPTH  64
#define SETTINGS_TEXT	      128	   /* characters */
#define SETTINGS_STATEMENT    512	   /* with presets: statements are longer than what else -e keeps */
#define SETTINGS_SLOW	      100000000ULL /* ns: a request from which on, where no method was named */
#define SETTINGS_WAIT_STACK   1000000ULL   /* ns */
#define SETTINGS_MAX_OVERHEAD 25

/* How much the kernel reports about where the time of calls went. */
enum settings_kernel {
	SETTINGS_KERNEL_OFF = 0,
	SETTINGS_KERNEL_ON,   /* waits and pauses */
	SETTINGS_KERNEL_FULL, /* also system calls and page faults */
};

/* The source of the stacks of calls. */
enum settings_stacks {
	SETTINGS_STACKS_AUTO = 0, /* walked; from JVMTI if that is impossible */
	SETTINGS_STACKS_WALK,	  /* walked, or none */
	SETTINGS_STACKS_JVMTI,
};

/* How BPF programs are attached to uprobes. */
enum settings_attach {
	SETTINGS_ATTACH_AUTO = 0, /* by uprobe_multi links, else by perf events */
	SETTINGS_ATTACH_MULTI,
	SETTINGS_ATTACH_PERF,
};

/* Through what the kernel's programs hand over their records. */
enum settings_buffer {
	SETTINGS_BUFFER_RING = 0, /* a BPF ring buffer */
	SETTINGS_BUFFER_PERF,	  /* a perf buffer for each CPU */
};

/* Where calls come from. */
enum settings_source {
	SETTINGS_SOURCE_AUTO = 0, /* the agent; HotSpot's own probes where no agent can be loaded */
	SETTINGS_SOURCE_AGENT,
	SETTINGS_SOURCE_HOTSPOT, /* -XX:+DTraceMethodProbes */
};

/* Which fields the events of JEP 520 have. */
enum settings_fields {
	SETTINGS_FIELDS_ALL = 0,
	SETTINGS_FIELDS_JDK, /* those of the JDK's own events, for readers that go by position */
};

/* Ids of the distributed trace that a call is part of. */
enum settings_trace_ids {
	SETTINGS_TRACE_IDS_AUTO = 0, /* where the program publishes them */
	SETTINGS_TRACE_IDS_OFF,
};

/* Names of what threads wait for. */
enum settings_resources {
	SETTINGS_RESOURCES_ON = 0,
	SETTINGS_RESOURCES_OFF,
};

/* Tasks that traced calls hand to other threads. */
enum settings_tasks {
	SETTINGS_TASKS_AUTO = 0, /* with --inside */
	SETTINGS_TASKS_OFF,
	SETTINGS_TASKS_ON,
};

/* Whether statements and URLs have their values. */
enum settings_values {
	SETTINGS_VALUES_MASKED = 0,
	SETTINGS_VALUES_FULL,
};

/* When a root of --inside is over. */
enum settings_until {
	SETTINGS_UNTIL_CALL = 0,
	SETTINGS_UNTIL_TASKS, /* when the last task that it handed over has ended, too */
	SETTINGS_UNTIL_NAMED, /* when a call that a filter of FILTER_UNTIL selects has ended, too */
};

struct settings {
	const char *target; /* as typed; points into argv */
	/* Command after "--", NULL-terminated, or NULL. It is started, and `target` selects one of its JVMs. */
	char *const *program;
	const char *user;	     /* user that runs `program`; NULL: the one who called sudo, or ours */
	struct filter_list *filters; /* -m, -M, -x, --inside, --filters; at least one selects methods */
	struct event_list events;    /* -e */
	const char *redact_key;	     /* filters/redact.h; NULL: the defaults */
	const char *mapping;	     /* file with the original names of the program, which filters have; NULL: none */
	bool by_entries;	     /* no method was named: filters and events are those of all presets */
	enum settings_values values; /* of fields with the units sql and url */
	uint32_t string_length;	     /* characters of a text that are kept */
	bool string_length_given;
	uint64_t threshold_ns;		 /* 0: every call */
	bool threshold_given;		 /* threshold_ns was set by -t */
	uint32_t keep;			 /* per cent of the roots of --inside that are kept however they end */
	struct settings_files *files;	 /* --settings; NULL: none; released by cli_release() */
	struct jfc_period timing_period; /* from the settings files */
	uint64_t duration_ns;		 /* 0: no end */
	uint64_t max_events;		 /* 0: no end */
	uint64_t max_size;		 /* bytes, never 0 */
	uint64_t max_total;		 /* bytes of all recordings of --follow in a directory; 0: no limit */
	uint64_t max_age_ns;		 /* 0: none */
	uint64_t in_memory;		 /* bytes of memory for chunks; 0: they go to the disk */
	struct condition_list dump_when;
	const char *context; /* events of the JVM that get context as fields; NULL: none */
	char *with_jfr;	     /* settings of the JVM's own recording, a name or a path; NULL: no such recording */
	const char *report;  /* name of the page; NULL: beside the recording */
	bool report_wanted;  /* write that page */
	char *output;	     /* as typed, %p and %t still in it; NULL: the default name */
	uint32_t
		max_overhead; /* limit of recording, per cent of a CPU per calling thread; see settings_max_overhead() */
	uint64_t lossless_ns; /* for how long a call may wait so that none is lost; 0: not at all */
	uint64_t
		auto_unhook_ns; /* throttled methods that are shorter lose their hooks; 0: none; see settings_unhook_ns() */
	uint32_t stack_depth; /* maximum methods per stack, 1 .. FRT_MAX_DEPTH */
	enum settings_kernel kernel;
	enum settings_stacks stacks;
	enum settings_attach attach;
	enum settings_buffer buffer;
	enum settings_source source; /* AUTO until the JVM is known */
	enum settings_fields fields;
	enum settings_trace_ids trace_ids;
	enum settings_tasks tasks;
	enum settings_until until;
	struct handoff_list handoffs;	   /* --handoff */
	enum settings_resources resources; /* whether waits say what they are for */
	uint64_t cpu_ns;		   /* between two samples of a thread in a call; 0: none are taken */
	bool alloc;			   /* bytes that the thread allocates in each call */
	bool path;			   /* record the critical path of each call */
	uint64_t wait_stack_ns;		   /* longer waits are recorded with their stacks */
	bool no_stack, skip_active, quiet, verbose;
	bool mount;	       /* the agent's directory may be mounted without noexec */
	const char *metrics;   /* name of the file for Prometheus; NULL: none */
	uint64_t interval_ns;  /* of the live table; 0: no table */
	uint64_t top;	       /* maximum rows of the live table; 0: default */
	bool lines;	       /* print each recorded call */
	const char *otlp;      /* "-": print each as a span of OpenTelemetry */
	bool wait;	       /* for the target to be started */
	const char *follow;    /* trace each JVM that target_is_named() so, when it starts; NULL: only `target` */
	uint64_t start_time;   /* of the target, as in /proc/PID/stat; 0: any. Its pid may be another one's by now. */
	bool one_of_many;      /* frtrace traces other JVMs at the same time: take less memory */
	bool thrown;	       /* record only calls that end with an exception */
	bool background;       /* `frtrace start`: return when tracing is on */
	bool json;	       /* print JSON */
	bool security_context; /* `frtrace check`: print YAML for Kubernetes instead */
};

#define SETTINGS_UNHOOK 200 /* ns: what two hooks and their stamps take, with room to spare */
#define SETTINGS_UNHOOK_USUAL \
	UINT64_MAX /* not given: SETTINGS_UNHOOK if a filter of -m does not name its methods one by one */

/* The mean duration below which throttled methods lose their hooks; 0: none do. */
uint64_t settings_unhook_ns(const struct settings *s);

#define SETTINGS_OVERHEAD_USUAL UINT32_MAX /* not given: SETTINGS_MAX_OVERHEAD, and none with --lossless */

/* The limit of recording, per cent of a CPU per calling thread; 0: no throttling. */
uint32_t settings_max_overhead(const struct settings *s);

/* True if only calls inside of roots are recorded: --inside. */
bool settings_has_roots(const struct settings *s);
bool settings_has_tasks(const struct settings *s);

/* True if waits say what they are for: --resources, unless their key is to be redacted. */
bool settings_names_resources(const struct settings *s);

/* Set the defaults, with an empty filter list. 0 or -ENOMEM with the message. */
int settings_init(struct settings *s, struct diag *d);
void settings_release(struct settings *s); /* all except `files`; takes a zeroed one, too */

/*
 * Parse values as users write them; `option` names the option in messages.
 * Time: an integer and ns, us, ms, s, m, h or d, optionally after a space; or "0".
 * Size: bytes, or an integer with k, m or g (powers of 1024). Count: an integer.
 * Invalid and too large values are usage errors.
 */
int settings_parse_time(const char *option, const char *text, uint64_t *ns, struct diag *d);
int settings_parse_size(const char *option, const char *text, uint64_t *bytes, struct diag *d);
int settings_parse_count(const char *option, const char *text, uint64_t *count, struct diag *d);

/* An integer percentage from 1 to `max`, with or without a percent sign; or "off", which gives 0. */
int settings_parse_percent(const char *option, const char *text, uint64_t max, uint64_t *percent, struct diag *d);

/* Check a name for -o: not empty, and no % sequences except %p, %t and %%. 0 or a usage error. */
int settings_check_output(const char *text, struct diag *d);

/* Does the recording go to standard output (-o -)? */
bool settings_to_stdout(const struct settings *s);

/* Is each interval, or each call, shown on standard output (-i, --lines, --otlp)? */
bool settings_show_calls(const struct settings *s);

/*
 * Expand the name of the file to write: %p is the pid, %t the local time (2026_11_20_18_05_24), %% a percent sign. An
 * existing directory gets a file with the default name. DIR/ gets a directory for chunk files, named like those of the
 * JVM: DIR/2026_11_20_18_05_24_PID/. `now` is in seconds since the epoch. 0 and *out, to be
 * freed with free(), or -errno with the message.
 */
int settings_output_path(const struct settings *s, pid_t pid, time_t now, char **out, struct diag *d);

#endif
