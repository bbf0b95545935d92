/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of a fake JVM: mostly like JDK 17, with nmethods in each known form. Also compiled for the fuzz
 * targets.
 */
#ifndef TESTS_LIB_FAKE_LAYOUT_H
#define TESTS_LIB_FAKE_LAYOUT_H

#include "user/hotspot/layout.h"

enum fake_form { FAKE_8, FAKE_17, FAKE_23, FAKE_25, FAKE_FORMS };

static inline struct frt_layout fake_walk(void)
{
	return (struct frt_layout){
		.jdk_version = 17,
		.block_size = 16,
		.block_used = 8,
		.blob_name = 96,
		.blob_size = 12,
		.blob_frame_size = 28,
		.nmethod_compile_id = 304,
		.method_const = 8,
		.const_pool = 8,
		.const_flags = 28,
		.const_code_size = 32,
		.const_name = 34,
		.const_signature = 36,
		.const_size = 48,
		.const_has_lines = 1,
		.pool_holder = 24,
		.pool_size = 72,
		.klass_name = 24,
		.symbol_length = 4,
		.symbol_body = 6,
	};
}

static inline struct hotspot_layout fake_layout(enum fake_form form)
{
	static const enum hotspot_scopes scopes[FAKE_FORMS] = {HOTSPOT_SCOPES_INSIDE, HOTSPOT_SCOPES_POINTER,
							       HOTSPOT_SCOPES_IMMUTABLE, HOTSPOT_SCOPES_IMMUTABLE};
	static const enum hotspot_metadata metadata[FAKE_FORMS] = {HOTSPOT_METADATA_INSIDE, HOTSPOT_METADATA_INSIDE,
								   HOTSPOT_METADATA_DATA, HOTSPOT_METADATA_MUTABLE};

	return (struct hotspot_layout){
		.walk = fake_walk(),
		.code_form = form == FAKE_17 ? HOTSPOT_CODE_POINTER : HOTSPOT_CODE_OFFSET,
		.blob_code = 32,
		.blob_data = 24,
		.blob_mutable = 144,
		.blob_mutable_size = 152,
		.blob_relocation_size = 156,
		.scopes_form = scopes[form],
		.metadata_form = metadata[form],
		.nmethod_size = 352,
		.nmethod_method = 112,
		.nmethod_state = 315,
		.nmethod_gone = form < FAKE_23 ? 3 : 127,
		.nmethod_entry_bci = 192,
		.nmethod_comp_level = 308,
		.nmethod_metadata = 260,
		.nmethod_scopes_data = form == FAKE_17 ? 120 : 264,
		.nmethod_scopes_pcs = 268,
		.nmethod_scopes_pcs_end = 272,
		.nmethod_scopes_data_end = form < FAKE_23 ? 268 : FRT_NO_OFFSET,
		.nmethod_immutable = 128,
		.nmethod_immutable_size = 136,
		.unsigned5_bias = form >= FAKE_23,
		.pc_desc_size = 16,
		.pc_desc_pc = 0,
		.pc_desc_scope = 4,
		.method_access = 40,
		.method_access_width = 4,
		.method_flags = 50,
		.method_flags_width = 2,
		.method_hidden = 1 << 3,
		.pool_length = 60,
		.klass_access = 164,
		.klass_access_width = 4,
		.klass_modifiers = form == FAKE_25 ? FRT_NO_OFFSET : 16,
		.klass_inner_classes = 176,
		.array_length = 0,
		.array_u2 = 4,
		.klass_loader_data = 152,
		.klass_flags = 166,
		.klass_flags_width = 2,
		.klass_hidden = 1 << 10,
		.const_words = 24,
		.const_has_annotations = 1 << 7,
		.const_overpass = 1 << 6,
		.pool_major = 48,
		.array_u1 = 4,
		.array_pointers = 8,
		.klass_major = FRT_NO_OFFSET,
		.klass_next = 144,
		.klass_shape = 8,
		.klass_super = 120,
		.klass_interfaces = 432,
		.klass_methods = 408,
		.klass_pool = 232,
		.klass_annotations = 208,
		.klass_state = 315,
		.klass_linked = 2,
		.klass_failed = 5,
		.loader_next = 112,
		.loader_klasses = 56,
		.oop_klass = FRT_NO_OFFSET,
		.loader_oop = 8,
		.loader_klass = 120,
		.loader_name = 128,
	};
}

#endif
