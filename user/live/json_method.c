// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/json_method.h"
#include "user/segment/segment.h"
#include "user/text/java_name.h"

#define TEXT 4096

static void json_method_put_string(struct json *j, const char *key, const struct segment *s, uint32_t string, bool dots)
{
	char text[TEXT];

	segment_string(s, string, text, sizeof(text));
	if (dots)
		java_name_dots(text);
	json_string(j, key, text);
}

void json_method(struct json *j, const struct segment *s, uint32_t id)
{
	const struct frt_method *m = segment_method(s, id);
	const struct frt_class *c = m ? segment_class(s, m->class_id) : NULL;
	char loader[TEXT];

	json_method_put_string(j, "class", s, c ? c->name : 0, true);
	json_method_put_string(j, "method", s, m ? m->name : 0, false);
	json_method_put_string(j, "descriptor", s, m ? m->descriptor : 0, false);
	segment_name_loader(s, c ? c->loader : FRT_BOOT_LOADER, loader, sizeof(loader));
	json_string(j, "loader", loader);
}
