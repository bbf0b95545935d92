// SPDX-License-Identifier: BSD-2-Clause
/* "Trace Event Format" (Google, 2016): times are microseconds, here since the first call that was recorded. */
#include "user/json.h"
#include "user/view/export.h"

#include <errno.h>
#include <inttypes.h>

struct chrome {
	struct export_names names;
	struct json json;
	FILE *to;
	bool begun;
	int64_t base;
};

static void put_track(struct chrome *c, const struct group *thread)
{
	json_object(&c->json, NULL);
	json_string(&c->json, "ph", "M");
	json_string(&c->json, "name", "thread_name");
	json_unsigned(&c->json, "pid", 1);
	json_unsigned(&c->json, "tid", thread->mark);
	json_object(&c->json, "args");
	json_string(&c->json, "name", thread->name);
	json_end(&c->json);
	json_end(&c->json);
}

static int add(const struct call *call, void *context)
{
	struct chrome *c = context;
	struct group *thread = export_thread(&c->names, call);
	const char *method = export_method(&c->names, call->chunk, &call->method);

	if (!thread || !method)
		return -ENOMEM;
	if (!c->begun)
		c->base = call->start;
	c->begun = true;
	if (!thread->count++)
		put_track(c, thread);
	json_object(&c->json, NULL);
	json_string(&c->json, "ph", "X");
	json_string(&c->json, "name", method);
	json_unsigned(&c->json, "pid", 1);
	json_unsigned(&c->json, "tid", thread->mark);
	json_real(&c->json, "ts", (call->start - c->base) / 1e3);
	json_real(&c->json, "dur", call->duration / 1e3);
	json_object(&c->json, "args");
	json_bool(&c->json, "thrown", call->thrown);
	json_end(&c->json);
	json_end(&c->json);
	return ferror(c->to) ? -EIO : 0;
}

int export_chrome(struct jfr_file *file, FILE *to)
{
	struct chrome c = {.to = to};
	int err;

	export_names_init(&c.names);
	json_init(&c.json, to);
	json_object(&c.json, NULL);
	json_string(&c.json, "displayTimeUnit", "ns");
	json_array(&c.json, "traceEvents");
	err = calls_each(file, "jdk.MethodTrace", add, &c);
	json_end(&c.json);
	json_end(&c.json);
	export_names_release(&c.names);
	return err == -EIO ? 0 : err; /* whose errors are in `to` */
}
