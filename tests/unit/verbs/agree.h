/* SPDX-License-Identifier: BSD-2-Clause */
/* What test_views_agree.c and test_exports_agree.c share: the planted recording, and what readers say of it. */
#ifndef TESTS_UNIT_VERBS_AGREE_H
#define TESTS_UNIT_VERBS_AGREE_H

#include "tests/fuzz/cli_lines.h"
#include "tests/lib/json.h"
#include "tests/lib/planted.h"
#include "tests/lib/test.h"

#include <inttypes.h>

#define AGREE(name) CASE(name, .teardown = agree_forget)

static struct claims said, truth;
static struct sums sums, true_sums;
static char *output; /* of the last command */
static size_t output_size;

static int agree_setup(void **state)
{
	struct bytes file = planted_recording();

	cli_begin();
	cli_set_files(file.data, file.size, file.data, file.size);
	bytes_release(&file);
	return 0;
}

static int agree_teardown(void **state)
{
	cli_end();
	return 0;
}

int main(void)
{
	return test_main(agree_setup, agree_teardown);
}

static int agree_forget(void **state)
{
	claims_release(&said);
	claims_release(&truth);
	free(output);
	output = NULL;
	return 0;
}

static char *read_output(const char *path)
{
	FILE *from = fopen(path, "r");
	FILE *to;
	int c;

	free(output);
	assert_non_null(from);
	to = open_memstream(&output, &output_size);
	while ((c = getc(from)) != EOF)
		putc(c, to);
	fclose(from);
	fclose(to);
	return output;
}

/* What the command prints. Its words are as in tests/fuzz/cli_lines.h. */
static char *run(int status, const char *const words[CLI_WORDS])
{
	assert_int_equal(cli_run_words(words), status);
	return read_output("stdout");
}
#define RUN(...) run(0, (const char *const[CLI_WORDS]){__VA_ARGS__})

static inline int64_t number_at(const char *p, const char *path)
{
	const char *at = json_at(p, path);

	return at && strncmp(at, "null", 4) != 0 ? strtoll(at, NULL, 10) : PLANTED_UNKNOWN;
}

static void assert_same(const struct known_difference *known, const char *reader)
{
	sums_say(&sums, &said);
	sums_say(&true_sums, &truth);
	assert_claims(reader, &said, &truth, known);
}

#endif
