/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of all verbs and options. The parser, limits, --help, the manual page and shell completions are generated
 * from its rows. A new option is a row plus the code that uses its value.
 */
#ifndef USER_VERBS_OPTIONS_TABLE_H
#define USER_VERBS_OPTIONS_TABLE_H

#include "filters/condition.h"
#include "user/options/settings.h"
#include "user/verbs/verb_args.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the manual page. */
enum verb_id {
	VERB_RECORD = 0,
	VERB_START,
	VERB_STATUS,
	VERB_DUMP,
	VERB_STOP,
	VERB_LIST,
	VERB_CHECK,
	VERB_METHODS,
	VERB_PRESETS,
	VERB_SUMMARY,
	VERB_PRINT,
	VERB_VIEW,
	VERB_DIFF,
	VERB_REPORT,
	VERB_EXPORT,
	VERB_MERGE,
	VERB_RECOVER,
};

#define VERBS		 (VERB_RECOVER + 1)
#define VERB_BIT(id)	 (1u << (id))
#define VERBS_RECORDING	 (VERB_BIT(VERB_RECORD) | VERB_BIT(VERB_START))
#define VERBS_INSPECTING (VERB_BIT(VERB_LIST) | VERB_BIT(VERB_CHECK) | VERB_BIT(VERB_METHODS))
#define VERBS_ALL	 (VERB_BIT(VERBS) - 1)

struct verb {
	enum verb_id id;
	const char *name;
	const char *usage; /* the text after "frtrace "; may have several lines */
	const char *help;  /* one line: no capital, no full stop */
	const char *more;  /* sentences for its own --help and for the manual page; may be NULL */
};

extern const struct verb verbs[VERBS];

/* NULL: no such verb. */
const struct verb *verb_find(const char *name);

/* The parsed command line. */
struct command_line {
	const struct verb *verb;
	struct settings settings;	  /* for VERBS_RECORDING and VERBS_INSPECTING */
	struct verb_args args;		  /* for the other verbs */
	struct condition_list conditions; /* --fail-if */
};

/* How the text of an option is converted. The type of the field is in brackets. */
enum option_kind {
	OPTION_FLAG,	    /* no text [bool] */
	OPTION_TEXT,	    /* any text [const char *] */
	OPTION_COUNT,	    /* an integer [uint32_t, uint64_t] */
	OPTION_TIME,	    /* a number with a unit, in ns [uint64_t] */
	OPTION_SIZE,	    /* bytes [uint64_t] */
	OPTION_PERCENT,	    /* an integer percentage from 1, or "off" [uint32_t, 0 if off] */
	OPTION_CHOICE,	    /* one of option.choices [an enum] */
	OPTION_TARGET,	    /* a JVM [const char *] */
	OPTION_USER,	    /* a user of this machine [const char *] */
	OPTION_OUTPUT,	    /* the file name of a recording, with % sequences [char *, malloc'ed] */
	OPTION_WITH_JFR,    /* a name or path without spaces [char *, malloc'ed] */
	OPTION_TRACE,	    /* filters, appended to the list */
	OPTION_TIMING,	    /* likewise */
	OPTION_EXCLUDE,	    /* likewise */
	OPTION_ROOT,	    /* likewise */
	OPTION_UNTIL,	    /* one of its choices, or likewise */
	OPTION_EVENT,	    /* an event, appended to the events */
	OPTION_HANDOFF,	    /* two methods, appended to the hand-overs */
	OPTION_EVENT_FILE,  /* a file of events, appended likewise */
	OPTION_PRESET,	    /* names of presets, whose filters and events are appended */
	OPTION_TRACE_FILE,  /* a file of filters, appended to the list */
	OPTION_TIMING_FILE, /* likewise */
	OPTION_LAMBDA,	    /* no text; a flag of the list */
	OPTION_SETTINGS,    /* a settings file, appended to the files */
	OPTION_CONDITION,   /* appended to the conditions */
	OPTION_DUMP_WHEN,   /* likewise [struct condition_list] */
	OPTION_HELP,	    /* no text */
	OPTION_VERSION,	    /* no text */
};

/* In the order of --help. */
enum option_section {
	SECTION_WHAT = 0,
	SECTION_CALL,
	SECTION_WHERE,
	SECTION_SEE,
	SECTION_OTHER,
	SECTION_VERBS, /* options of verbs that neither record nor inspect a JVM */
	SECTIONS,
};

extern const char *const option_sections[SECTIONS]; /* their headings */

struct option_choice {
	const char *name; /* NULL ends the list */
	unsigned int value;
};

struct option_row {
	const char *name;  /* without dashes; rows for different verbs may share a name */
	const char *alias; /* what it was called before; not shown; may be NULL */
	bool hidden;	   /* for debugging: not shown, and not abbreviated */
	char letter;	   /* 0: none */
	bool optional;	   /* the argument may be omitted and is given only as --name=ARGUMENT */
	bool seconds;	   /* a time without a unit is in seconds */
	enum option_kind kind;
	enum option_section section;
	unsigned int verbs; /* VERB_BIT()s of the verbs that take the option */
	const char *arg;    /* placeholder of the argument; NULL: none */
	/* All values for OPTION_CHOICE, else the values that completion offers; may be NULL. */
	const struct option_choice *choices;
	size_t at, size;     /* offset and size of the field in struct command_line; size 0: no field */
	size_t given;	     /* offset of a bool that is set if the option is given; 0: none */
	uint64_t min, max;   /* limits of a number; max 0: no limit */
	const char *usual;   /* the default; NULL: not shown */
	const char *omitted; /* what an optional number means without its argument */
	const char *help;    /* one line, like verb.help; without limits and default */
	const char *more;    /* sentences for the manual page alone; may be NULL */
};

/* Ends with a row without a name. */
extern const struct option_row options[];

/*
 * Find the option whose name or alias is `name` of `length` bytes, or whose name it abbreviates, among those of `verbs`
 * (a mask).
 * *count is the number of candidates, 1 for an exact name. NULL if *count is not 1.
 */
const struct option_row *option_by_name(unsigned int verbs, const char *name, size_t length, size_t *count);

/* NULL: none of the verbs has an option with this letter. */
const struct option_row *option_by_letter(unsigned int verbs, char letter);

/* The argument as shown after the name: "=TIME", "=on|off|full", "[=SETTINGS]", "". */
void option_argument(const struct option_row *o, char *out, size_t size);

/* The limits and default as shown in --help and the manual page: "1 to 2048, default 64", "". */
void option_notes(const struct option_row *o, char *out, size_t size);

#endif
