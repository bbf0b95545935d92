// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/fake_streams.h"

#include <stdlib.h>

struct streams *fake_streams_new(const struct stream_sink *sink)
{
	struct streams *s = malloc(sizeof(*s));

	if (s)
		streams_init(s, sink);
	return s;
}

void fake_streams_free(struct streams *s)
{
	streams_release(s);
	free(s);
}
