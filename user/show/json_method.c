// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/json_method.h"
#include "user/segment/segment_names.h"
#include "filters/java_type.h"

void json_method(struct json *j, const struct segment *s, uint32_t id)
{
	struct segment_method_text t;
	const struct frt_method *m = segment_method_text(s, id, &t);
	const struct frt_class *c = m ? segment_class(s, m->class_id) : NULL;
	struct bytes loader = {.size = 0};

	java_name_dots(t.class_name);
	json_string(j, "class", t.class_name);
	json_string(j, "method", t.name);
	json_string(j, "descriptor", t.descriptor);
	segment_put_loader(&loader, s, c ? c->loader : FRT_BOOT_LOADER);
	json_string(j, "loader", bytes_text(&loader));
	bytes_release(&loader);
}
