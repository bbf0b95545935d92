// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/call_samples.h"
#include "user/text/fold.h"
#include "user/text/java_number.h"
#include "user/text/json.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/trace/call.h"

#include <stdlib.h>

#define SHOWN 3

void call_samples_release(struct call_samples *s)
{
	free(s->of);
	map_release(&s->place);
	*s = (struct call_samples){0};
}

uint32_t sample_method(struct method_names *names, struct jfr_chunk *chunk, struct jfr_value stack)
{
	struct jfr_value frames, frame, method;
	struct cursor c;

	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY || !frames.place.count)
		return 0;
	c = jfr_enter(chunk, &frames);
	jfr_take_element(&c, &frames, &frame);
	method = frame_method(chunk, &frame);
	return method_names_number(names, chunk, &method);
}

void call_samples_add(struct call_samples *s, uint32_t method)
{
	uint32_t *place = memory_need(map_at(&s->place, method, 0));

	if (!*place) {
		*place = s->count + 1;
		memory_extend(&s->of, &s->count, &s->capacity, *place);
		s->of[*place - 1].method = method;
	}
	s->of[*place - 1].count++;
	s->total++;
}

static int compare_counts(const void *a, const void *b)
{
	const struct call_sample *x = a, *y = b;

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return (x->method > y->method) - (x->method < y->method);
}

static void call_samples_sort(struct call_samples *s)
{
	if (s->count)
		qsort(s->of, s->count, sizeof(*s->of), compare_counts);
}

static const char *sampled_name(const struct call_sample *s, const struct method_names *names)
{
	return s->method ? method_names_text(names, s->method) : "unknown";
}

static void put_share(struct bytes *out, uint64_t part, uint64_t total, const char *of, const char *separator,
		      size_t width, unsigned int indent)
{
	struct bytes text;

	bytes_init(&text);
	put_integer(&text, (int64_t)((200 * part + total) / (2 * total)));
	put_text(&text, " % ");
	put_text(&text, of);
	fold_beside(out, separator, memory_text(&text), width, indent);
	bytes_release(&text);
}

void call_samples_put(struct bytes *out, struct call_samples *s, const struct method_names *names, size_t width,
		      unsigned int indent)
{
	uint64_t left = s->total;

	if (!s->total)
		return;
	call_samples_sort(s);
	put_spaces(out, indent);
	put_text(out, log_count(s->total));
	put_text(out, s->total == 1 ? " sample" : " samples");
	for (size_t i = 0; i < s->count && i < SHOWN; i++) {
		put_share(out, s->of[i].count, s->total, sampled_name(&s->of[i], names), i ? ", " : ": ", width,
			  indent);
		left -= s->of[i].count;
	}
	if (left)
		put_share(out, left, s->total, "others", ", ", width, indent);
	bytes_put_u8(out, '\n');
}

void call_samples_put_json(struct bytes *out, struct call_samples *s, const struct method_names *names)
{
	struct json json;
	char *text = NULL;
	size_t size = 0;
	FILE *to = memory_need(open_memstream(&text, &size));

	call_samples_sort(s);
	json_init(&json, to);
	json_object(&json, NULL);
	for (size_t i = 0; i < s->count; i++)
		json_unsigned(&json, sampled_name(&s->of[i], names), s->of[i].count);
	json_end(&json);
	if (fclose(to))
		memory_exhausted();
	bytes_put(out, text, size - 1); /* without the end of the line */
	free(text);
}
