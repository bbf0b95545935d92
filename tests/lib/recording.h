/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording under test: it goes in through the writer and is read back by the dissector. For CMocka programs. */
#ifndef TESTS_LIB_RECORDING_H
#define TESTS_LIB_RECORDING_H

#include "format/bytes.h"
#include "format/jfr/jfr_write.h"
#include "tests/lib/jfr_dissect.h"

#define T0    1000000000000ll	    /* ticks of its start */
#define NANOS 1700000000000000000ll /* the same moment since the epoch */
#define TRACE "jdk.MethodTrace"

/* A writer, and the file that its chunks form. */
struct recording {
	struct jfr_writer *w;
	struct bytes file;
	int64_t now;
	struct dissect *d; /* set by recording_read() */
};

struct recording recording_new(void);
struct recording recording_new_with(enum jfr_kernel kernel);
void recording_free(struct recording *r);

/* Begin and finish a chunk; must succeed. */
void recording_begin(struct recording *r);
void recording_end(struct recording *r, bool final);

/* Read the file; it must be valid. */
struct dissect *recording_read(struct recording *r);

uint64_t recording_class(struct recording *r, const char *name);
uint64_t recording_method(struct recording *r, const char *name); /* of com/acme/Cart */
uint64_t recording_thread(struct recording *r, int64_t id);	  /* named worker-ID */

/* A jdk.MethodTrace, 100 ticks after the one before. */
void recording_call(struct recording *r, uint64_t thread, uint64_t method);

/* The same with a stack. */
void recording_call_from(struct recording *r, uint64_t stack, uint64_t method);

/* A stack of one frame. */
uint64_t recording_stack(struct recording *r, uint64_t method, int line);

/* One of each other event. */
void recording_companions(struct jfr_writer *w);

/* The value must be there. */
int64_t event_number(struct recording *r, const struct dissect_event *e, const char *path);
void assert_event_text(struct recording *r, const struct dissect_event *e, const char *path, const char *want);

#endif
