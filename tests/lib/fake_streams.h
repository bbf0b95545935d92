/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of their own for a test, from setup to teardown. */
#ifndef TESTS_LIB_FAKE_STREAMS_H
#define TESTS_LIB_FAKE_STREAMS_H

#include "user/capture/stream.h"

/* Returns NULL without memory. */
struct streams *fake_streams_new(const struct stream_sink *sink);
void fake_streams_free(struct streams *s);

#endif
