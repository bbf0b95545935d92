// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading the layout. Every quirk of a JDK version is in rules[] below: which entry of the JVM's tables fills
 * which field, or which value no table has, for which versions, and what is unavailable without it. The first rule
 * of a field that applies and whose entry exists wins, so a newer JVM that has kept an entry needs no new rule. Tested
 * with 8, 11, 17, 21 and 25 to 28; the rules for other versions follow their sources.
 *
 * Facts that no table has, for any version:
 *
 *	JNIEnv			after JavaThread's anchor and one more pointer (_entry_point)
 *	interpreter frame	slots from the frame pointer: -1 sender's sp, -3 Method, WALK_BYTECODE bytecode pointer (JDK 8: -7, no
 *				mirror)
 *	UpcallStub		JDK 21: two words after the RuntimeBlob; the anchor is first in its frame data
 *	ClassLoaderData		at its end: class of the loader, name, name and id, JFR's trace id; since JDK 11
 *	Method flags		JDK 8: the byte after the intrinsic's id
 *	KlassFlags		before _super_check_offset: the word in JDK 25 and 26, the last two bytes since JDK 27
 *	list of classes		JDK 8: Klass::_next_link is the word before _class_loader_data; ClassLoaderData::_klasses
 *				is four words before _next
 *	overpass methods	0x40 in the flags of a ConstMethod
 */
#include "user/hotspot/layout_internal.h"
#include "bpf/machine/machine.h"

#include <stdio.h>

#define NEWEST 0xff

enum source {
	OFFSET,	  /* of the field `name` */
	SIZE,	  /* of the type `name` */
	CONSTANT, /* `name` */
	VALUE,	  /* `add` itself */
};

struct rule {
	uint16_t field; /* offset in struct hotspot_layout, of a uint16_t */
	uint8_t from, to;
	uint8_t source;
	const char *name;
	int16_t add;	      /* added to what was found, or the value */
	unsigned int without; /* HOTSPOT_NO_*; 0: optional */
};

#define F(field) offsetof(struct hotspot_layout, field)
#define STACKS	 HOTSPOT_NO_STACKS
#define METHODS	 HOTSPOT_NO_METHODS
#define THREADS	 HOTSPOT_NO_THREADS
#define CLASSES	 HOTSPOT_NO_CLASSES

/* clang-format off */
static const struct rule rules[] = {
	{F(walk.thread_anchor),		8, NEWEST, OFFSET, "JavaThread._anchor", 0, STACKS},
	{F(walk.thread_stack_base),	8, NEWEST, OFFSET, "JavaThread._stack_base", 0, STACKS},
	{F(walk.thread_owner_id),      24, NEWEST, OFFSET, "JavaThread._monitor_owner_id", 0, 0},
	{F(walk.thread_monitor),	8, 23, OFFSET, "Thread._current_pending_monitor", 0, 0},
	{F(walk.thread_monitor),	8, 23, OFFSET, "JavaThread._current_pending_monitor", 0, 0},
	{F(walk.monitor_owner),		8, 23, OFFSET, "ObjectMonitor._owner", 0, 0},
	{F(walk.anchor_sp),		8, NEWEST, OFFSET, "JavaFrameAnchor._last_Java_sp", 0, STACKS},
	{F(walk.anchor_pc),		8, NEWEST, OFFSET, "JavaFrameAnchor._last_Java_pc", 0, STACKS},
	{F(walk.anchor_fp),		8, NEWEST, OFFSET, "JavaFrameAnchor._last_Java_fp", 0, STACKS},
	{F(walk.wrapper_anchor),	8, NEWEST, OFFSET, "JavaCallWrapper._anchor", 0, STACKS},
	{F(walk.block_size),		8, NEWEST, SIZE, "HeapBlock", 0, STACKS},
	{F(walk.block_used),		8, NEWEST, OFFSET, "HeapBlock::Header._used", 0, STACKS},
	{F(walk.blob_name),		8, NEWEST, OFFSET, "CodeBlob._name", 0, STACKS},
	{F(walk.blob_size),		8, NEWEST, OFFSET, "CodeBlob._size", 0, STACKS},
	{F(walk.blob_frame_size),	8, NEWEST, OFFSET, "CodeBlob._frame_size", 0, STACKS},
	{F(walk.interpreter_bcp),	8, 8, VALUE, NULL, -7, 0},
	{F(walk.interpreter_bcp),	9, NEWEST, VALUE, NULL, WALK_BYTECODE, 0},
	{F(walk.upcall_frame_data),    22, NEWEST, OFFSET, "UpcallStub._frame_data_offset", 0, HOTSPOT_NO_UPCALLS},
	{F(walk.upcall_frame_data),    21, 21, SIZE, "RuntimeBlob", 16, HOTSPOT_NO_UPCALLS},
	{F(walk.nmethod_compile_id),	8, NEWEST, OFFSET, "nmethod._compile_id", 0, STACKS},
	{F(walk.nmethod_orig_pc),	8, NEWEST, OFFSET, "nmethod._orig_pc_offset", 0, STACKS},
	{F(walk.nmethod_deopt[0]),	8, 8, OFFSET, "nmethod._deoptimize_offset", 0, METHODS},
	{F(walk.nmethod_deopt[1]),	8, 8, OFFSET, "nmethod._deoptimize_mh_offset", 0, METHODS},
	{F(walk.nmethod_deopt[0]),	9, 22, OFFSET, "CompiledMethod._deopt_handler_begin", 0, METHODS},
	{F(walk.nmethod_deopt[1]),	9, 22, OFFSET, "CompiledMethod._deopt_mh_handler_begin", 0, METHODS},
	{F(walk.nmethod_deopt[0]),     23, NEWEST, OFFSET, "nmethod._deopt_handler_entry_offset", 0, METHODS},
	{F(walk.nmethod_deopt[0]),     23, NEWEST, OFFSET, "nmethod._deopt_handler_offset", 0, METHODS},
	{F(walk.nmethod_deopt[1]),     23, NEWEST, OFFSET, "nmethod._deopt_mh_handler_offset", 0, 0},
	{F(walk.nmethod_deopt_is_offset), 8, 8, VALUE, NULL, 1, 0},
	{F(walk.nmethod_deopt_is_offset), 9, 22, VALUE, NULL, 0, 0},
	{F(walk.nmethod_deopt_is_offset), 23, NEWEST, VALUE, NULL, 1, 0},
	{F(walk.method_const),		8, NEWEST, OFFSET, "Method._constMethod", 0, STACKS},
	{F(walk.const_pool),		8, NEWEST, OFFSET, "ConstMethod._constants", 0, STACKS},
	{F(walk.const_flags),		8, NEWEST, OFFSET, "ConstMethod._flags", 0, STACKS},
	{F(walk.const_flags),		8, NEWEST, OFFSET, "ConstMethod._flags._flags", 0, STACKS},
	{F(walk.const_code_size),	8, NEWEST, OFFSET, "ConstMethod._code_size", 0, STACKS},
	{F(walk.const_name),		8, NEWEST, OFFSET, "ConstMethod._name_index", 0, STACKS},
	{F(walk.const_signature),	8, NEWEST, OFFSET, "ConstMethod._signature_index", 0, STACKS},
	{F(walk.const_size),		8, NEWEST, SIZE, "ConstMethod", 0, STACKS},
	{F(walk.const_has_lines),	8, NEWEST, CONSTANT, "ConstMethod::_has_linenumber_table", 0, HOTSPOT_NO_LINES},
	{F(walk.const_has_lines),	8, NEWEST, CONSTANT, "ConstMethodFlags::_misc_has_linenumber_table", 0, HOTSPOT_NO_LINES},
	{F(walk.pool_holder),		8, NEWEST, OFFSET, "ConstantPool._pool_holder", 0, STACKS},
	{F(walk.pool_size),		8, NEWEST, SIZE, "ConstantPool", 0, STACKS},
	{F(walk.klass_name),		8, NEWEST, OFFSET, "Klass._name", 0, STACKS},
	{F(walk.symbol_length),		8, NEWEST, OFFSET, "Symbol._length", 0, STACKS},
	{F(walk.symbol_length),		8, NEWEST, OFFSET, "Symbol._length_and_refcount", 0, STACKS},
	{F(walk.symbol_body),		8, NEWEST, OFFSET, "Symbol._body", 0, STACKS},
	{F(walk.symbol_body),		8, NEWEST, OFFSET, "Symbol._body[0]", 0, STACKS},

	{F(code_form),			8, 8, VALUE, NULL, HOTSPOT_CODE_OFFSET, 0},
	{F(code_form),			9, 22, VALUE, NULL, HOTSPOT_CODE_POINTER, 0},
	{F(code_form),		       23, NEWEST, VALUE, NULL, HOTSPOT_CODE_OFFSET, 0},
	{F(blob_code),			8, 8, OFFSET, "CodeBlob._code_offset", 0, METHODS},
	{F(blob_code),			9, 22, OFFSET, "CodeBlob._code_begin", 0, METHODS},
	{F(blob_code),		       23, NEWEST, OFFSET, "CodeBlob._code_offset", 0, METHODS},
	{F(blob_data),		       23, 24, OFFSET, "CodeBlob._data_offset", 0, METHODS},
	{F(blob_mutable),	       25, NEWEST, OFFSET, "CodeBlob._mutable_data", 0, METHODS},
	{F(blob_mutable_size),	       25, NEWEST, OFFSET, "CodeBlob._mutable_data_size", 0, METHODS},
	{F(blob_relocation_size),      25, NEWEST, OFFSET, "CodeBlob._relocation_size", 0, METHODS},
	{F(scopes_form),		8, 8, VALUE, NULL, HOTSPOT_SCOPES_INSIDE, 0},
	{F(scopes_form),		9, 22, VALUE, NULL, HOTSPOT_SCOPES_POINTER, 0},
	{F(scopes_form),	       23, NEWEST, VALUE, NULL, HOTSPOT_SCOPES_IMMUTABLE, 0},
	{F(metadata_form),		8, 22, VALUE, NULL, HOTSPOT_METADATA_INSIDE, 0},
	{F(metadata_form),	       23, 24, VALUE, NULL, HOTSPOT_METADATA_DATA, 0},
	{F(metadata_form),	       25, NEWEST, VALUE, NULL, HOTSPOT_METADATA_MUTABLE, 0},
	{F(nmethod_gone),		8, 8, VALUE, NULL, 2, 0},
	{F(nmethod_gone),		9, 19, VALUE, NULL, 3, 0},
	{F(nmethod_gone),	       20, NEWEST, VALUE, NULL, 127, 0},
	{F(unsigned5_bias),		8, 19, VALUE, NULL, 0, 0},
	{F(unsigned5_bias),	       20, NEWEST, VALUE, NULL, 1, 0},
	{F(nmethod_size),		8, NEWEST, SIZE, "nmethod", 0, METHODS},
	{F(nmethod_method),		8, NEWEST, OFFSET, "nmethod._method", 0, METHODS},
	{F(nmethod_method),		9, 22, OFFSET, "CompiledMethod._method", 0, METHODS},
	{F(nmethod_state),		8, NEWEST, OFFSET, "nmethod._state", 0, 0},
	{F(nmethod_entry_bci),		8, NEWEST, OFFSET, "nmethod._entry_bci", 0, METHODS},
	{F(nmethod_comp_level),		8, NEWEST, OFFSET, "nmethod._comp_level", 0, 0},
	{F(nmethod_metadata),		8, 24, OFFSET, "nmethod._metadata_offset", 0, METHODS},
	{F(nmethod_scopes_data),	8, 8, OFFSET, "nmethod._scopes_data_offset", 0, METHODS},
	{F(nmethod_scopes_data),	9, 22, OFFSET, "CompiledMethod._scopes_data_begin", 0, METHODS},
	{F(nmethod_scopes_data),       23, NEWEST, OFFSET, "nmethod._scopes_data_offset", 0, METHODS},
	{F(nmethod_scopes_data_end),	8, 22, OFFSET, "nmethod._scopes_pcs_offset", 0, METHODS},
	{F(nmethod_scopes_data_end),   23, NEWEST, OFFSET, "nmethod._immutable_data_ref_count_offset", 0, METHODS},
	{F(nmethod_scopes_data_end),   23, NEWEST, OFFSET, "nmethod._immutable_data_size", 0, METHODS},
	{F(nmethod_scopes_pcs),		8, NEWEST, OFFSET, "nmethod._scopes_pcs_offset", 0, METHODS},
	{F(nmethod_scopes_pcs_end),	8, 22, OFFSET, "nmethod._dependencies_offset", 0, METHODS},
	{F(nmethod_scopes_pcs_end),    23, NEWEST, OFFSET, "nmethod._scopes_data_offset", 0, METHODS},
	{F(nmethod_immutable),	       23, NEWEST, OFFSET, "nmethod._immutable_data", 0, METHODS},
	{F(nmethod_immutable_size),    23, NEWEST, OFFSET, "nmethod._immutable_data_size", 0, METHODS},
	{F(pc_desc_size),		8, NEWEST, SIZE, "PcDesc", 0, METHODS},
	{F(pc_desc_pc),			8, NEWEST, OFFSET, "PcDesc._pc_offset", 0, METHODS},
	{F(pc_desc_scope),		8, NEWEST, OFFSET, "PcDesc._scope_decode_offset", 0, METHODS},

	{F(method_access),		8, NEWEST, OFFSET, "Method._access_flags", 0, METHODS},
	{F(method_access_width),	8, NEWEST, SIZE, "AccessFlags", 0, METHODS},
	{F(method_flags),		8, 8, OFFSET, "Method._intrinsic_id", 1, HOTSPOT_NO_HIDDEN},
	{F(method_flags),		9, 20, OFFSET, "Method._flags", 0, HOTSPOT_NO_HIDDEN},
	{F(method_flags),	       21, NEWEST, OFFSET, "ConstMethod._flags._flags", 0, HOTSPOT_NO_HIDDEN},
	{F(method_flags_in_const),	8, 20, VALUE, NULL, 0, 0},
	{F(method_flags_in_const),     21, NEWEST, VALUE, NULL, 1, 0},
	{F(method_flags_width),		8, 8, VALUE, NULL, 1, 0},
	{F(method_flags_width),		9, 20, VALUE, NULL, 2, 0},
	{F(method_flags_width),	       21, NEWEST, VALUE, NULL, 4, 0},
	{F(method_hidden),		8, 20, CONSTANT, "Method::_hidden", 0, 0},
	{F(method_hidden),		8, 20, VALUE, NULL, 1 << 3, 0},
	{F(method_hidden),	       21, NEWEST, VALUE, NULL, 1 << 12, 0},
	{F(method_size),		8, NEWEST, SIZE, "Method", 0, 0},
	{F(pool_length),		8, NEWEST, OFFSET, "ConstantPool._length", 0, METHODS},
	{F(klass_access),		8, NEWEST, OFFSET, "Klass._access_flags", 0, METHODS},
	{F(klass_access),	       27, NEWEST, OFFSET, "InstanceKlass._access_flags", 0, METHODS},
	{F(klass_access_width),		8, NEWEST, SIZE, "AccessFlags", 0, METHODS},
	{F(klass_modifiers),		8, 24, OFFSET, "Klass._modifier_flags", 0, 0},
	{F(klass_inner_classes),	8, NEWEST, OFFSET, "InstanceKlass._inner_classes", 0, 0},
	{F(array_length),		8, NEWEST, OFFSET, "Array<int>._length", 0, CLASSES},
	{F(array_u2),			8, NEWEST, OFFSET, "Array<u2>._data", 0, 0},
	{F(klass_flags),		9, 14, OFFSET, "InstanceKlass._misc_flags", 0, 0},
	{F(klass_flags),	       15, 23, OFFSET, "Klass._access_flags", 2, 0},
	{F(klass_flags),	       25, 26, OFFSET, "Klass._super_check_offset", -4, 0},
	{F(klass_flags),	       27, NEWEST, OFFSET, "Klass._super_check_offset", -2, 0},
	{F(klass_flags_width),		8, 24, VALUE, NULL, 2, 0},
	{F(klass_flags_width),	       25, NEWEST, VALUE, NULL, 1, 0},
	{F(klass_hidden),		9, 14, CONSTANT, "InstanceKlass::_misc_is_anonymous", 0, 0},
	{F(klass_hidden),		9, 14, CONSTANT, "InstanceKlass::_misc_is_unsafe_anonymous", 0, 0},
	{F(klass_hidden),	       15, 23, VALUE, NULL, 1 << 10, 0},
	{F(klass_hidden),	       25, NEWEST, VALUE, NULL, 1, 0},
	{F(klass_loader_data),		8, NEWEST, OFFSET, "Klass._class_loader_data", 0, HOTSPOT_NO_LOADERS},
	{F(klass_loader_data),		8, NEWEST, OFFSET, "InstanceKlass._class_loader_data", 0, HOTSPOT_NO_LOADERS},
	{F(loader_oop),			8, NEWEST, OFFSET, "ClassLoaderData._class_loader", 0, HOTSPOT_NO_LOADERS},
	{F(loader_klass),	       11, NEWEST, SIZE, "ClassLoaderData", -32, HOTSPOT_NO_LOADERS},
	{F(loader_name),	       11, NEWEST, SIZE, "ClassLoaderData", -24, HOTSPOT_NO_LOADERS},

	{F(loader_size),		8, NEWEST, SIZE, "ClassLoaderData", 0, 0},
	{F(oop_klass),			8, 8, OFFSET, "oopDesc._metadata._klass", 0, 0},
	{F(loader_next),		8, NEWEST, OFFSET, "ClassLoaderData._next", 0, CLASSES},
	{F(loader_klasses),		8, 8, OFFSET, "ClassLoaderData._next", -32, CLASSES},
	{F(loader_klasses),		9, NEWEST, OFFSET, "ClassLoaderData._klasses", 0, CLASSES},
	{F(klass_next),			8, 8, OFFSET, "InstanceKlass._class_loader_data", -8, CLASSES},
	{F(klass_next),			9, NEWEST, OFFSET, "Klass._next_link", 0, CLASSES},
	{F(klass_shape),		8, NEWEST, OFFSET, "Klass._layout_helper", 0, CLASSES},
	{F(klass_super),		8, NEWEST, OFFSET, "Klass._super", 0, CLASSES},
	{F(klass_interfaces),		8, NEWEST, OFFSET, "InstanceKlass._transitive_interfaces", 0, CLASSES},
	{F(klass_methods),		8, NEWEST, OFFSET, "InstanceKlass._methods", 0, CLASSES},
	{F(klass_pool),			8, NEWEST, OFFSET, "InstanceKlass._constants", 0, CLASSES},
	{F(klass_fields),		8, NEWEST, OFFSET, "InstanceKlass._fields", 0, 0},
	{F(klass_field_count),		8, NEWEST, OFFSET, "InstanceKlass._java_fields_count", 0, 0},
	{F(field_flag_shift),		8, 27, VALUE, NULL, 0, 0},
	{F(field_flag_shift),	       28, NEWEST, VALUE, NULL, 3, 0},
	{F(klass_field_stream),		8, NEWEST, OFFSET, "InstanceKlass._fieldinfo_stream", 0, 0},
	{F(klass_annotations),		8, NEWEST, OFFSET, "InstanceKlass._annotations", 0, CLASSES},
	{F(klass_state),		8, NEWEST, OFFSET, "InstanceKlass._init_state", 0, CLASSES},
	{F(klass_linked),		8, NEWEST, CONSTANT, "InstanceKlass::linked", 0, CLASSES},
	{F(klass_failed),		8, NEWEST, CONSTANT, "InstanceKlass::initialization_error", 0, CLASSES},
	{F(klass_size),			8, NEWEST, SIZE, "InstanceKlass", 0, 0},
	{F(klass_major),		8, 11, OFFSET, "InstanceKlass._major_version", 0, 0},
	{F(pool_major),		       12, NEWEST, OFFSET, "ConstantPool._major_version", 0, 0},
	{F(array_u1),			8, NEWEST, OFFSET, "Array<u1>._data", 0, CLASSES},
	{F(array_pointers),		8, NEWEST, OFFSET, "Array<Klass*>._data", 0, CLASSES},
	{F(const_words),		8, NEWEST, OFFSET, "ConstMethod._constMethod_size", 0, CLASSES},
	{F(const_has_annotations),	8, NEWEST, CONSTANT, "ConstMethod::_has_method_annotations", 0, CLASSES},
	{F(const_has_annotations),	8, NEWEST, CONSTANT, "ConstMethodFlags::_misc_has_method_annotations", 0, CLASSES},

	{F(thread_next),		8, 14, OFFSET, "JavaThread._next", 0, 0},
	{F(thread_osthread),		8, NEWEST, OFFSET, "JavaThread._osthread", 0, THREADS},
	{F(thread_osthread),		8, NEWEST, OFFSET, "Thread._osthread", 0, THREADS},
	{F(thread_state),		8, NEWEST, OFFSET, "JavaThread._thread_state", 0, THREADS},
	{F(osthread_id),		8, NEWEST, OFFSET, "OSThread._thread_id", 0, THREADS},
	{F(thread_object),		8, NEWEST, OFFSET, "JavaThread._threadObj", 0, 0},
	{F(thread_stack_size),		8, 23, OFFSET, "JavaThread._stack_size", 0, 0},
	{F(thread_pending),		8, NEWEST, OFFSET, "ThreadShadow._pending_exception", 0, 0},
	{F(thread_object_is_handle),	8, 15, VALUE, NULL, 0, 0},
	{F(thread_object_is_handle),   16, NEWEST, VALUE, NULL, 1, 0},
	{F(thread_allocated),		8, NEWEST, OFFSET, "Thread._allocated_bytes", 0, 0},
	{F(thread_buffer),		8, NEWEST, OFFSET, "Thread._tlab", 0, 0},
	{F(buffer_start),		8, NEWEST, OFFSET, "ThreadLocalAllocBuffer._start", 0, 0},
	{F(buffer_top),			8, NEWEST, OFFSET, "ThreadLocalAllocBuffer._top", 0, 0},
	{F(list_length),		8, NEWEST, OFFSET, "ThreadsList._length", 0, 0},
	{F(list_threads),		8, NEWEST, OFFSET, "ThreadsList._threads", 0, 0},
};
/* clang-format on */

static const struct {
	unsigned int without;
	const char *name;
} parts[] = {
	{HOTSPOT_NO_STACKS, "stacks"},	 {HOTSPOT_NO_METHODS, "compiled methods"}, {HOTSPOT_NO_LINES, "lines"},
	{HOTSPOT_NO_LOADERS, "loaders"}, {HOTSPOT_NO_HIDDEN, "hidden methods"},	   {HOTSPOT_NO_THREADS, "threads"},
	{HOTSPOT_NO_UPCALLS, "upcalls"}, {HOTSPOT_NO_CLASSES, "classes"},
};

static void note_missing(struct hotspot_layout *l, const char *name, unsigned int without)
{
	size_t used = strlen(l->missing);

	l->without |= without;
	if (strstr(l->missing, name))
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].without == without)
			snprintf(l->missing + used, sizeof(l->missing) - used, "%s%s (%s)", used ? ", " : "", name,
				 parts[i].name);
}

static bool applies(const struct layout_reading *r, const struct rule *rule)
{
	return r->jdk_version >= rule->from && r->jdk_version <= rule->to;
}

/* True for the first applicable rule of a field: the one that messages name. */
static bool is_first_rule(const struct layout_reading *r, const struct rule *rule)
{
	for (const struct rule *other = rules; other < rule; other++)
		if (other->field == rule->field && applies(r, other))
			return false;
	return applies(r, rule);
}

static bool find_rule(const struct layout_reading *r, const struct rule *rule, uint64_t *value)
{
	uint64_t found;

	if (!applies(r, rule))
		return false;
	*value = (uint16_t)rule->add;
	if (rule->source == VALUE)
		return true;
	if (rule->source == OFFSET ? !vmstructs_offset(r->v, rule->name, &found)
	    : rule->source == SIZE ? !vmstructs_size(r->v, rule->name, &found)
				   : !vmstructs_constant(r->v, rule->name, (int64_t *)&found))
		return false;
	*value = found + (uint64_t)rule->add;
	return true;
}

/* A field is initially FRT_NO_OFFSET; larger values are rejected. */
static void apply_rules(struct layout_reading *r)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		memset((char *)r->l + rules[i].field, 0xff, sizeof(uint16_t));
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		uint16_t *field = (uint16_t *)((char *)r->l + rules[i].field);
		uint64_t value;

		if (*field == FRT_NO_OFFSET && find_rule(r, &rules[i], &value) && value < FRT_NO_OFFSET)
			*field = (uint16_t)value;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].without && is_first_rule(r, &rules[i]) &&
		    *(uint16_t *)((char *)r->l + rules[i].field) == FRT_NO_OFFSET)
			note_missing(r->l, rules[i].name, rules[i].without);
}

/* Set what is the same in all versions, and what is computed. */
static void choose_forms(struct layout_reading *r)
{
	struct hotspot_layout *l = r->l;
	struct frt_layout *w = &l->walk;
	int64_t value;
	uint64_t size;

	w->jdk_version = r->jdk_version;
	w->interpreter_sender_sp = -1;
	w->interpreter_method = -3;
	w->call_wrapper = vmstructs_constant(r->v, "frame::entry_frame_call_wrapper_offset", &value)
				  ? (short)value
				  : WALK_CALL_WRAPPER;
	w->thread_env = FRT_NO_OFFSET;
	if (w->thread_anchor != FRT_NO_OFFSET && vmstructs_size(r->v, "JavaFrameAnchor", &size) && size <= 64)
		w->thread_env = (uint16_t)(w->thread_anchor + size + 8);
	else
		note_missing(l, "JavaFrameAnchor", HOTSPOT_NO_STACKS);
	w->symbol_length_shift = vmstructs_offset(r->v, "Symbol._length", &size) ? 0 : 16;
	if (w->const_has_lines == FRT_NO_OFFSET)
		w->const_has_lines = 0;
	if (l->klass_flags == FRT_NO_OFFSET || l->klass_hidden == FRT_NO_OFFSET)
		l->klass_hidden = 0;
}

int layout_read_static(const struct layout_reading *r, const char *name, uint64_t *value)
{
	uint64_t address;
	int e;

	*value = 0;
	if (!vmstructs_static(r->v, name, &address))
		return 0;
	e = mem_u64(r->m, address, value);
	return e ? diag_errno(r->d, -e, "cannot read %s of the JVM", name) : 0;
}

/* Abstract_VM_Version is 25 on both JDK 8 and JDK 25. The older entry is absent where the newer one is reliable. */
static int read_jdk_version(struct layout_reading *r)
{
	uint64_t address, offset = 0;
	uint8_t major;
	int e;

	if (vmstructs_static(r->v, "JDK_Version._current", &address))
		vmstructs_offset(r->v, "JDK_Version._major", &offset);
	else if (!vmstructs_static(r->v, "Abstract_VM_Version._vm_major_version", &address))
		return diag_set(r->d, EBADMSG, "the JVM's tables do not say its version");
	e = mem_u8(r->m, address + offset, &major);
	if (e)
		return diag_errno(r->d, -e, "cannot read the JVM's version");
	if (!major)
		return diag_set(r->d, EAGAIN, "the JVM has not started yet");
	if (major < 8 || major > 99)
		return diag_set(r->d, EBADMSG, "the JVM says that its version is %u", major);
	r->jdk_version = major;
	return 0;
}

static void find_threads(struct layout_reading *r)
{
	struct hotspot_layout *l = r->l;

	if (l->list_length != FRT_NO_OFFSET && l->list_threads != FRT_NO_OFFSET &&
	    vmstructs_static(r->v, "ThreadsSMRSupport._java_thread_list", &l->threads))
		l->threads_form = HOTSPOT_THREADS_LIST;
	else if (l->thread_next != FRT_NO_OFFSET && vmstructs_static(r->v, "Threads._thread_list", &l->threads))
		l->threads_form = HOTSPOT_THREADS_CHAIN;
	else
		note_missing(l, "ThreadsSMRSupport._java_thread_list", HOTSPOT_NO_THREADS);
}

static void find_references(struct layout_reading *r)
{
	static const char *const names[][2] = {
		{"Universe._narrow_oop._base", "Universe._narrow_oop._shift"},		   /* until JDK 12 */
		{"CompressedOops._narrow_oop._base", "CompressedOops._narrow_oop._shift"}, /* until JDK 21 at least */
		{"CompressedOops._base", "CompressedOops._shift"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !r->l->narrow_oop_base; i++)
		if (vmstructs_static(r->v, names[i][0], &r->l->narrow_oop_base))
			vmstructs_static(r->v, names[i][1], &r->l->narrow_oop_shift);
}

static void find_loaders(struct layout_reading *r)
{
	r->l->const_overpass = 0x40;
	if (r->l->loader_klass == FRT_NO_OFFSET &&
	    vmstructs_static(r->v, "Universe._narrow_klass._base", &r->l->narrow_base))
		vmstructs_static(r->v, "Universe._narrow_klass._shift", &r->l->narrow_shift);
	if (!vmstructs_static(r->v, "ClassLoaderDataGraph._head", &r->l->loaders))
		note_missing(r->l, "ClassLoaderDataGraph._head", HOTSPOT_NO_CLASSES);
}

/* Classes of java.base that every JVM loads first. The first form of the name is that until JDK 15. */
static void find_classes(struct layout_reading *r)
{
	static const char *const forms[] = {"SystemDictionary._well_known_klasses[SystemDictionary::%s_klass_knum]",
					    "vmClasses._klasses[static_cast<int>(vmClassID::%s_klass_knum)]"};
	struct hotspot_layout *l = r->l;
	const struct {
		const char *name;
		uint64_t *at;
	} classes[] = {{"Object", &l->object_class}, {"MethodHandle", &l->handle_class},
		       {"Thread", &l->thread_class}, {"ThreadGroup", &l->group_class},
		       {"String", &l->string_class}, {"Thread_FieldHolder", &l->holder_class}};
	char name[96];

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		for (int form = 0; form < 2 && !*classes[i].at; form++) {
			snprintf(name, sizeof(name), forms[form], classes[i].name);
			vmstructs_static(r->v, name, classes[i].at);
		}
}

bool hotspot_layout_allocated(const struct hotspot_layout *l, struct frt_allocated *out)
{
	int env = l->walk.thread_env;

	if (env == FRT_NO_OFFSET || l->thread_allocated == FRT_NO_OFFSET || l->thread_buffer == FRT_NO_OFFSET ||
	    l->buffer_start == FRT_NO_OFFSET || l->buffer_top == FRT_NO_OFFSET)
		return false;
	*out = (struct frt_allocated){.count = l->thread_allocated - env,
				      .buffer = l->thread_buffer + l->buffer_start - env,
				      .used = l->thread_buffer + l->buffer_top - env};
	return true;
}

int hotspot_layout_read(struct hotspot_layout *out, const struct mem *m, const uint64_t symbols[VMSTRUCTS_SYMBOLS],
			struct diag *d)
{
	struct vmstructs v;
	struct layout_reading r = {.l = out, .v = &v, .m = m, .d = d};
	int e = vmstructs_read(&v, m, symbols, d);

	*out = (struct hotspot_layout){0};
	if (e)
		return e;
	d->text[0] = 0;
	e = read_jdk_version(&r);
	if (!e) {
		apply_rules(&r);
		choose_forms(&r);
		find_threads(&r);
		find_loaders(&r);
		find_classes(&r);
		find_references(&r);
		e = layout_read_code(&r);
	}
	if (e || out->without & HOTSPOT_NO_STACKS)
		out->walk.jdk_version = 0;
	vmstructs_release(&v);
	return e;
}
