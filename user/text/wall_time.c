// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/wall_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000

void wall_time_print(int64_t ns, bool exact, char out[WALL_TIME_TEXT])
{
	time_t seconds = ns / SECOND;
	struct tm tm = {0};
	size_t length;

	localtime_r(&seconds, &tm);
	length = strftime(out, WALL_TIME_TEXT, "%H:%M:%S", &tm);
	if (exact)
		snprintf(out + length, WALL_TIME_TEXT - length, ".%06d", (int)(ns % SECOND / 1000));
}

void wall_time_iso(int64_t ns, char out[WALL_TIME_TEXT])
{
	time_t seconds = ns / SECOND;
	struct tm tm = {0};
	size_t length;

	gmtime_r(&seconds, &tm);
	length = strftime(out, WALL_TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + length, WALL_TIME_TEXT - length, ".%09dZ", (int)(ns % SECOND));
}
