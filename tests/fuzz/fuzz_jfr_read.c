// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a recording, printed in both forms. Printing terminates, with a fault at an offset inside the file or
 * with none. The output is discarded.
 */
#include "user/print/print.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>

#define MAX_EVENT 20000 /* an input should take milliseconds */

typedef void print_function(struct jfr_file *file, struct select *select, struct printer *p);

static void print(const uint8_t *data, size_t size, print_function *print_file)
{
	static int fd = -1;
	struct select select = {.events = "*"};
	struct jfr_file file;
	struct printer p;

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	jfr_file_init(&file, data, size);
	printer_init(&p, fd);
	p.max_event = MAX_EVENT;
	print_file(&file, &select, &p);
	require(!p.error, "output failed");
	require(!file.fault.what || file.fault.at <= size, "a fault outside the file");
	require(p.too_large || file.next >= size, "reading stopped before the end");
	select_release(&select);
	printer_release(&p);
	jfr_file_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	print(data, size, print_text);
	print(data, size, print_json);
	return 0;
}
