// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/throttled.h"
#include "user/trace/jfr_names.h"

#define EARLIER 100000000ll /* ns; the method is turned off before the message is written */

void throttled_release(struct throttled *t)
{
	texts_release(&t->texts);
	*t = (struct throttled){0};
}

static bool throttled_is_told(struct jfr_chunk *chunk, const struct jfr_value *event)
{
	struct jfr_value kind = jfr_field(chunk, event, "kind");
	struct bytes text;
	bool is;

	bytes_init(&text);
	put_value_text(&text, &kind);
	is = strcmp(memory_text(&text), "throttled") == 0;
	bytes_release(&text);
	return is;
}

void throttled_note(struct throttled *t, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), said;
	int64_t at = jfr_event_span(chunk, e).start;
	struct bytes text, line;
	uint32_t number;

	if (!throttled_is_told(chunk, &event))
		return;
	bytes_init(&text);
	bytes_init(&line);
	said = jfr_field(chunk, &event, "text");
	put_value_text(&text, &said);
	put_shown_name(&line, memory_text(&text));
	number = texts_number(&t->texts, memory_text(&line));
	bytes_release(&text);
	bytes_release(&line);
	if (!t->count || at < t->from)
		t->from = at;
	t->count = number > t->count ? number : t->count;
}

bool throttled_is_of(const struct throttled *t, const struct span *span)
{
	return t->count && span_end(span) > t->from - EARLIER;
}
