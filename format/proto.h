/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of Protocol Buffers (protobuf.dev, "Encoding"): a field is a number and a value. An integer is a LEB128 of at
 * most 10 bytes, which differs from JFR's (format/bytes.h).
 */
#ifndef FORMAT_PROTO_H
#define FORMAT_PROTO_H

#include "format/bytes.h"
#include "format/slice.h"

/* An integer alone, for packed arrays. */
void proto_put(struct bytes *b, uint64_t v);

/* int32, int64, uint32, uint64, bool and enums; negative ones are converted to uint64_t. */
void proto_uint(struct bytes *b, unsigned int field, uint64_t v);
void proto_fixed64(struct bytes *b, unsigned int field, uint64_t v);

/* bytes, strings (UTF-8) and packed arrays. */
void proto_data(struct bytes *b, unsigned int field, const void *data, size_t size);
void proto_text(struct bytes *b, unsigned int field, const char *text);

/* Begin a message inside the message; proto_end() takes what proto_begin() returns. They nest. */
size_t proto_begin(struct bytes *b, unsigned int field);
void proto_end(struct bytes *b, size_t begun);

/* A field of a message that is read: an integer, or bytes that stay in the message. */
struct proto_field {
	uint32_t number;
	bool is_data;	  /* bytes, a string, a message, a packed array */
	uint64_t integer; /* the bits of a fixed number */
	struct slice data;
};

/*
 * Read the next field. False: the message has ended, or is damaged, which the cursor remembers. Groups, which have been
 * abolished, are damage.
 */
bool proto_next(struct cursor *c, struct proto_field *out);

#endif
