// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/text/log.h"
#include "user/trace/file_list.h"
#include "user/trace/merge.h"
#include "user/text/new_file.h"

static int merge_it(const struct verb_args *a, const char *to, struct diag *d)
{
	struct jfr_merged merged;
	struct new_file out;
	size_t files;
	int err = new_file_open(&out, to, NEW_FILE_IS_NEW, d), verdict;

	if (err)
		return err;
	verdict = merge_files(a->operand, a->operands, out.fd, to, a->context, &merged, &files, d);
	err = verdict < 0 ? verdict : new_file_finish(&out, d);
	new_file_close(&out);
	if (!err) {
		log_line("%s: %s events of %zu %s, %s", to, log_count(merged.events), files,
			 files == 1 ? "file" : "files", log_bytes(merged.bytes));
		merge_say_clocks(&merged);
	}
	return err ? err : verdict;
}

int cmd_merge(const struct verb_args *a, struct diag *d)
{
	if (!a->operands || (a->operands == 1 && !file_list_is_directory(a->operand[0])))
		return diag_usage(d, "two files at least, or a directory: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	if (!a->output)
		return diag_usage(d, "no file to write: 'frtrace merge -o OUT.jfr A.jfr B.jfr'");
	return merge_it(a, a->output, d);
}
