// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/mapping_file.h"
#include "user/options/option_file.h"

#define MAX_SIZE (512u << 20) /* those of the largest programs have 100 MB */

int mapping_file_read(struct mapping **out, const char *path, struct diag *d)
{
	struct bytes content = {.size = 0};
	int err;

	*out = NULL;
	if (!path)
		return 0;
	err = option_file_read(&content, path, "mapping", MAX_SIZE + 1, d);
	if (!err && content.size > MAX_SIZE)
		err = diag_usage(d, "wrong mapping: '%.200s' is larger than 512 MB", path);
	err = err ?: mapping_parse(out, path, (const char *)content.data, content.size, d);
	bytes_release(&content);
	return err;
}

int mapping_file_apply(struct settings *s, struct condition_list *conditions, struct diag *d)
{
	struct mapping *m;
	int err = mapping_file_read(&m, s->mapping, d);

	if (!m)
		return err;
	err = mapping_rename_filters(m, s->filters, d);
	for (size_t i = 0; !err && i < s->events.count; i++) {
		const struct event_spec *e = &s->events.event[i];

		err = mapping_rename_filters(m, e->filters, d);
		if (!err && e->from)
			err = mapping_rename_filters(m, e->from->filters, d);
	}
	err = err ?: condition_list_rename(&s->dump_when, m, d) ?: condition_list_rename(conditions, m, d);
	mapping_free(m);
	return err;
}
