// SPDX-License-Identifier: BSD-2-Clause
/*
 * What views, the page, diff and --fail-if say about one planted recording: all have to put the same wait into the same
 * calls, name the same holder of a lock, and have the same sums. test_exports_agree.c does the same for exports.
 */
#include "tests/unit/verbs/agree.h"

/*
 * What readers say differently today. Take a line out when its reader has learned the rules of tests/lib/planted.h; the
 * test fails until you do.
 */
static const struct known_difference known[] = {
	{NULL, NULL},
};

/* From a row of a table */
static void read_sums(const char *row, const char *method)
{
	sum_calls(&sums, method, number_at(row, "calls"), number_at(row, "thrown"), number_at(row, "totalNs"));
	sum_parts(&sums, method, number_at(row, "cpuNs"), number_at(row, "runQueueNs"), number_at(row, "blockedNs"));
}

/* ---- the truth */

/* A waker was "in" a call or "after" one. `after` alone: views do not say that it was in one if its stack does. */
static void claim_waker_call(struct claims *f, const char *reason, const char *method, const char *call)
{
	claim_add(f, "%s in %s: the waker was %s", reason, method, call);
}

static void true_waker_call(const struct planted_wait *w, const char *method, bool after)
{
	if (w->call && (!after || !strncmp(w->call, "after ", 6)))
		claim_waker_call(&truth, w->reason, method, w->call);
}

/* "after shop.Task.render() 20.0 ms" */
static const char *waker_call(const char *text)
{
	static char call[200];
	size_t word = strcspn(text, " ") + 1;

	snprintf(call, sizeof(call), "%.*s%s", (int)word, text, planted_name(text + word));
	return call;
}

/* What is true of a wait in each round. */
static void wait_in_call(const struct planted_wait *w, const struct planted_call *c, const char *time)
{
	for (int round = 0; round < PLANTED_ROUNDS; round++) {
		claim_add(&truth, "%s%s in %s", time, w->reason, c->method);
		if (w->waker)
			claim_add(&truth, "%s in %s for %s was ended by %s in %s", w->reason, c->method,
				  w->stack ? "?" : PLANTED_RESOURCE, w->waker, w->woken_in ?: "?");
		if (w->holder)
			claim_add(&truth, "%s in %s for what %s held in %s", w->reason, c->method, w->holder,
				  w->held_in);
		true_waker_call(w, c->method, true);
	}
}

/* ---- view slowest */

/* "plain 3.0, outer 2.0" behind "blocked (" */
static void slowest_reasons(char *text, const char *root)
{
	char *end = strstr(text, ")]"), *list = text, *part;

	assert_non_null(end);
	*end = 0;
	while ((part = strsep(&list, ","))) {
		char *time = strrchr(part, ' ');

		*time = 0;
		claim_add(&said, "%sms %s in %s", time + 1, part + strspn(part, " "), root);
	}
}

/* The lines of a call begin with one that has its times in brackets. */
static void slowest_line(char *line)
{
	static char root[200], around[10][200], reason[200];
	char waker[200], woken_in[200] = "?", holder[200], held_in[200], *after, *resource;
	size_t depth = strspn(line, " ");

	if (line[0] == '[') {
		char *reasons = strstr(line, "blocked (");

		strcpy(root, planted_name(strstr(line, "] ") + 2));
		claim_nesting(&said, NULL, root);
		if (reasons)
			slowest_reasons(reasons + strlen("blocked ("), root);
	} else if (sscanf(line, " held by \"%199[^\"]\": %199s", holder, held_in) == 2) {
		claim_add(&said, "%s in %s for what %s held in %s", reason, root, holder, planted_name(held_in));
	} else if (line[depth] == '>') {
		depth = (depth - 8) / 2;
		strcpy(around[depth], planted_name(strstr(line, "ms ") + 3));
		around[depth][strcspn(around[depth], " ,")] = 0;
		claim_nesting(&said, depth ? around[depth - 1] : root, around[depth]);
	} else if (depth == 8 && sscanf(line, " %*fms %199[^,]", reason) == 1 && !strchr(reason, '"')) {
		resource = strstr(reason, " " PLANTED_RESOURCE);
		if (resource)
			*resource = 0;
		if (sscanf(line, " %*[^,], woken by \"%199[^\"]\" in %199s", waker, woken_in) > 0)
			claim_add(&said, "%s in %s for %s was ended by %s in %s", reason, root,
				  resource ? resource + 1 : "?", waker, planted_name(woken_in));
		after = strstr(line, " after ");
		if (after)
			claim_waker_call(&said, reason, root, waker_call(after + 1));
	}
}

static void each_line(char *text, void (*take)(char *line))
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line)
			take(line);
}

AGREE(slowest_has_the_waits_of_each_root)
{
	each_line(RUN("view", "slowest", "--top=1000", "--width=400", "F"), slowest_line);
	planted_nesting(&truth);
	for (size_t i = 0; i < planted_wait_count; i++) {
		const struct planted_call *c = planted_call_of(&planted_waits[i]);
		char time[32];

		snprintf(time, sizeof(time), "%.1fms ", planted_waits[i].duration / 1e6);
		if (c)
			wait_in_call(&planted_waits[i], planted_root(c), time);
	}
	assert_same(known, "slowest");
}

/* An equal one, or one that began with it */
AGREE(slowest_has_nothing_of_what_is_around_a_call)
{
	each_line(RUN("view", "slowest", "--width=400", "-m", "shop.Equal::inner;shop.Begun::inner", "F"),
		  slowest_line);
	for (int round = 0; round < PLANTED_ROUNDS; round++) {
		claim_nesting(&truth, NULL, "Equal.inner");
		claim_nesting(&truth, NULL, "Begun.inner");
		claim_add(&truth, "2.0ms equal in Equal.inner");
	}
	assert_same(known, "slowest of some");
}

static void slowest_line_of_own(char *line)
{
	if (line[0] == '[')
		claim_add(&said, "%zu. %s", said.count + 1, planted_name(strstr(line, "] ") + 2));
}

AGREE(a_call_is_not_slow_because_of_frtrace)
{
	each_line(RUN("view", "slowest", "--top=1", "-m", "shop.Own", "--width=400", "F"), slowest_line_of_own);
	claim_add(&truth, "1. Own.fair");
	assert_same(known, "slowest of own");
}

/* ---- view tree */

/* The longest wait in the call and in those inside it. */
static const struct planted_wait *longest_wait(const struct planted_call *c)
{
	const struct planted_wait *longest = NULL;

	for (size_t i = 0; i < planted_wait_count; i++) {
		const struct planted_call *of = planted_call_of(&planted_waits[i]);

		while (of && of != c)
			of = planted_around(of);
		if (of && (!longest || planted_waits[i].duration > longest->duration))
			longest = &planted_waits[i];
	}
	return longest;
}

static int64_t self_time(const struct planted_call *c)
{
	int64_t self = c->duration;

	for (size_t i = 0; i < planted_call_count; i++)
		if (planted_around(&planted_calls[i]) == c)
			self -= planted_calls[i].duration;
	return self;
}

static void wait_claim(struct claims *f, const char *method, const char *reason, int64_t longest, const char *waker)
{
	claim_add(f, "longest of %s: %s %" PRId64 " ended by %s", method, reason, longest, waker);
}

static void true_tree(const struct planted_call *c)
{
	const struct planted_wait *w = longest_wait(c);

	sum_up(&true_sums, PLANTED_ROUNDS * self_time(c), "self of %s", c->method);
	for (int round = 0; w && round < PLANTED_ROUNDS; round++) {
		wait_claim(&truth, c->method, w->reason, w->duration, w->waker ?: "");
		if (w->holder)
			claim_add(&truth, "%s in %s for what %s held in %s", w->reason, c->method, w->holder,
				  w->held_in);
		true_waker_call(w, c->method, false);
	}
}

static void tree_row(const char *row, char (*methods)[200])
{
	char holder[200], held_in[200], waker[200], reason[200];
	int64_t parent = number_at(row, "parent"), node = number_at(row, "node");
	char *method = methods[node > 0 && node < 1000 ? node : 0];

	assert_in_range(node, 1, 999);
	strcpy(method, planted_name(json_text(row, "method")));
	claim_nesting(&said, parent > 0 ? methods[parent] : NULL, method);
	read_sums(row, method);
	sum_up(&sums, number_at(row, "selfNs"), "self of %s", method);
	strcpy(waker, json_text(row, "waker"));
	strcpy(reason, json_text(row, "waitReason"));
	if (number_at(row, "longestWaitNs") > 0)
		wait_claim(&said, method, reason, number_at(row, "longestWaitNs"), waker);
	if (sscanf(json_text(row, "heldBy"), "held by \"%199[^\"]\": %199s", holder, held_in) == 2)
		claim_add(&said, "%s in %s for what %s held in %s", reason, method, holder, planted_name(held_in));
	if (json_text(row, "wakerCall")[0])
		claim_waker_call(&said, reason, method, waker_call(json_text(row, "wakerCall")));
}

AGREE(tree_nests_calls_and_has_their_longest_waits)
{
	static char methods[1000][200];
	const char *text = RUN("view", "tree", "--json", "--top=1000", "F");

	for (const char *row = json_first(json_at(text, "rows")); row; row = json_next(row))
		tree_row(row, methods);
	planted_nesting(&truth);
	planted_sums(&true_sums);
	for (size_t i = 0; i < planted_call_count; i++)
		true_tree(&planted_calls[i]);
	assert_same(known, "tree");
}

/* A call with an equal one around it */
AGREE(tree_begins_with_calls_that_pass_the_filter)
{
	const char *text =
		RUN("view", "tree", "--json", "--top=1000", "-m", "shop.Equal::inner;shop.Begun::inner", "F");

	for (const char *row = json_first(json_at(text, "rows")); row; row = json_next(row))
		claim_nesting(&said, number_at(row, "parent") > 0 ? "another" : NULL,
			      planted_name(json_text(row, "method")));
	for (int round = 0; round < PLANTED_ROUNDS; round++) {
		claim_nesting(&truth, NULL, "Equal.inner");
		claim_nesting(&truth, NULL, "Begun.inner");
	}
	assert_same(known, "tree of some");
}

/* ---- the other views */

AGREE(method_trace_has_the_sums)
{
	const char *text = RUN("view", "method-trace", "--json", "F");

	for (const char *row = json_first(json_at(text, "rows")); row; row = json_next(row))
		read_sums(row, planted_name(json_text(row, "method")));
	planted_sums(&true_sums);
	assert_same(known, "method-trace");
}

/* What waits are grouped by in each of the tables; NULL: they are not in it. */
static const char *wait_key(const struct planted_wait *w, int table)
{
	switch (table) {
	case 0: return w->reason;
	case 1: return w->waker ?: "(not known, or an interrupt)";
	case 2: return w->stack ? w->in : NULL;
	default: return !w->stack ? NULL : w->woken_in ?: w->call ?: "(owner, no Java stack)";
	}
}

AGREE(waits_have_the_sums)
{
	static const char *const keys[] = {"reason", "waker", "place", "holder"};
	const char *text = RUN("view", "waits", "--json", "--top=1000", "F"), *key;

	for (int table = 0; table < 4; table++, text = strchr(text, '\n') + 1) {
		for (const char *row = json_first(json_at(text, "rows")); row; row = json_next(row)) {
			const char *name = json_text(row, keys[table]);

			name = strncmp(name, "after ", 6) ? planted_name(name) : waker_call(name);
			sum_up(&sums, number_at(row, "waits"), "waits by %s %s", keys[table], name);
			sum_up(&sums, number_at(row, "totalNs"), "time by %s %s", keys[table], name);
			if (table == 1 && json_text(row, "call")[0])
				sum_up(&sums, number_at(row, "waits"), "waits by a waker %s",
				       waker_call(json_text(row, "call")));
		}
		for (size_t i = 0; i < planted_wait_count; i++) {
			key = wait_key(&planted_waits[i], table);
			if (!key)
				continue;
			sum_up(&true_sums, PLANTED_ROUNDS, "waits by %s %s", keys[table], planted_name(key));
			sum_up(&true_sums, PLANTED_ROUNDS * planted_waits[i].duration, "time by %s %s", keys[table],
			       planted_name(key));
			if (table == 1 && planted_waits[i].call)
				sum_up(&true_sums, PLANTED_ROUNDS, "waits by a waker %s", planted_waits[i].call);
		}
	}
	assert_same(known, "waits");
}

/* ---- the page */

static char page_names[300][200], page_threads[100][200];

static void read_page_names(const char *page, const char *key, char (*names)[200], int most)
{
	char number[16];

	for (int i = 1; i < most; i++) {
		snprintf(number, sizeof(number), "%d", i);
		strcpy(names[i], planted_name(json_text(json_at(page, key), number)));
	}
}

/* The number that is element `n` of an array. */
static int64_t element(const char *p, int n)
{
	for (p = json_first(p); n > 0; n--)
		p = json_next(p);
	return strtoll(p, NULL, 10);
}

static const char *text_element(const char *p, int64_t n)
{
	static char text[200];

	for (p = json_first(p); n > 0; n--)
		p = json_next(p);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(p + 1, "\""), p + 1);
	return text;
}

/* Calls: [into, duration, method, thrown]; waits: [into, duration, text, waker, stack, kernel stack, holder, held in, how, waker's call, its duration] */
static void page_story(const char *page, const char *story)
{
	const char *method = page_names[number_at(story, "method")];
	const char *part = json_next(json_next(json_first(json_at(story, "calls"))));

	for (; part; part = json_next(part))
		claim_add_once(&said, "%s has %s", method, page_names[element(part, 2)]);
	part = json_next(json_next(json_first(json_at(story, "waits"))));
	for (; part; part = json_next(part)) {
		const char *reason = text_element(json_at(page, "texts"), element(part, 2));

		claim_add_once(&said, "%s in %s", reason, method);
		if (element(part, 3))
			claim_add_once(&said, "%s in %s was ended by %s", reason, method,
				       page_threads[element(part, 3)]);
		if (element(part, 7))
			claim_add_once(&said, "%s in %s for what %s held in %s", reason, method,
				       page_threads[element(part, 6)], page_names[element(part, 7)]);
		if (element(part, 8) >= 2)
			claim_add_once(&said, "%s in %s: the waker was %s %s", reason, method,
				       element(part, 8) == 2 ? "after" : "in", page_names[element(part, 9)]);
	}
}

static void true_stories(void)
{
	for (size_t i = 0; i < planted_call_count; i++)
		for (const struct planted_call *c = planted_around(&planted_calls[i]); c; c = planted_around(c))
			claim_add_once(&truth, "%s has %s", c->method, planted_calls[i].method);
	for (size_t i = 0; i < planted_wait_count; i++) {
		const struct planted_wait *w = &planted_waits[i];

		for (const struct planted_call *c = planted_call_of(w); c; c = planted_around(c)) {
			claim_add_once(&truth, "%s in %s", w->reason, c->method);
			if (w->waker)
				claim_add_once(&truth, "%s in %s was ended by %s", w->reason, c->method, w->waker);
			if (w->holder)
				claim_add_once(&truth, "%s in %s for what %s held in %s", w->reason, c->method,
					       w->holder, w->held_in);
			if (w->call)
				claim_add_once(&truth, "%s in %s: the waker was %s", w->reason, c->method, w->call);
		}
	}
}

/* The data in the page's script. */
static const char *run_report(void)
{
	char *data;

	RUN("report", "-o", "P", "F");
	data = strstr(read_output("P.html"), "id=\"data\">");
	assert_non_null(data);
	data += strlen("id=\"data\">");
	read_page_names(data, "names", page_names, 300);
	read_page_names(data, "threads", page_threads, 100);
	return data;
}

AGREE(the_page_has_the_stories_of_calls)
{
	const char *page = run_report();

	for (const char *s = json_first(json_at(page, "stories")); s; s = json_next(s))
		page_story(page, s);
	true_stories();
	assert_same(known, "report, calls");
}

/* [calls, thrown, time, known time, cpu, run queue, ...] */
AGREE(the_page_has_the_sums_of_methods)
{
	const char *page = run_report();

	for (const char *m = json_first(json_at(page, "methods")); m; m = json_next(m)) {
		const char *all = json_at(m, "all"), *method = page_names[number_at(m, "name")];

		sum_calls(&sums, method, element(all, 0), element(all, 1), element(all, 2));
		sum_parts(&sums, method, element(all, 4), element(all, 5),
			  element(all, 3) - element(all, 4) - element(all, 5));
	}
	planted_sums(&true_sums);
	assert_same(known, "report, methods");
}

#define BANDS 5

/* Triples: method's rank and band, kind, total. Kinds are quadruples that begin with the reason. */
AGREE(the_page_has_the_sums_of_waits_in_methods)
{
	const char *page = run_report(), *triple = json_first(json_at(page, "bandWaits"));
	static int64_t ranked[1000];
	size_t ranks = 0;

	for (const char *m = json_first(json_at(page, "methods")); m; m = json_next(m))
		ranked[ranks++] = number_at(m, "name");
	while (triple) {
		const char *kind = json_next(triple), *total = json_next(kind);
		int64_t reason = element(json_at(page, "kinds"), 4 * strtoll(kind, NULL, 10));
		const char *method = page_names[ranked[strtoll(triple, NULL, 10) / BANDS]];

		sum_wait(&sums, text_element(json_at(page, "waitTexts"), reason), method, strtoll(total, NULL, 10));
		triple = json_next(total);
	}
	planted_reason_sums(&true_sums, NULL);
	assert_same(known, "report, waits");
}

/* ---- diff and --fail-if */

/* Means of the calls that took the median or more. All calls of a method but those of Again.call take the same time. */
static void diff_parts(const char *method, int64_t calls, const char *part)
{
	char reason[200];

	for (; part; part = json_next(part)) {
		strcpy(reason, json_text(part, "reason"));
		if (strcmp(json_text(part, "part"), "blocked") != 0)
			continue;
		sum_wait(&sums, reason, method, calls * number_at(part, "oldNs"));
		assert_int_equal(number_at(part, "oldNs"), number_at(part, "newNs"));
	}
}

static bool diff_counts(const struct planted_call *c)
{
	return c->blocked > 0;
}

AGREE(diff_has_the_waits_of_methods)
{
	const char *text = RUN("diff", "--json", "F", "G");

	for (const char *m = json_first(json_at(text, "methods")); m; m = json_next(m)) {
		char method[200];

		strcpy(method, planted_name(json_text(m, "method")));
		sum_calls(&sums, method, number_at(m, "old.calls"), number_at(m, "old.thrown"), 0);
		diff_parts(method, number_at(m, "old.calls"), json_first(json_at(m, "p50.parts")));
	}
	for (size_t i = 0; i < planted_call_count; i++)
		sum_calls(&true_sums, planted_calls[i].method, PLANTED_ROUNDS, PLANTED_ROUNDS * planted_calls[i].thrown,
			  0);
	planted_reason_sums(&true_sums, diff_counts);
	assert_same(known, "diff");
}

/* A condition holds at the method's value, and not beyond it. */
static void fail_if(const char *method, const char *condition, int64_t value, bool time)
{
	char at_least[200], above[200];

	snprintf(at_least, sizeof(at_least), "--fail-if=shop.%.*s::%s %s>=%" PRId64 "%s", (int)strcspn(method, "."),
		 method, strchr(method, '.') + 1, condition, value, time ? "ns" : "");
	snprintf(above, sizeof(above), "--fail-if=shop.%.*s::%s %s>%" PRId64 "%s", (int)strcspn(method, "."), method,
		 strchr(method, '.') + 1, condition, value, time ? "ns" : "");
	run(4, (const char *const[CLI_WORDS]){"view", "method-trace", at_least, "F"});
	run(0, (const char *const[CLI_WORDS]){"view", "method-trace", above, "F"});
	run(4, (const char *const[CLI_WORDS]){"diff", at_least, "F", "G"});
	run(0, (const char *const[CLI_WORDS]){"diff", above, "F", "G"});
}

AGREE(conditions_have_the_same_numbers)
{
	static const size_t some[] = {0, 1, 3};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		const struct planted_call *c = &planted_calls[some[i]];

		fail_if(c->method, "max", c->duration, true);
		fail_if(c->method, "avg", c->duration, true);
		fail_if(c->method, "p50", c->duration, true);
		fail_if(c->method, "cpu", planted_cpu(c), true);
		fail_if(c->method, "runq", planted_run_queue(c), true);
		fail_if(c->method, "blocked", c->blocked, true);
		fail_if(c->method, "calls", PLANTED_ROUNDS, false);
	}
	fail_if("Thrown.inner", "thrown", PLANTED_ROUNDS, false);
}
