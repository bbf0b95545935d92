// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/jfr_printed.h"
#include "tests/lib/test.h"
#include "user/print/print.h"

#include <sys/mman.h>
#include <unistd.h>

const char *jfr_printed(const struct bytes *file, bool json, struct jfr_fault *fault, bool *unfinished)
{
	int fd = memfd_create("printed", 0);
	struct select select = {0};
	static char *text;
	struct jfr_file f;
	struct printer p;
	off_t end;

	jfr_file_init(&f, file->data, file->size);
	printer_init(&p, fd);
	(json ? print_json : print_text)(&f, &select, &p);
	assert_int_equal(p.error, 0);
	if (fault)
		*fault = f.fault;
	else
		assert_null(f.fault.what);
	if (unfinished)
		*unfinished = f.unfinished;
	select_release(&select);
	printer_release(&p);
	jfr_file_release(&f);
	end = lseek(fd, 0, SEEK_END);
	free(text);
	text = calloc(1, end + 1);
	assert_int_equal(pread(fd, text, end, 0), end);
	close(fd);
	return text;
}
