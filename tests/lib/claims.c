// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/claims.h"
#include "format/vec.h"
#include "tests/lib/test.h"

#include <inttypes.h>

void claims_release(struct claims *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->line[i]);
	free(f->line);
	*f = (struct claims){0};
}

static void claims_push(struct claims *f, char *line)
{
	assert_int_equal(vec_reserve(&f->line, &f->capacity, f->count + 1), 0);
	f->line[f->count++] = line;
}

void claim_add(struct claims *f, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	assert_true(vasprintf(&line, format, args) >= 0);
	va_end(args);
	claims_push(f, line);
}

void claim_add_once(struct claims *f, const char *format, ...)
{
	bool there = false;
	va_list args;
	char *line;

	va_start(args, format);
	assert_true(vasprintf(&line, format, args) >= 0);
	va_end(args);
	for (size_t i = 0; i < f->count; i++)
		there |= !strcmp(f->line[i], line);
	if (there)
		free(line);
	else
		claims_push(f, line);
}

void sum_up(struct sums *s, int64_t n, const char *format, ...)
{
	size_t i = 0;
	va_list args;
	char *name;

	if (n <= 0)
		return;
	va_start(args, format);
	assert_true(vasprintf(&name, format, args) >= 0);
	va_end(args);
	while (i < s->count && strcmp(s->sum[i].name, name) != 0)
		i++;
	if (i < s->count) {
		free(name);
	} else {
		assert_int_equal(vec_reserve(&s->sum, &s->capacity, s->count + 1), 0);
		s->sum[s->count++] = (struct sum){name, 0};
	}
	s->sum[i].total += n;
}

void sums_say(struct sums *s, struct claims *f)
{
	for (size_t i = 0; i < s->count; i++) {
		claim_add(f, "%s: %" PRId64, s->sum[i].name, s->sum[i].total);
		free(s->sum[i].name);
	}
	free(s->sum);
	*s = (struct sums){0};
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Equal lines become one with their number: "8 x plain in Plain.inner". */
static struct claims claims_unite(struct claims *f)
{
	struct claims united = {0};

	if (f->count)
		qsort(f->line, f->count, sizeof(*f->line), compare_lines);
	for (size_t i = 0, n; i < f->count; i += n) {
		for (n = 1; i + n < f->count && !strcmp(f->line[i + n], f->line[i]); n++)
			;
		claim_add(&united, "%zu x %s", n, f->line[i]);
	}
	claims_release(f);
	return united;
}

static bool claims_have(const struct claims *f, const char *line)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->line[i], line))
			return true;
	return false;
}

static void claims_subtract(struct claims *out, const struct claims *from, const struct claims *what, char sign)
{
	for (size_t i = 0; i < from->count; i++)
		if (!claims_have(what, from->line[i]))
			claim_add(out, "%c%s", sign, from->line[i]);
}

void assert_claims(const char *reader, struct claims *said, struct claims *truth, const struct known_difference *known)
{
	struct claims a = claims_unite(said), b = claims_unite(truth), differ = {0}, expected = {0};
	bool good = b.count > 0;

	claims_subtract(&differ, &b, &a, '-');
	claims_subtract(&differ, &a, &b, '+');
	for (; known->reader; known++)
		if (!strcmp(known->reader, reader))
			claim_add(&expected, "%s", known->claim);
	for (size_t i = 0; i < differ.count; i++)
		if (!claims_have(&expected, differ.line[i])) {
			print_error("%s: %s\n", reader, differ.line[i]);
			good = false;
		}
	for (size_t i = 0; i < expected.count; i++)
		if (!claims_have(&differ, expected.line[i])) {
			print_error("%s: this difference is gone: %s\n", reader, expected.line[i]);
			good = false;
		}
	claims_release(&a);
	claims_release(&b);
	claims_release(&differ);
	claims_release(&expected);
	assert_true(good);
}
