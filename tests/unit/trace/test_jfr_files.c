// SPDX-License-Identifier: BSD-2-Clause
/* Several files and directories, read as one recording. */
#include "user/trace/jfr_files.h"
#include "tests/lib/capture.h"
#include "tests/lib/recording.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"
#include "user/exit.h"
#include "user/text/log.h"
#include "user/export/export.h"
#include "user/trace/merge.h"
#include "user/print/print.h"
#include "user/view/views.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNKS 5
#define SECOND 1000000000ll
#define STARTS 1700000000123 /* when the recording began, in ms */

static struct diag d;

static int setup(void **state)
{
	d = (struct diag){0};
	return workdir_make(state);
}

/* A recording of CHUNKS chunks, and where they begin. */
struct chunked {
	struct recording r;
	size_t at[CHUNKS + 1];
};

/* `first`: the method that gets the first key. */
static struct chunked chunked_new(int64_t pid, int64_t after_ns, int64_t start_ms, const char *first)
{
	struct chunked c = {.r = recording_new_with(JFR_KERNEL_WAITS)};
	struct recording *r = &c.r;

	r->now += after_ns;
	for (int i = 0; i < CHUNKS; i++) {
		struct jfr_active_recording active = {.id = 1, .name = "frtrace", .recording_start_ms = start_ms};
		struct jfr_jvm_information jvm = {.jvm_start_ms = 1699999999123, .pid = pid};
		uint64_t method, other;

		recording_begin(r);
		active.start = jvm.start = r->now;
		jfr_active_recording(r->w, &active);
		jfr_jvm_information(r->w, &jvm);
		method = recording_method(r, first);
		other = recording_method(r, strcmp(first, "pay") == 0 ? "order" : "pay");
		for (int n = 0; n <= i; n++) {
			recording_call(r, recording_thread(r, 1 + n), method);
			recording_call_from(r, recording_stack(r, method, 10 + n), other);
		}
		recording_end(r, i == CHUNKS - 1);
		c.at[i + 1] = r->file.size;
		r->now += SECOND;
	}
	return c;
}

/* Write one chunk as a file. */
static const char *write_chunk(const struct chunked *c, int n, const char *name)
{
	return workdir_write(name, c->r.file.data + c->at[n], c->at[n + 1] - c->at[n]);
}

static void put_print(struct jfr_file *file, bool json, FILE *to)
{
	int fd = memfd_create("printed", 0);
	struct select select = {0};
	struct printer p;
	char buffer[4096];
	ssize_t n;

	printer_init(&p, fd);
	(json ? print_json : print_text)(file, &select, &p);
	select_release(&select);
	printer_release(&p);
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, n, to);
	close(fd);
}

static void put_view(struct jfr_file *file, const struct view *v, FILE *to)
{
	struct call_filter filter = {0};
	const char *by = strcmp(v->name, "request") == 0 ? "thrown" : NULL;
	const struct view_request request = {
		.layout = {200, 1, false, false}, .filter = &filter, .min_share = 1, .by = by, .diag = &d};
	struct bytes out;

	bytes_init(&out);
	assert_int_equal(view_show(v, file, &request, &out), 0);
	fwrite(out.data, 1, out.size, to);
	bytes_release(&out);
}

/* One of all forms of output, by number. False: no such number. */
static bool put_output(struct jfr_file *file, size_t number, FILE *to)
{
	size_t count = 0;

	while (views[count].name)
		count++;
	if (number < count)
		put_view(file, &views[number], to);
	else if (number - count < 2)
		put_print(file, number - count, to);
	else if (number - count == 2)
		export_csv(file, NULL, false, to);
	else if (number - count == 3)
		export_otlp(file, NULL, false, to);
	else if (number - count == 4)
		export_collapsed(file, NULL, true, false, to);
	else
		return false;
	return true;
}

static int verdict; /* of the last reading */

/* All that can be printed of the recordings; free it. */
static char *outputs(const char *const *paths, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool more = true;

	for (size_t i = 0; more; i++) {
		struct jfr_files f;

		if (jfr_files_open(&f, paths, count, "cannot read", &d))
			fail_msg("%s", d.text);
		more = put_output(f.file, i, to);
		verdict = jfr_files_verdict(&f, &d);
		jfr_files_close(&f);
	}
	fclose(to);
	assert_true(size > 5000);
	return text;
}

static void assert_same_outputs(const char *one, const char *const *paths, size_t count)
{
	char *want = outputs(&one, 1), *got = outputs(paths, count);
	size_t i = 0;

	assert_int_equal(verdict, EXIT_DONE);
	while (want[i] && want[i] == got[i])
		i++;
	if (want[i] != got[i])
		fail_msg("differs at byte %zu:\n%.300s\nnot\n%.300s", i, got + (i < 100 ? 0 : i - 100),
			 want + (i < 100 ? 0 : i - 100));
	free(want);
	free(got);
}

CASE(chunk_files_give_what_the_whole_file_gives, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *whole = workdir_write("whole", c.r.file.data, c.r.file.size), *all = workdir_path("all"), *paths[3];

	/* names in another order than the times, some of them in a subdirectory */
	mkdir(all, 0700);
	mkdir(workdir_path("all/2026_11_20_18_05_24_42"), 0700);
	write_chunk(&c, 0, "all/2026_11_20_18_05_24_42/z.jfr");
	write_chunk(&c, 1, "all/y.jfr");
	write_chunk(&c, 2, "all/x.jfr");
	workdir_write("all/2026_11_20_18_05_24_42/a.jfr", c.r.file.data + c.at[3], c.at[5] - c.at[3]);
	/* what is no recording */
	mkdir(workdir_path("all/other"), 0700);
	workdir_write("all/other/1.jfr", "none", 4);
	workdir_write("all/chunk.part", "none", 4);
	workdir_write("all/new.jfr", "", 0);
	assert_same_outputs(whole, &all, 1);

	paths[0] = workdir_write("late.jfr", c.r.file.data + c.at[3], c.at[5] - c.at[3]);
	paths[1] = write_chunk(&c, 0, "early.jfr");
	paths[2] = workdir_path("some/");
	mkdir(paths[2], 0700);
	write_chunk(&c, 1, "some/1.jfr");
	write_chunk(&c, 2, "some/2.jfr");
	assert_same_outputs(whole, paths, 3);
	recording_free(&c.r);
}

CASE(a_directory_of_one_file_is_that_file, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *whole = workdir_write("whole.jfr", c.r.file.data, c.r.file.size), *path = workdir;

	assert_same_outputs(whole, &path, 1);
	recording_free(&c.r);
}

/* Calls of the method in `view method-trace`; -1: not exactly one row. */
static long calls_of(const char *const *paths, size_t count, const char *method)
{
	struct call_filter filter = {0};
	const struct view_request request = {.layout = {200, 1, false, false}, .filter = &filter, .min_share = 1};
	struct jfr_files f;
	struct bytes out;
	char *row, *more;
	long calls;

	assert_int_equal(jfr_files_open(&f, paths, count, "cannot read", &d), 0);
	bytes_init(&out);
	assert_int_equal(view_show(view_find("method-trace"), f.file, &request, &out), 0);
	bytes_put_u8(&out, 0);
	row = strstr((char *)out.data, method);
	more = row ? strstr(row + 1, method) : NULL;
	calls = row && !more ? atol(strchr(row, ' ')) : -1;
	bytes_release(&out);
	jfr_files_close(&f);
	return calls;
}

/* Equal keys stand for different methods. */
CASE(calls_of_two_recordings_are_counted_by_name, setup, workdir_remove)
{
	struct chunked a = chunked_new(42, 0, STARTS, "order"),
		       z = chunked_new(42, 100 * SECOND, STARTS + 100000, "pay");
	const char *paths[] = {workdir_write("z.jfr", z.r.file.data, z.r.file.size),
			       workdir_write("a.jfr", a.r.file.data, a.r.file.size)};

	assert_int_equal(calls_of(paths, 1, "Cart.order()"), 15);
	assert_int_equal(calls_of(paths, 2, "Cart.order()"), 30);
	assert_int_equal(calls_of(paths, 2, "Cart.pay()"), 30);
	recording_free(&a.r);
	recording_free(&z.r);
}

static const char *refusal(int want, const char *const *paths, size_t count)
{
	struct jfr_files f;

	d = (struct diag){0};
	assert_int_equal(jfr_files_open(&f, paths, count, "cannot read", &d), want);
	assert_null(strchr(d.text, '\n'));
	return d.text;
}

#define REFUSED(want, text, ...)                                                           \
	do {                                                                               \
		const char *const given[] = {__VA_ARGS__};                                 \
		const char *said = refusal(want, given, sizeof(given) / sizeof(given[0])); \
		if (!strstr(said, text))                                                   \
			fail_msg("'%s' is not in '%s'", text, said);                       \
	} while (0)

CASE(what_cannot_be_read_together_is_refused, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order"), other = chunked_new(43, SECOND, STARTS, "order");
	const char *a = workdir_write("a.jfr", c.r.file.data, c.r.file.size);
	const char *b = workdir_write("b.jfr", other.r.file.data, other.r.file.size);
	const char *copy, *link_to_a = workdir_path("link.jfr");

	REFUSED(-EINVAL, "cannot read: ", a, b);
	assert_contains(d.text, "is of process 42");
	assert_contains(d.text, "of process 43: they have to be of one JVM");
	assert_false(d.usage);
	REFUSED(-EINVAL, "a.jfr' is given twice", a, a);
	assert_true(d.usage);
	assert_int_equal(link(a, link_to_a), 0);
	REFUSED(-EINVAL, "link.jfr' are the same file", a, link_to_a);
	copy = write_chunk(&c, 1, "part.jfr");
	REFUSED(-EINVAL, "has a part of '", a, copy);
	assert_true(d.usage);
	recording_free(&c.r);
	recording_free(&other.r);
}

CASE(what_is_no_recording_is_refused, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *a = workdir_write("a.jfr", c.r.file.data, c.r.file.size), *empty = workdir_path("empty");
	const char *text = workdir_write("text.jfr", "hello\n", 6), *nothing = workdir_write("nothing.jfr", "", 0);
	const char *fifo = workdir_path("fifo");

	mkdir(empty, 0700);
	REFUSED(-ENODATA, "/empty' has no recordings", empty);
	REFUSED(-ENODATA, "/empty' has no recordings", a, empty);
	REFUSED(-EINVAL, "text.jfr' is no Flight Recorder file", a, text);
	REFUSED(-EINVAL, "nothing.jfr' is empty", a, nothing);
	REFUSED(-ENOENT, "cannot open '", a, workdir_path("none.jfr"));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	REFUSED(-EINVAL, "fifo': it is no regular file", fifo);
	REFUSED(-EINVAL, "fifo': it is no regular file", a, fifo);
	REFUSED(-EINVAL, "null': it is no regular file", "/dev/null");
	assert_int_equal(mkfifo(workdir_path("empty/fifo.jfr"), 0600), 0);
	REFUSED(-EINVAL, "empty/fifo.jfr': it is no regular file", empty);
	recording_free(&c.r);
}

static void read_files(const char *const *paths, size_t count, const char *lose, unsigned int *chunks)
{
	struct jfr_chunk *chunk;
	struct jfr_files f;

	assert_int_equal(jfr_files_open(&f, paths, count, "cannot read", &d), 0);
	if (lose)
		assert_int_equal(unlink(lose), 0);
	for (*chunks = 0; (chunk = jfr_file_next(f.file)); ++*chunks)
		jfr_chunk_put(chunk);
	verdict = jfr_files_verdict(&f, &d);
	jfr_files_close(&f);
}

CASE(damage_is_reported_with_its_file, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *paths[] = {write_chunk(&c, 0, "0.jfr"), workdir_write("1.jfr", c.r.file.data + c.at[1], 3000),
			       write_chunk(&c, 2, "2.jfr")};
	unsigned int chunks;

	read_files(paths, 3, NULL, &chunks);
	assert_int_equal(chunks, 2);
	assert_int_equal(verdict, -EIO);
	assert_contains(d.text, "/1.jfr' is damaged: a chunk that is cut off, at byte 0");
	recording_free(&c.r);
}

CASE(an_unfinished_file_is_read_up_to_its_flush, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *paths[2] = {write_chunk(&c, 1, "1.jfr")};
	unsigned int chunks;

	c.r.file.data[64] = 0xff; /* the first chunk's state */
	paths[1] = write_chunk(&c, 0, "0.jfr");
	capture_begin(false);
	read_files(paths, 2, NULL, &chunks);
	assert_contains(capture_end(), "/0.jfr' is not finished");
	assert_int_equal(chunks, 2);
	assert_int_equal(verdict, EXIT_INCOMPLETE);
	recording_free(&c.r);
}

/* A recording that goes on drops its oldest chunks. */
CASE(a_file_that_goes_meanwhile_is_missed, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *path = workdir, *first = write_chunk(&c, 0, "0.jfr");
	unsigned int chunks;

	write_chunk(&c, 1, "1.jfr");
	capture_begin(false);
	read_files(&path, 1, first, &chunks);
	assert_contains(capture_end(), "1 of 2 files were removed or replaced meanwhile");
	assert_int_equal(chunks, 1);
	assert_int_equal(verdict, EXIT_INCOMPLETE);
	recording_free(&c.r);
}

CASE(a_directory_is_merged_to_one_file, setup, workdir_remove)
{
	struct chunked c = chunked_new(42, 0, STARTS, "order");
	const char *all = workdir_path("all"), *merged = workdir_path("merged.jfr");
	struct jfr_merged result;
	size_t files;
	int fd;

	mkdir(all, 0700);
	for (int i = 0; i < CHUNKS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "all/%d.jfr", CHUNKS - i);
		write_chunk(&c, i, name);
	}
	fd = open(merged, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	assert_int_equal(merge_files(&all, 1, fd, merged, NULL, &result, &files, &d), EXIT_DONE);
	assert_int_equal(files, CHUNKS);
	assert_int_equal(calls_of(&merged, 1, "Cart.order()"), 15);
	assert_int_equal(calls_of(&merged, 1, "Cart.pay()"), 15);
	close(fd);
	recording_free(&c.r);
}
