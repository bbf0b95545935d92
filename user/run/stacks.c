// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/stacks.h"
#include "filters/quote.h"
#include "user/jvm/active.h"
#include "user/process/dump.h"
#include "user/run/printout.h"
#include "user/text/log.h"

#include <errno.h>
#include <stdlib.h>

/* 0: walked stacks can be trusted. With --stacks=walk, stacks that could not be compared are accepted, too. */
static int stacks_check_model(struct recording *r, char **dump)
{
	int err = jvm_model_check(&r->model, &r->target, dump, &r->not_walked);

	if (err != -ENODATA || r->settings->stacks != SETTINGS_STACKS_WALK)
		return err;
	log_detail("stacks unchecked: %s", r->not_walked.text);
	r->not_walked.text[0] = 0;
	return 0;
}

/* Open the model for walking stacks, if it is wanted and passes the check. *dump may be set (jvm_model_check()). */
static int stacks_open_model(struct recording *r, char **dump)
{
	int err;

	if (r->settings->stacks == SETTINGS_STACKS_JVMTI)
		return diag_set(&r->not_walked, ENOTSUP, "--stacks=jvmti");
	err = jvm_model_open(&r->model, &r->target, &r->not_walked) ?: stacks_check_model(r, dump);
	if (err)
		jvm_model_close(&r->model);
	return err;
}

/* Tell the agent where the JVM counts what its threads allocate. Without that, calls have no such field. */
static void stacks_find_allocated(struct recording *r)
{
	const struct hotspot_layout *layout = &r->model.layout;
	struct frt_allocated where;
	struct jvm_model other = {0};

	if (!r->settings->alloc)
		return;
	if (!r->model.resolver && !jvm_model_open_classes(&other, &r->target, &r->not_counted))
		layout = &other.layout;
	if (r->not_counted.text[0])
		r->settings->alloc = false;
	else if (hotspot_layout_allocated(layout, &where))
		session_take_allocated(r->session, &where);
	else
		r->settings->alloc = !diag_set(&r->not_counted, ENOTSUP, "the JVM's tables do not say where they are");
	jvm_model_close(&other);
}

int stacks_prepare(struct recording *r, char **dump, struct diag *d)
{
	uint32_t sources = r->settings->stacks == SETTINGS_STACKS_WALK ? 0 : FRT_STACKS_JVMTI;
	int err = 0;

	*dump = NULL;
	if (!r->settings->no_stack)
		err = stacks_open_model(r, dump);
	if (err == -ETIMEDOUT) {
		*d = r->not_walked;
		return err;
	}
	stacks_find_allocated(r);
	if (r->model.resolver)
		session_take_stacks(r->session, sources | FRT_STACKS_WALK, &r->model.layout.walk);
	else if (!r->settings->no_stack)
		session_take_stacks(r->session, sources, NULL);
	if (r->model.resolver || *dump)
		return 0;
	err = target_thread_dump(&r->target, dump, d);
	if (err)
		log_detail("%s", d->text);
	return err == -ETIMEDOUT ? err : 0;
}

static void stacks_exclude(struct filter_list *filters, const char *class_name)
{
	char *filter = quote_filter(class_name, NULL, NULL);
	struct diag d = {0};

	if (filter && filter_list_add(filters, filter, FILTER_EXCLUDE, &d))
		log_detail("%s", d.text);
	free(filter);
}

void stacks_skip_active(const struct recording *r, const char *dump)
{
	struct active_list *active = malloc(sizeof(*active));

	if (!active)
		return;
	active_find(active, dump, &r->target, r->settings->filters);
	printout_active(active, r->settings->skip_active);
	for (unsigned int i = 0; r->settings->skip_active && i < active->count; i++)
		stacks_exclude(r->settings->filters, active->method[i].class_name);
	free(active);
}

void stacks_skip_awaited(const struct recording *r)
{
	struct diag d = {0};
	char *dump = NULL;

	if (target_thread_dump(&r->target, &dump, &d))
		log_line("active now, not recorded: not known which calls, %s", d.text);
	else
		stacks_skip_active(r, dump);
	free(dump);
}

void stacks_prepare_probed(struct recording *r)
{
	if (r->settings->alloc)
		diag_set(&r->not_counted, ENOTSUP, "HotSpot's own probes do not tell them");
	r->settings->alloc = false;
	if (r->settings->no_stack)
		return;
	if (!jvm_model_open(&r->model, &r->target, &r->not_walked)) {
		session_take_stacks(r->session, FRT_STACKS_WALK, &r->model.layout.walk);
		return;
	}
	jvm_model_close(&r->model);
	r->settings->no_stack = true;
	r->settings->stacks = SETTINGS_STACKS_WALK; /* there is no other source */
}
