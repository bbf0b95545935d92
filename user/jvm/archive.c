// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/archive.h"
#include "user/jvm/jvm_model.h"
#include "user/process/jvm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_OUTPUT, MODE, AT_EXIT, AUTO_CREATE, DUMP_INFO, FLAGS };

static const char *const flag_names[FLAGS] = {"AOTCacheOutput", "AOTMode", "ArchiveClassesAtExit",
					      "AutoCreateSharedArchive", "RecordDynamicDumpInfo"};

/* A flag that is true, or a text. */
static bool is_set(const struct mem *m, uint64_t flag, bool text)
{
	uint64_t value = 0;

	return flag && !mem_unsigned(m, flag, text ? 8 : 1, &value) && value;
}

static bool flag_is(const struct mem *m, uint64_t flag, const char *wanted)
{
	uint64_t at;
	char text[16];

	return is_set(m, flag, true) && !mem_u64(m, flag, &at) && !mem_text(m, at, text, sizeof(text)) &&
	       !strcmp(text, wanted);
}

/*
 * The JVM completes its flags: AOTCacheOutput sets AOTMode, and AutoCreateSharedArchive sets ArchiveClassesAtExit if the
 * archive is missing or stale.
 */
static const char *archive_by_flags(const struct mem *m, const uint64_t flags[FLAGS])
{
	if (is_set(m, flags[CACHE_OUTPUT], true))
		return "-XX:AOTCacheOutput";
	if (flag_is(m, flags[MODE], "record"))
		return "-XX:AOTMode=record";
	if (flag_is(m, flags[MODE], "create"))
		return "-XX:AOTMode=create";
	if (is_set(m, flags[AT_EXIT], true))
		return is_set(m, flags[AUTO_CREATE], false) ? "-XX:+AutoCreateSharedArchive"
							    : "-XX:ArchiveClassesAtExit";
	return is_set(m, flags[DUMP_INFO], false) ? "-XX:+RecordDynamicDumpInfo" : NULL;
}

/* -errno: the flags cannot be read. */
static int archive_read_flags(const struct target *t, const char **option)
{
	uint64_t flags[FLAGS];
	struct remote_mem r;
	struct diag ignored;
	int err = jvm_model_find_flags(t, flag_names, FLAGS, flags, &ignored) ?: remote_mem_open(&r, t, &ignored);

	if (err)
		return err;
	*option = archive_by_flags(&r.mem, flags);
	remote_mem_close(&r);
	return 0;
}

static int archive_judge(const char *option, struct diag *why)
{
	if (!option)
		return 0;
	return diag_set(
		why, ENOTSUP,
		"it is to write an AOT cache or CDS archive (%s), which tracing would spoil: trace a run without "
		"that option",
		option);
}

int archive_check(const struct target *t, struct diag *why)
{
	const char *option = NULL;
	struct jvm_options options;

	if (archive_read_flags(t, &option)) {
		jvm_read_options(t, &options);
		option = options.archive;
	}
	return archive_judge(option, why);
}

int archive_check_program(char *const *argv, struct diag *why)
{
	struct jvm_options options;

	jvm_read_own_options(argv, &options);
	return archive_judge(options.archive, why);
}
