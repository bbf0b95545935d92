/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All verbs and all options, a row each. The parser, the limits, --help, the manual page and the
 * completions of the shells come from these rows: a new option is a row and the code that uses its value.
 */
#ifndef USER_VERBS_OPTIONS_TABLE_H
#define USER_VERBS_OPTIONS_TABLE_H

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
	VERB_SUMMARY,
	VERB_PRINT,
	VERB_VIEW,
	VERB_EXPORT,
	VERB_MERGE,
	VERB_RECOVER,
};

#define VERBS		(VERB_RECOVER + 1)
#define VERB_BIT(id)	(1u << (id))
#define VERBS_RECORDING (VERB_BIT(VERB_RECORD) | VERB_BIT(VERB_START))
#define VERBS_LOOKING	(VERB_BIT(VERB_LIST) | VERB_BIT(VERB_CHECK) | VERB_BIT(VERB_METHODS))
#define VERBS_ALL	(VERB_BIT(VERBS) - 1)

struct verb {
	enum verb_id id;
	const char *name;
	const char *usage; /* the words behind "frtrace "; may have several lines */
	const char *help;  /* one line: no capital, no full stop */
	const char *more;  /* sentences for its own --help and for the manual page; may be NULL */
};

extern const struct verb verbs[VERBS];

/* NULL: there is none of this name. */
const struct verb *verb_find(const char *name);

/* What the command line said. */
struct command_line {
	const struct verb *verb;
	struct settings settings; /* of VERBS_RECORDING and VERBS_LOOKING */
	struct verb_args args;	  /* of the other verbs */
};

/* What is done with the text of an option. In the brackets is the type of the field. */
enum option_kind {
	OPTION_FLAG,	    /* no text [bool] */
	OPTION_TEXT,	    /* any text [const char *] */
	OPTION_COUNT,	    /* a whole number [uint32_t, uint64_t] */
	OPTION_TIME,	    /* a number with a unit, in ns [uint64_t] */
	OPTION_SIZE,	    /* bytes [uint64_t] */
	OPTION_PERCENT,	    /* a whole percentage of at least 1, or "off" [uint32_t, 0 if off] */
	OPTION_CHOICE,	    /* one of option.choices [an enum] */
	OPTION_TARGET,	    /* a JVM [const char *] */
	OPTION_USER,	    /* a user of this machine [const char *] */
	OPTION_OUTPUT,	    /* the name of a recording, with % sequences [char *, malloc'ed] */
	OPTION_WITH_JFR,    /* a name or path without spaces [char *, malloc'ed] */
	OPTION_TRACE,	    /* filters, added to the list */
	OPTION_TIMING,	    /* likewise */
	OPTION_EXCLUDE,	    /* likewise */
	OPTION_TRACE_FILE,  /* a file of filters, added to the list */
	OPTION_TIMING_FILE, /* likewise */
	OPTION_LAMBDA,	    /* no text; a property of the list */
	OPTION_SETTINGS,    /* a settings file, added to the files */
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
	SECTION_VERBS, /* of verbs that neither record nor look at a JVM */
	SECTIONS,
};

extern const char *const option_sections[SECTIONS]; /* their headings */

struct option_choice {
	const char *name; /* NULL: the end */
	unsigned int value;
};

struct option_row {
	const char *name; /* without the dashes; several rows may have the same one, for different verbs */
	char letter;	  /* 0: none */
	bool optional;	  /* the argument may be left out; it is given as --name=ARGUMENT only */
	enum option_kind kind;
	enum option_section section;
	unsigned int verbs;		     /* VERB_BIT()s of those that take it */
	const char *arg;		     /* of the argument; NULL: there is none */
	const struct option_choice *choices; /* of OPTION_CHOICE all; of others what completion offers; may be NULL */
	size_t at, size;		     /* the field in struct command_line; size is 0 if there is none */
	size_t given;			     /* a bool there that is set when the option is given; 0: none */
	uint64_t min, max;		     /* the limits of a number; max 0: no limit */
	const char *usual;		     /* the value if it is not given; NULL: nothing to say */
	const char *help;		     /* one line, as of a verb; without limits and default */
	const char *more;		     /* sentences for the manual page alone; may be NULL */
};

/* The last one has no name. */
extern const struct option_row options[];

/*
 * The option of the verbs (a mask) that `name`, of `length` bytes, is or abbreviates. *count is how many it may mean, 1
 * for an exact name. NULL where *count is not 1.
 */
const struct option_row *option_by_name(unsigned int verbs, const char *name, size_t length, size_t *count);

/* NULL: no option of the verbs has this letter. */
const struct option_row *option_by_letter(unsigned int verbs, char letter);

/* What stands behind the name: "=TIME", "=on|off|full", "[=SETTINGS]", "". */
void option_argument(const struct option_row *o, char *out, size_t size);

/* What --help and the manual page say of limits and default: "1 to 2048, default 64"; "". */
void option_notes(const struct option_row *o, char *out, size_t size);

#endif
