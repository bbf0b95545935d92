// SPDX-License-Identifier: BSD-2-Clause
/*
 * replay_fuzz_X FILE|DIR...: run a fuzz target over files without libFuzzer, as a regression test. A crash is the
 * failure. `replaying` names the current input, for the debugger and for the last line of output.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static char replaying[4096];
static unsigned replayed;

static void name_input(int signal_number)
{
	static const char text[] = "replay: failing input: ";

	if (write(2, text, sizeof(text) - 1) < 0 || write(2, replaying, strlen(replaying)) < 0 || write(2, "\n", 1) < 0)
		_exit(1);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static int replay_file(const char *path, size_t size)
{
	/* allocate exactly the input's size, so that the sanitizer sees an overrun by one byte */
	uint8_t *data = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");
	int failed = !f || !data || fread(data, 1, size, f) != size;

	snprintf(replaying, sizeof(replaying), "%s", path);
	if (failed)
		fprintf(stderr, "replay: cannot read '%s'\n", path);
	else
		LLVMFuzzerTestOneInput(data, size);
	replayed += !failed;
	if (f)
		fclose(f);
	free(data);
	return failed;
}

static int replay_path(const char *path);

static int replay_directory(const char *path)
{
	struct dirent **entry = NULL;
	char inner[4096];
	int failed = 0;
	int i, n = scandir(path, &entry, NULL, alphasort);

	if (n < 0)
		fprintf(stderr, "replay: cannot list '%s'\n", path);
	for (i = 0; i < n; i++) {
		snprintf(inner, sizeof(inner), "%s/%s", path, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			failed |= replay_path(inner);
		free(entry[i]);
	}
	free(entry);
	return failed | (n < 0);
}

static int replay_path(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		fprintf(stderr, "replay: cannot find '%s'\n", path);
		return 1;
	}
	return S_ISDIR(st.st_mode) ? replay_directory(path) : replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	int failed = 0;
	int i;

	signal(SIGSEGV, name_input);
	signal(SIGABRT, name_input);
	for (i = 1; i < argc; i++)
		failed |= replay_path(argv[i]);
	printf("%u inputs\n", replayed);
	return failed || !replayed;
}
