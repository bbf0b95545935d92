// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks that calls handed to other threads, by class and by the threads that ran them: how long they stood in the queue, and
 * how long they ran. Those that did not run have rows of their own, by outcome.
 */
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"
#include "user/trace/sum.h"
#include "user/trace/threads.h"
#include "user/view/views.h"

#include <stdlib.h>

struct task_times {
	int64_t *ns;
	size_t count, capacity;
	int64_t total;
};

struct task_group {
	uint32_t class_name, where; /* numbers of texts */
	struct task_times queue, run;
};

struct task_groups {
	struct texts texts;
	struct threads threads;
	struct map numbers;    /* (class, where) -> number */
	struct task_group *of; /* by number - 1 */
	size_t count, capacity;
};

static void task_times_add(struct task_times *t, int64_t ns)
{
	memory_reserve(&t->ns, &t->capacity, t->count + 1);
	t->ns[t->count++] = ns;
	sum_add(&t->total, ns);
}

static uint32_t task_text_number(struct task_groups *g, struct bytes *text)
{
	uint32_t number = texts_number(&g->texts, memory_text(text));

	bytes_release(text);
	return number;
}

static uint32_t task_class_number(struct task_groups *g, const struct task *t)
{
	struct bytes text;

	bytes_init(&text);
	put_task_class(&text, t);
	return task_text_number(g, &text);
}

/* "pool-*-thread-*" or, of one that did not run, "(cancelled)". */
static uint32_t task_where_number(struct task_groups *g, const struct task *t)
{
	uint32_t thread = t->run >= 0 ? threads_named(&g->threads, t->chunk, &t->thread) : 0;
	struct bytes text;

	bytes_init(&text);
	if (thread) {
		put_text(&text, g->threads.thread[thread - 1].group);
	} else {
		bytes_put_u8(&text, '(');
		put_value_text(&text, &t->outcome);
		bytes_put_u8(&text, ')');
	}
	return task_text_number(g, &text);
}

static int task_add(const struct task *t, void *context)
{
	struct task_groups *g = context;
	uint32_t class_name = task_class_number(g, t), where = task_where_number(g, t);
	uint32_t *number = memory_map_at(&g->numbers, class_name, where);

	if (!*number) {
		*number = g->count + 1;
		memory_extend(&g->of, &g->count, &g->capacity, *number);
		g->of[*number - 1] = (struct task_group){.class_name = class_name, .where = where};
	}
	task_times_add(&g->of[*number - 1].queue, t->duration);
	if (t->run >= 0)
		task_times_add(&g->of[*number - 1].run, t->run);
	return 0;
}

static int task_time_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The time that this share of the tasks did not exceed; TABLE_UNKNOWN without tasks. */
static int64_t task_quantile(const struct task_times *t, unsigned int per_mille)
{
	return t->count ? t->ns[(t->count - 1) * per_mille / 1000] : TABLE_UNKNOWN;
}

/* Most time in queues first. */
static int task_group_compare(const void *a, const void *b)
{
	const struct task_group *x = a, *y = b;

	if (x->queue.total != y->queue.total)
		return (x->queue.total < y->queue.total) - (x->queue.total > y->queue.total);
	return x->class_name != y->class_name ? (x->class_name > y->class_name) - (x->class_name < y->class_name)
					      : (x->where > y->where) - (x->where < y->where);
}

static void task_group_put(struct table *table, const struct task_groups *all, struct task_group *g)
{
	if (g->queue.count)
		qsort(g->queue.ns, g->queue.count, sizeof(*g->queue.ns), task_time_compare);
	if (g->run.count)
		qsort(g->run.ns, g->run.count, sizeof(*g->run.ns), task_time_compare);
	table_put(table, all->texts.text[g->class_name]);
	table_put(table, all->texts.text[g->where]);
	table_put_count(table, g->queue.count);
	table_put_time(table, g->queue.total);
	table_put_time(table, task_quantile(&g->queue, 500));
	table_put_time(table, task_quantile(&g->queue, 990));
	table_put_time(table, task_quantile(&g->queue, 1000));
	table_put_time(table, g->run.count ? g->run.total : TABLE_UNKNOWN);
	table_put_time(table, task_quantile(&g->run, 500));
	table_put_time(table, task_quantile(&g->run, 990));
}

static void task_groups_put(void *state, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Task", "task", TABLE_TEXT, 0},
		{"Run By", "runBy", TABLE_TEXT, 0},
		{"Count", "count", TABLE_NUMBER, 0},
		{"Queued", "queuedNs", TABLE_NUMBER, 1},
		{"P50", "queuedP50Ns", TABLE_NUMBER, 3},
		{"P99", "queuedP99Ns", TABLE_NUMBER, 0},
		{"Longest", "queuedMaxNs", TABLE_NUMBER, 2},
		{"Ran", "ranNs", TABLE_NUMBER, 0},
		{"P50", "ranP50Ns", TABLE_NUMBER, 5},
		{"P99", "ranP99Ns", TABLE_NUMBER, 4},
	};
	struct task_groups *g = state;
	uint64_t shown = request->top ?: UINT64_MAX;
	struct table table;

	if (g->count)
		qsort(g->of, g->count, sizeof(*g->of), task_group_compare);
	table_init(&table, "Tasks", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < g->count && i < shown; i++)
		task_group_put(&table, g, &g->of[i]);
	view_put_table(&table, g->count, request, out);
}

static void task_groups_release(void *state)
{
	struct task_groups *g = state;

	for (size_t i = 0; i < g->count; i++) {
		free(g->of[i].queue.ns);
		free(g->of[i].run.ns);
	}
	free(g->of);
	map_release(&g->numbers);
	threads_release(&g->threads);
	texts_release(&g->texts);
}

const struct view_pass view_tasks = {.size = sizeof(struct task_groups),
				     .ops = {.task = task_add},
				     .put = task_groups_put,
				     .release = task_groups_release};
