// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the JVM has in use stands in its answer to GC.heap_info up to JDK 24, later to VM.metaspace. (Its counters in
 * hsperfdata are as old as the last GC.)
 *
 *	 Metaspace       used 16825K, capacity 18026K, committed 18304K, reserved 1064960K	up to JDK 15
 *	  class space    used 1827K, capacity 1866K, committed 1920K, reserved 1048576K
 *	 Metaspace       used 14183K, committed 14336K, reserved 1114112K
 *
 * The limits are for what is committed. Freed code of a class is kept for later code of classes of the same loader, so it
 * is not counted upon, neither on the way in nor on the way out.
 */
#include "user/jvm/metaspace.h"
#include "user/jvm/jvm_model.h"
#include "user/process/attach.h"
#include "user/process/perf_data.h"
#include "user/text/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS	  15000
#define KEEP_FREE	  10   /* a tenth of each limit is left to the program */
#define EACH_CLASS	  1536 /* bytes of class space, with its method tables; measured: 430 for small classes */
#define AGENT_NEEDS	  (256 << 10) /* bytes */
#define SAID_BY_METASPACE 25	      /* the first JDK whose GC.heap_info does not have it */

static bool parse_field(const char *line, const char *end, const char *name, uint64_t *out)
{
	const char *at = memmem(line, end - line, name, strlen(name));
	char *after;

	if (!at)
		return false;
	at += strlen(name);
	*out = strtoull(at, &after, 10);
	if (after == at || *after != 'K' || *out > UINT64_MAX >> 11)
		return false;
	*out <<= 10;
	return true;
}

/* The line that begins with `name`, after blanks. */
static bool parse_line(const char *text, const char *name, uint64_t *used, uint64_t *committed, uint64_t *reserved)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *word = line + strspn(line, " "), *end = line + strcspn(line, "\n");

		if (!strncmp(word, name, strlen(name)) && parse_field(word, end, " used ", used) &&
		    parse_field(word, end, " committed ", committed) && parse_field(word, end, " reserved ", reserved))
			return true;
	}
	return false;
}

bool metaspace_parse(const char *text, struct metaspace_use *out)
{
	uint64_t reserved;

	*out = (struct metaspace_use){0};
	if (!parse_line(text, "Metaspace", &out->used, &out->committed, &reserved))
		return false;
	if (!parse_line(text, "class space", &out->class_used, &out->class_committed, &out->class_reserved))
		out->class_used = out->class_committed = out->class_reserved = 0;
	return true;
}

static bool metaspace_ask(const struct target *t, const char *command, const char *argument, char **reply)
{
	const char *arguments[] = {argument, NULL};
	struct diag why;
	int code;

	*reply = NULL;
	if (attach_command(t, command, arguments, TIMEOUT_MS, &code, reply, &why)) {
		log_detail("metaspace: %s", why.text);
		return false;
	}
	return !code && *reply;
}

/* What a JVM that begins has in use: it takes no command yet, and its counters are up to date. */
static bool look_at_counters(const struct target *t, struct metaspace_use *out)
{
	struct perf_data p;
	int64_t all, classes;
	bool known;

	if (perf_data_read(t, &p))
		return false;
	known = perf_data_long(&p, "sun.gc.metaspace.capacity", &all) && all >= 0;
	if (known)
		*out = (struct metaspace_use){.used = all, .committed = all};
	if (known && perf_data_long(&p, "sun.gc.compressedclassspace.capacity", &classes) && classes >= 0)
		out->class_used = out->class_committed = classes;
	perf_data_release(&p);
	return known;
}

static bool metaspace_look(const struct target *t, struct metaspace_use *out)
{
	const char *command = t->jdk_version < SAID_BY_METASPACE ? "GC.heap_info" : "VM.metaspace basic";
	char *reply;
	bool known = metaspace_ask(t, "jcmd", command, &reply) && metaspace_parse(reply, out);

	free(reply);
	return known;
}

/* From the JVM's memory, or, on JDK 8, by a command that says "-XX:MaxMetaspaceSize=37748736". */
static bool metaspace_read_limit(const struct target *t, uint64_t *limit)
{
	char *reply, *at, *end;
	struct diag ignored;
	bool known = !jvm_model_read_number(t, "MaxMetaspaceSize", limit, &ignored);

	if (known)
		return true;

	if (metaspace_ask(t, "printflag", "MaxMetaspaceSize", &reply) && (at = strchr(reply, '='))) {
		*limit = strtoull(at + 1, &end, 10);
		known = end != at + 1;
	}
	free(reply);
	return known;
}

/* What may be taken of `limit` bytes. */
static uint64_t metaspace_usable(uint64_t limit, uint64_t committed)
{
	uint64_t most = limit == METASPACE_NO_LIMIT ? limit : limit - limit / KEEP_FREE;

	return committed < most ? most - committed : 0;
}

static uint64_t class_limit(const struct metaspace *m)
{
	return m->now.class_reserved ? m->now.class_reserved : METASPACE_NO_LIMIT;
}

/* The class space is never used up by a recording if each class that it may have fits twice. */
static bool is_limited(const struct metaspace *m)
{
	return m->limit != METASPACE_NO_LIMIT ||
	       metaspace_usable(class_limit(m), m->now.class_committed) / (2 * EACH_CLASS) < FRT_MAX_CLASSES;
}

int metaspace_open(struct metaspace *m, const struct target *t, struct diag *d)
{
	uint64_t limit;

	*m = (struct metaspace){.target = t, .limit = METASPACE_NO_LIMIT};
	if (!metaspace_read_limit(t, &limit))
		limit = METASPACE_NO_LIMIT;
	limit = metaspace_limit(limit);
	m->begins = !metaspace_look(t, &m->now);
	if (m->begins && !look_at_counters(t, &m->now))
		return diag_set(d, ENODATA, "the JVM does not say how much metaspace it has");
	m->limit = limit;
	m->limited = is_limited(m);
	return 0;
}

static uint64_t left_of(uint64_t usable, uint64_t needed)
{
	return usable > needed ? usable - needed : 0;
}

void metaspace_allow(const struct metaspace *m, struct frt_room *room)
{
	uint64_t hooked = room->hooked_classes % (FRT_MAX_CLASSES + 1);
	uint64_t bytes = left_of(metaspace_usable(m->limit, m->now.committed), room->hooked_bytes);
	uint64_t class_bytes = left_of(metaspace_usable(class_limit(m), m->now.class_committed), hooked * EACH_CLASS);

	if (m->begins) /* what the hooks have taken to go in is not seen */
		bytes = left_of(bytes, room->hooked_bytes);
	room->bytes = bytes < INT64_MAX ? bytes : INT64_MAX;
	room->classes = class_bytes / (2 * EACH_CLASS);
}

void metaspace_answer(struct metaspace *m, struct frt_room *room)
{
	if (m->begins || metaspace_look(m->target, &m->now)) {
		metaspace_allow(m, room);
		log_detail("metaspace: %s committed, %s for hooks to go in and come out", log_bytes(m->now.committed),
			   log_bytes(room->bytes));
	} else {
		room->bytes = room->classes = 0;
	}
}

int metaspace_check(const struct metaspace *m, struct diag *d)
{
	char text[METASPACE_TEXT];

	if (!m->limited || (m->now.used + AGENT_NEEDS < m->limit && m->now.class_used + AGENT_NEEDS < class_limit(m)))
		return 0;
	metaspace_text(m, text);
	return diag_set(d, ENOSPC, "cannot trace process %d '%s': its metaspace is full: %s", m->target->pid,
			m->target->name, text);
}

void metaspace_text(const struct metaspace *m, char out[METASPACE_TEXT])
{
	bool class = m->limit == METASPACE_NO_LIMIT || metaspace_usable(class_limit(m), m->now.class_committed) <
							       metaspace_usable(m->limit, m->now.committed);
	char used[32];

	snprintf(used, sizeof(used), "%s of", log_bytes(class ? m->now.class_committed : m->now.committed));
	snprintf(out, METASPACE_TEXT, "%s %s (-XX:%s)", m->begins ? "at most" : used,
		 log_bytes(class ? class_limit(m) : m->limit), class ? "CompressedClassSpaceSize" : "MaxMetaspaceSize");
}
