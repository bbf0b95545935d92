/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings files of JFR (.jfc): XML with the settings of event types, and with
 * controls that change several settings at once. The format has no
 * specification; what is here is what JDK 25 does (jdk.jfr's jfc.xsd, the
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
 * A setting has the value that is written in it, whatever its control says,
 * until a control is set; then the settings that depend on that control, and
 * only they, get new values. Of a setting that stands twice the last counts.
 */
#ifndef FORMAT_JFC_JFC_H
#define FORMAT_JFC_JFC_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JFC_MAX_SIZE (1u << 20) /* bytes; JFR's own limit */
#define JFC_INFINITY INT64_MAX	/* nanoseconds */

struct jfc; /* one file */

struct jfc_setting {
	const char *event, *name, *value; /* value: without white space around it, "" when there is none */
	const char *control;		  /* NULL: none named */
	unsigned line, column;		  /* of the element, from 1 */
};

/*
 * Read a file's bytes; `name` is for messages and is copied. Elements and
 * attributes that are not known are skipped, a document type is refused, and so
 * are entities with it. Errors are usage errors of one line with line and column.
 * *out is to be freed.
 */
int jfc_read(struct jfc **out, const char *name, const void *bytes, size_t size, struct diag *d);
void jfc_free(struct jfc *j);

const char *jfc_name(const struct jfc *j);

/* All settings of all events, in the file's order; owned by j, valid until the next jfc_set_control(). */
const struct jfc_setting *jfc_settings(const struct jfc *j, size_t *count);

/* NULL: the file does not have it. */
const struct jfc_setting *jfc_find(const struct jfc *j, const char *event, const char *setting);

/* Is there a <selection>, <text> or <flag> of this name? */
bool jfc_has_control(const struct jfc *j, const char *name);

/*
 * Set it, and by it the settings that depend on it. A selection wants the name
 * of one of its options, a flag true or false, a text of contentType timespan
 * a time. On error nothing is changed.
 */
int jfc_set_control(struct jfc *j, const char *name, const char *value, struct diag *d);

/* Message with the place of a setting, in one line: a usage error. */
int jfc_wrong(const struct jfc *j, const struct jfc_setting *s, struct diag *d, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

enum jfc_period_kind {
	JFC_NO_PERIOD = 0, /* no file says anything; the JDK takes everyChunk */
	JFC_EVERY_CHUNK,   /* at begin and end of each */
	JFC_BEGIN_CHUNK,
	JFC_END_CHUNK,
	JFC_TIME,
};

struct jfc_period {
	enum jfc_period_kind kind;
	uint64_t ns; /* of JFC_TIME: at least 1 ms; JFC_INFINITY: never, which is also what the JDK makes of 0 */
};

/* The settings of one event type, as far as jdk.MethodTrace and jdk.MethodTiming have them. */
struct jfc_event {
	bool enabled, stack_trace;
	uint64_t threshold_ns; /* JFC_INFINITY: none is ever long enough */
	struct jfc_period period;
	const char *filter;			  /* as written; owned by the file it is from */
	const struct jfc_setting *filter_setting; /* where it stands; NULL: nowhere */
};

/* What counts where no file says anything: off, 0 ns, stacks, no filter. */
void jfc_event_init(struct jfc_event *e);

/*
 * Put what this file says of the event type on top of *e. Of several files
 * applied one after the other the later one wins, setting by setting, as with
 * several settings= of JFR. A wrong value, or a control that is not there, is a
 * usage error; the JDK takes no notice of either.
 */
int jfc_apply(const struct jfc *j, const char *event, struct jfc_event *e, struct diag *d);

/*
 * JFR's times: a whole number, white space or none, and ns us ms s m h d; or
 * infinity. Times beyond 292 years are infinity. False: it is none.
 */
bool jfc_parse_time(const char *text, uint64_t *ns);

#endif
