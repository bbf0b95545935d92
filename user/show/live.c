// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/live.h"
#include "user/text/log.h"
#include "user/show/keys.h"
#include "user/show/lines.h"
#include "user/show/otlp_live.h"
#include "user/show/stdout_queue.h"
#include "user/show/interval_table.h"
#include "user/text/term.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct live {
	const struct recording *recording;
	struct stdout_queue *queue;
	struct intervals *intervals; /* NULL: no table */
	struct lines *lines;	     /* NULL: no lines */
	struct otlp_live *otlp;	     /* NULL: no spans */
	struct keys *keys;	     /* NULL: none are read */
	uint32_t first;		     /* row of the table at the top of the screen */
	bool colours;
	int64_t due;
	uint64_t refused; /* tables refused by the queue */
};

static int open_view(struct live *l, struct diag *d)
{
	const struct recording *r = l->recording;
	const struct settings *s = r->settings;
	struct breakdown *where = recorder_breakdown(r->recorder);
	int err = stdout_queue_open(&l->queue, STDOUT_FILENO, s->program, d);

	if (err)
		return err;
	if (s->otlp)
		return otlp_live_new(&l->otlp, r, l->queue, d);
	if (s->lines)
		return lines_new(&l->lines, r, l->queue, d);
	err = intervals_new(&l->intervals, r->segment, r->clock, where ? breakdown_running_sums(where) : NULL, s->alloc,
			    d);
	if (!err && !s->json && stdout_queue_is_in_place(l->queue)) {
		l->keys = keys_open(STDIN_FILENO);
		l->colours = term_has_colours(STDOUT_FILENO);
	}
	return err;
}

static void live_on_call(void *context, const struct recorded_call *c)
{
	struct live *l = context;

	if (l->otlp)
		otlp_live_add(l->otlp, c);
	else
		lines_add(l->lines, c);
}

int live_check(const struct settings *s, struct diag *d)
{
	int mode = fcntl(STDOUT_FILENO, F_GETFL);

	if (settings_show_calls(s) && (mode < 0 || (mode & O_ACCMODE) == O_RDONLY))
		return diag_errno(d, EBADF, "cannot print on standard output");
	return 0;
}

int live_new(struct live **out, const struct recording *r, struct diag *d)
{
	struct live *l;
	int err;

	*out = NULL;
	if (!settings_show_calls(r->settings))
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l)
		return diag_errno(d, ENOMEM, "cannot print");
	l->recording = r;
	err = open_view(l, d);
	if (!err && (l->lines || l->otlp))
		recorder_listen(r->recorder, RECORDED_SHOW, live_on_call, l);
	if (err)
		live_free(l);
	else
		*out = l;
	return err;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	recorder_listen(l->recording->recorder, RECORDED_SHOW, NULL, NULL);
	keys_close(l->keys);
	lines_free(l->lines);
	otlp_live_free(l->otlp);
	intervals_free(l->intervals);
	stdout_queue_close(l->queue);
	free(l);
}

/* The row at the top, such that the screen is full. */
static uint32_t live_first_row(struct live *l, const struct interval *i, const struct interval_table_setup *setup)
{
	uint32_t last = i->rows - interval_table_rows(i, setup);

	if (l->first > last)
		l->first = last;
	return i->whole ? 0 : l->first;
}

static void print_table(FILE *to, struct live *l, const struct interval *i, uint64_t lost, unsigned int *lines)
{
	const struct settings *s = l->recording->settings;
	struct interval_table_setup setup = {.segment = l->recording->segment,
					     .top = s->top,
					     .realtime = clock_realtime_offset(),
					     .ticks_offset = l->recording->target.monotonic_offset,
					     .lost = lost,
					     .keys = l->keys,
					     .colours = l->colours};

	*lines = 0;
	if (s->json) {
		interval_json(to, i, &setup);
		return;
	}
	stdout_queue_size(l->queue, &setup.width, &setup.height);
	if (!stdout_queue_is_in_place(l->queue))
		setup.height = 0;
	setup.first = live_first_row(l, i, &setup);
	*lines = interval_table_print(to, i, &setup);
	if (!stdout_queue_is_in_place(l->queue))
		putc('\n', to);
}

static void show_table(struct live *l, const struct interval *i, uint64_t lost)
{
	unsigned int lines;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	print_table(to, l, i, lost, &lines);
	if (fclose(to))
		return;
	if (lines ? !stdout_queue_frame(l->queue, text, size, lines) : !stdout_queue_put(l->queue, text, size))
		l->refused++;
	free(text);
}

static void tick_table(struct live *l, int64_t now, uint64_t lost)
{
	uint64_t interval = l->recording->settings->interval_ns;

	if (!l->due) {
		intervals_begin(l->intervals);
		l->due = now + interval;
	}
	if (now < l->due)
		return;
	show_table(l, intervals_next(l->intervals), lost);
	while (l->due <= now)
		l->due += interval;
}

/* A table in place keeps the totals as its last state. Appended tables first get the last, shorter interval. */
static void finish_table(struct live *l, uint64_t lost)
{
	const struct interval *last = intervals_next(l->intervals);

	if (l->recording->settings->json || !stdout_queue_is_in_place(l->queue))
		show_table(l, last, lost);
	if (!l->recording->settings->json)
		show_table(l, intervals_whole(l->intervals), lost);
}

int live_fd(const struct live *l)
{
	return l ? keys_fd(l->keys) : -1;
}

/* The next column with numbers, to the right or left. */
static enum interval_column live_next_column(const struct interval *i, int step)
{
	enum interval_column c = i->order;

	do
		c = (c + INTERVAL_COLUMNS + step) % INTERVAL_COLUMNS;
	while (!interval_has_column(i, c));
	return c;
}

static void live_turn(struct live *l, int step)
{
	intervals_sort(l->intervals, live_next_column(intervals_last(l->intervals), step));
	l->first = 0;
}

bool live_serve_keys(struct live *l, uint64_t lost)
{
	bool changed = false;
	enum key key = KEY_NONE;

	while (key != KEY_END && (key = keys_next(l->keys)) != KEY_NONE) {
		switch (key) {
		case KEY_SORT:
		case KEY_RIGHT: live_turn(l, 1); break;
		case KEY_LEFT: live_turn(l, -1); break;
		case KEY_UP: l->first -= l->first > 0; break;
		case KEY_DOWN: l->first++; break;
		case KEY_END:
		case KEY_NONE: continue;
		}
		changed = true;
	}
	if (changed && intervals_last(l->intervals)->length)
		show_table(l, intervals_last(l->intervals), lost);
	return key != KEY_END;
}

bool live_tick(struct live *l, int64_t now, uint64_t lost)
{
	keys_take(l->keys);
	if (l->otlp)
		otlp_live_print(l->otlp, now);
	else if (l->lines)
		lines_print(l->lines, now);
	else
		tick_table(l, now, lost);
	return stdout_queue_flush(l->queue);
}

void live_forget_callers(struct live *l)
{
	if (l && l->lines)
		lines_forget_callers(l->lines);
}

bool live_has_terminal(const struct live *l)
{
	return l && stdout_queue_is_terminal(l->queue);
}

static void report_otlp_skipped(const struct otlp_live_skipped *s)
{
	if (s->spans)
		log_line("  %s spans were not printed: they came faster than that; the file has their calls",
			 log_count(s->spans));
	if (s->waits)
		log_line("  %s waits were not printed: too many were in calls that had not ended; the file has them",
			 log_count(s->waits));
}

void live_finish(struct live *l, uint64_t lost)
{
	if (!l)
		return;
	keys_close(l->keys);
	l->keys = NULL;
	if (l->otlp)
		otlp_live_print(l->otlp, INT64_MAX);
	else if (l->lines)
		lines_print(l->lines, INT64_MAX);
	else
		finish_table(l, lost);
	if (!stdout_queue_flush(l->queue))
		return;
	if (!stdout_queue_finish(l->queue))
		log_error("frtrace: standard output takes nothing any more, the rest of it is not printed");
	if (l->refused)
		log_line("  %s tables were not printed: standard output did not take them in time",
			 log_count(l->refused));
	if (l->otlp)
		report_otlp_skipped(otlp_live_skipped(l->otlp));
	if (l->lines && lines_skipped(l->lines))
		log_line("  %s calls were not printed: they came faster than that; the file has them",
			 log_count(lines_skipped(l->lines)));
}
