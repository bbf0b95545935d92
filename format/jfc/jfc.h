/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings files of JFR (.jfc): XML with the settings of event types, and with controls that change several
 * settings at once. The format has no specification; this code does what JDK 25 does (jfc.xsd of jdk.jfr, the
 * Javadoc of package jdk.jfr, `jfr configure`):
 *
 *	<configuration version="2.0" label="Continuous">
 *	  <event name="jdk.MethodTrace">
 *	    <setting name="enabled">true</setting>
 *	    <setting name="filter" control="method-trace"></setting>
 *	  </event>
 *	  <control>
 *	    <text name="method-trace" label="Method Trace Filter" contentType="method-filter"></text>
 *	  </control>
 *	</configuration>
 *
 * A setting has the value that is written in it, whatever its control says, until a control is set. Then the
 * settings that depend on that control get new values, and no others. If a setting occurs twice, the last one
 * counts.
 */
#ifndef FORMAT_JFC_JFC_H
#define FORMAT_JFC_JFC_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JFC_MAX_SIZE (1u << 20) /* bytes; JFR's own limit */
#define JFC_INFINITY INT64_MAX	/* nanoseconds */

struct jfc; /* a parsed file */

struct jfc_setting {
	const char *event, *name, *value; /* value: stripped, "" if it is empty */
	const char *control;		  /* NULL: no control */
	unsigned line, column;		  /* of the element, counted from 1 */
};

/*
 * Parse a file. `name` is for messages and is copied. Unknown elements and attributes are skipped. A document type
 * is refused, and with it all entities. Errors are usage errors of one line, with line and column. The caller
 * frees *out.
 */
int jfc_read(struct jfc **out, const char *name, const void *bytes, size_t size, struct diag *d);
void jfc_free(struct jfc *j);

const char *jfc_name(const struct jfc *j);

/* All settings of all events, in file order. Owned by j and valid until the next jfc_set_control(). */
const struct jfc_setting *jfc_settings(const struct jfc *j, size_t *count);

/* NULL if the file does not have it. */
const struct jfc_setting *jfc_find(const struct jfc *j, const char *event, const char *setting);

/*
 * The names of the events with the attribute withContext="true", which the JDK does not know: those of JFR that are to have
 * the context around them as fields. Begin with *at NULL, which is then where the search goes on; NULL: there are no more.
 */
struct jfc_node;
const char *jfc_next_with_context(const struct jfc *j, const struct jfc_node **at);

/* True if there is a <selection>, <text> or <flag> of this name. */
bool jfc_has_control(const struct jfc *j, const char *name);

/*
 * Set a control, and thereby the settings that depend on it. A selection takes the name of one of its options, a
 * flag true or false, and a text with contentType timespan a time. On error nothing changes.
 */
int jfc_set_control(struct jfc *j, const char *name, const char *value, struct diag *d);

/* Write a usage error of one line with the place of a setting. */
int jfc_wrong(const struct jfc *j, const struct jfc_setting *s, struct diag *d, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

enum jfc_period_kind {
	JFC_NO_PERIOD = 0, /* no file sets a period; the JDK uses everyChunk */
	JFC_EVERY_CHUNK,   /* at the beginning and end of each chunk */
	JFC_BEGIN_CHUNK,
	JFC_END_CHUNK,
	JFC_TIME,
};

struct jfc_period {
	enum jfc_period_kind kind;
	uint64_t ns; /* for JFC_TIME: at least 1 ms; JFC_INFINITY: never, which is how the JDK treats 0 */
};

/* The settings of one event type, limited to those of jdk.MethodTrace and jdk.MethodTiming. */
struct jfc_event {
	bool enabled, stack_trace;
	uint64_t threshold_ns; /* JFC_INFINITY: no call is long enough */
	struct jfc_period period;
	const char *filter;			  /* as written; owned by the file that it comes from */
	const struct jfc_setting *filter_setting; /* its place; NULL: none */
};

/* Set the defaults: disabled, 0 ns, with stacks, no filter. */
void jfc_event_init(struct jfc_event *e);

/*
 * Apply this file's settings of the event type to *e. If several files are applied, the last one wins for each
 * setting, as with several settings= of JFR. A wrong value or an unknown control is a usage error; the JDK ignores
 * both.
 */
int jfc_apply(const struct jfc *j, const char *event, struct jfc_event *e, struct diag *d);

/*
 * Parse JFR's form of a time: a whole number, optional white space, and ns us ms s m h d; or infinity. Times
 * beyond 292 years become infinity. Returns false for other texts.
 */
bool jfc_parse_time(const char *text, uint64_t *ns);

#endif
