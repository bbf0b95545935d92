// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a process context: keys and texts lie in the message, and the walk ends as its visitor says. */
#include "format/otel_context.h"
#include "tests/fuzz/fuzz.h"

struct message {
	const char *at;
	size_t size, attributes;
};

static bool lies_in(const struct message *m, struct slice s)
{
	return !s.length || (s.at >= m->at && s.length <= m->size && s.at <= m->at + m->size - s.length);
}

static int visit(const struct otel_attribute *a, void *context)
{
	struct message *m = context;

	require(lies_in(m, a->key) && lies_in(m, a->text), "a text outside of the message");
	require(a->kind != OTEL_BOOL || a->integer == 0 || a->integer == 1, "a third truth");
	return ++m->attributes == 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message m = {(const char *)data, size, 0};
	int r = otel_context_each(data, size, visit, &m);

	require(m.attributes < 1000 ? r == 0 || r == -EBADMSG : r == 1, "another result");
	return 0;
}
