// SPDX-License-Identifier: BSD-2-Clause
/*
 *	# HELP frtrace_calls_total Calls that have ended.
 *	# TYPE frtrace_calls_total counter
 *	frtrace_calls_total{recording="shop",class="com.acme.Cart",method="checkout",descriptor="()V"} 1204
 *
 * The label `recording` is the name of the file: the files of one directory are scraped together, and no two of their
 * series may have the same labels.
 */
#include "user/show/metrics.h"
#include "user/capture/cost.h"
#include "user/show/metrics_series.h"
#include "user/show/metrics_values.h"
#include "user/record/losses.h"
#include "user/text/new_file.h"
#include "user/record/wait_events.h"
#include "user/text/io.h"
#include "user/text/log.h"
#include "user/text/prometheus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PERIOD_NS 15000000000LL

struct metrics {
	struct new_file file;
	char *recording;	       /* the label */
	struct metrics_table *table;   /* NULL before the first write */
	struct metrics_values *values; /* NULL: the recording has no events that are summed up by a value */
	bool splits;		       /* calls have a breakdown */
	bool allocated;		       /* and what they have allocated */
	int64_t due;
	bool failed; /* and reported */
	uint64_t hook_ns, jvm_ns, lost[LOSSES];
};

/* recording="shop" of /var/lib/node-exporter/shop.prom */
static char *metrics_recording(const char *name)
{
	char *text = NULL, *stem = strndup(name, strlen(name) - strlen(".prom"));
	size_t size;
	FILE *to = stem ? open_memstream(&text, &size) : NULL;

	if (to) {
		prometheus_label(to, "recording", stem);
		if (fclose(to)) {
			free(text);
			text = NULL;
		}
	}
	free(stem);
	return text;
}

int metrics_open(struct metrics **out, const char *path, struct diag *d)
{
	struct metrics *m = calloc(1, sizeof(*m));
	int err;

	*out = NULL;
	if (!m)
		return diag_errno(d, ENOMEM, "cannot write metrics");
	err = new_file_open(&m->file, path, NEW_FILE_REPLACES, d);
	if (!err && !(m->recording = metrics_recording(m->file.name)))
		err = diag_errno(d, ENOMEM, "cannot write metrics");
	if (err)
		metrics_free(m);
	else
		*out = m;
	return err;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	new_file_close(&m->file);
	metrics_table_free(m->table);
	metrics_values_free(m->values);
	free(m->recording);
	free(m);
}

static bool metrics_begin(struct metrics *m, const struct recording *r)
{
	struct breakdown *where = recorder_breakdown(r->recorder);

	m->splits = where;
	m->allocated = r->settings->alloc;
	m->table = metrics_table_new(r->segment, r->clock, where ? breakdown_running_sums(where) : NULL, m->recording);
	return m->table;
}

int metrics_listen(struct metrics *m, const struct recording *r, struct diag *d)
{
	if (!m || r->settings->values == SETTINGS_VALUES_FULL || !metrics_values_are_in(&r->settings->events))
		return 0;
	m->values = metrics_values_new(m->recording);
	if (!m->values)
		return diag_errno(d, ENOMEM, "cannot write metrics");
	recorder_listen(r->recorder, RECORDED_METRICS, metrics_values_on_call, m->values);
	return 0;
}

static void put_info(const struct metrics *m, const struct recording *r, FILE *to, bool active)
{
	char pid[16];

	prometheus_family(to, "frtrace_info", "gauge", "The recording; always 1.");
	snprintf(pid, sizeof(pid), "%d", (int)r->target.pid);
	fprintf(to, "frtrace_info{%s,", m->recording);
	prometheus_label(to, "jvm", r->target.name);
	putc(',', to);
	prometheus_label(to, "pid", pid);
	putc(',', to);
	prometheus_label(to, "jdk", r->target.version);
	fputs(",version=\"" FRTRACE_VERSION "\"} 1\n", to);
	prometheus_family(to, "frtrace_active", "gauge", "1 while frtrace records, 0 after its end.");
	prometheus_count(to, "frtrace_active", m->recording, "", active);
}

/* What a family has of each series. */
struct metrics_column {
	const char *name, *help;
	size_t at;    /* in struct metrics_sums */
	bool seconds; /* else a count */
	enum {
		ALWAYS,
		SPLIT,	  /* known only with a breakdown */
		ALLOCATED /* only with --alloc */
	} known;
};

#define SUM(field) offsetof(struct metrics_sums, field)

static const struct metrics_column metrics_columns[] = {
	{"frtrace_calls_total", "Calls that have ended.", SUM(calls), false, ALWAYS},
	{"frtrace_thrown_total", "Calls that have ended with an exception.", SUM(thrown), false, ALWAYS},
	{"frtrace_call_seconds_total", "Time of the calls that have ended, with the calls that they made.", SUM(total),
	 true, ALWAYS},
	{"frtrace_split_calls_total", "Recorded calls with a known split of their time.", SUM(split_calls), false,
	 SPLIT},
	{"frtrace_split_seconds_total", "Time of these calls: the sum of their CPU time, run queue and blocked time.",
	 SUM(split), true, SPLIT},
	{"frtrace_cpu_seconds_total", "CPU time of calls with a known split.", SUM(cpu), true, SPLIT},
	{"frtrace_run_queue_seconds_total",
	 "Time for which calls with a known split were ready to run and waited for a CPU.", SUM(run_queue), true,
	 SPLIT},
	{"frtrace_allocated_bytes_total", "Bytes that calls have allocated, with those of the calls that they made.",
	 SUM(allocated), false, ALLOCATED},
};

/* True if the series has numbers for the column. */
static bool metrics_has(const struct metrics_series *row, const struct metrics_column *c)
{
	if (c->known == ALLOCATED)
		return !row->sums.unallocated;
	return c->known != SPLIT || row->sums.split_calls;
}

static void put_column(const struct metrics *m, const struct metrics_column *c, FILE *to)
{
	const struct metrics_series *row;

	prometheus_family(to, c->name, "counter", c->help);
	for (size_t i = 0; (row = metrics_table_row(m->table, i)); i++)
		if (metrics_has(row, c))
			(c->seconds ? prometheus_seconds : prometheus_count)(
				to, c->name, row->labels, "", *(const uint64_t *)((const char *)&row->sums + c->at));
}

static void metrics_put_blocked(const struct metrics *m, FILE *to)
{
	static const char name[] = "frtrace_blocked_seconds_total";
	const struct metrics_series *row;

	prometheus_family(to, name, "counter", "Time for which calls with a known split were blocked, by reason.");
	for (size_t i = 0; (row = metrics_table_row(m->table, i)); i++)
		for (unsigned int reason = 0; reason < FRT_WAIT_REASONS; reason++) {
			char label[64];

			if (!row->sums.blocked_on[reason])
				continue;
			snprintf(label, sizeof(label), "reason=\"%s\"", wait_reason(reason));
			prometheus_seconds(to, name, row->labels, label, row->sums.blocked_on[reason]);
		}
}

static void put_histogram(const struct metrics_series *row, FILE *to)
{
	const struct metrics_sums *s = &row->sums;
	char bound[64];

	for (size_t i = 0; i < METRICS_BUCKETS; i++) {
		snprintf(bound, sizeof(bound), "le=\"%g\"", metrics_bounds[i] / 1e9);
		prometheus_count(to, "frtrace_call_duration_seconds_bucket", row->labels, bound, s->bucket[i]);
	}
	prometheus_count(to, "frtrace_call_duration_seconds_bucket", row->labels, "le=\"+Inf\"",
			 s->bucket[METRICS_BUCKETS]);
	prometheus_seconds(to, "frtrace_call_duration_seconds_sum", row->labels, "", s->total);
	prometheus_count(to, "frtrace_call_duration_seconds_count", row->labels, "", s->bucket[METRICS_BUCKETS]);
}

static void put_methods(const struct metrics *m, FILE *to)
{
	const bool has[] = {[ALWAYS] = true, [SPLIT] = m->splits, [ALLOCATED] = m->allocated};
	const struct metrics_series *row;

	for (size_t i = 0; i < sizeof(metrics_columns) / sizeof(metrics_columns[0]); i++)
		if (has[metrics_columns[i].known])
			put_column(m, &metrics_columns[i], to);
	if (m->splits)
		metrics_put_blocked(m, to);
	prometheus_family(to, "frtrace_call_duration_seconds", "histogram",
			  "Durations of the calls that have ended; the bounds are accurate to 1.6 %.");
	for (size_t i = 0; (row = metrics_table_row(m->table, i)); i++)
		put_histogram(row, to);
}

/* The target's counters are its own, so what it takes back is kept. */
static uint64_t metrics_keep(uint64_t *kept, uint64_t n)
{
	if (n > *kept)
		*kept = n;
	return *kept;
}

static void put_losses(struct metrics *m, const struct recording *r, FILE *to)
{
	static const char *const reasons[LOSSES] = {[LOSS_UNWRITTEN] = "unwritten",
						    [LOSS_UNRECORDED] = "no ring",
						    [LOSS_UNSLOTTED] = "no slot",
						    [LOSS_EXITS] = "no exit hook",
						    [LOSS_OVERWRITTEN] = "overwritten",
						    [LOSS_MALFORMED] = "malformed",
						    [LOSS_EXCESS] = "too many in a root",
						    [LOSS_TORN] = "end of root",
						    [LOSS_NATIVES] = "native call",
						    [LOSS_UNREAD] = "unread",
						    [LOSS_TASKS] = "task"};
	struct losses lost;

	losses_read(&lost, r->session, r->recorder);
	prometheus_family(to, "frtrace_lost_calls_total", "counter", "Calls that should be recorded but are not.");
	for (size_t i = 0; i < LOSSES; i++) {
		char label[64];

		snprintf(label, sizeof(label), "reason=\"%s\"", reasons[i]);
		prometheus_count(to, "frtrace_lost_calls_total", m->recording, label,
				 metrics_keep(&m->lost[i], lost.of[i]));
	}
}

static uint64_t own_cpu_ns(void)
{
	struct rusage u = {0};

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ULL +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ULL;
}

/* A JVM that has ended has no CPU time any more. */
static void metrics_note_cost(struct metrics *m, const struct recording *r, const struct segment_totals *t)
{
	uint64_t hooks = t->entered * cost_of_hooks(r->segment, r->clock);
	uint64_t jvm = target_cpu_ns(&r->target);

	metrics_keep(&m->hook_ns, hooks);
	metrics_keep(&m->jvm_ns, jvm > r->cpu_before ? jvm - r->cpu_before : 0);
}

static void put_cost(struct metrics *m, const struct recording *r, FILE *to)
{
	struct segment_totals t;
	uint32_t classes;

	segment_totals(r->segment, &t);
	metrics_note_cost(m, r, &t);
	prometheus_family(to, "frtrace_hooked_methods", "gauge", "Methods that have hooks now.");
	prometheus_count(to, "frtrace_hooked_methods", m->recording, "", segment_count_hooked(r->segment, &classes));
	prometheus_family(to, "frtrace_open_calls", "gauge", "Calls that have not ended.");
	prometheus_count(to, "frtrace_open_calls", m->recording, "", t.open);
	prometheus_family(to, "frtrace_hook_cpu_seconds_total", "counter",
			  "CPU time that the hooks took; an estimate.");
	prometheus_seconds(to, "frtrace_hook_cpu_seconds_total", m->recording, "", m->hook_ns);
	prometheus_family(to, "frtrace_own_cpu_seconds_total", "counter", "CPU time of frtrace itself.");
	prometheus_seconds(to, "frtrace_own_cpu_seconds_total", m->recording, "", own_cpu_ns());
	prometheus_family(to, "frtrace_jvm_cpu_seconds_total", "counter",
			  "CPU time of the JVM since tracing began, with that of the hooks.");
	prometheus_seconds(to, "frtrace_jvm_cpu_seconds_total", m->recording, "", m->jvm_ns);
}

static char *metrics_text(struct metrics *m, const struct recording *r, bool active, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (!to)
		return NULL;
	metrics_table_update(m->table);
	put_info(m, r, to, active);
	put_methods(m, to);
	if (m->values)
		metrics_values_put(m->values, to);
	put_losses(m, r, to);
	put_cost(m, r, to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

/*
 * Everybody may read it: the exporter runs as another user. It is not synced, which would hold up the recording; after a
 * power failure nobody needs the numbers.
 */
static int metrics_replace(struct metrics *m, const char *text, size_t size, struct diag *d)
{
	int old = m->file.unfinished ? -1 : new_file_begin_again(&m->file, d), err;

	if (old < 0 && !m->file.unfinished)
		return old;
	err = ftruncate(m->file.fd, 0) || lseek(m->file.fd, 0, SEEK_SET) ? -errno
									 : io_write_all(m->file.fd, text, size);
	if (!err && fchmod(m->file.fd, 0644))
		err = -errno;
	if (err)
		diag_errno(d, -err, "cannot write '%s'", m->file.path);
	else
		err = new_file_commit(&m->file, d);
	if (!err && old >= 0)
		close(old);
	else if (err && old >= 0)
		new_file_revert(&m->file, old);
	return err;
}

static int metrics_write(struct metrics *m, const struct recording *r, bool active, struct diag *d)
{
	size_t size;
	char *text = m->table || metrics_begin(m, r) ? metrics_text(m, r, active, &size) : NULL;
	int err = text ? metrics_replace(m, text, size, d) : diag_errno(d, ENOMEM, "cannot write metrics");

	free(text);
	return err;
}

void metrics_tick(struct metrics *m, const struct recording *r, int64_t now)
{
	struct diag d = {0};

	if (!m || now < m->due)
		return;
	m->due = now + PERIOD_NS;
	if (!metrics_write(m, r, true, &d) || m->failed)
		return;
	m->failed = true;
	log_error("frtrace: %s", d.text);
	recorder_remark(r->recorder, "metrics", d.text);
}

bool metrics_finish(struct metrics *m, const struct recording *r)
{
	struct diag d = {0};

	if (!m)
		return true;
	if (m->values)
		recorder_listen(r->recorder, RECORDED_METRICS, NULL, NULL);
	if (!metrics_write(m, r, false, &d))
		return true;
	log_error("frtrace: %s", d.text);
	return false;
}
