/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See machine.h. */
#ifndef FRTRACE_MACHINE_X86_64_H
#define FRTRACE_MACHINE_X86_64_H

#define FRT_SAVED	   5 /* rbx, r12 to r15 */
#define FRT_SAVED_BYTECODE 2 /* r13 */

/* Variables lie below the thread's control block. */
#define FRT_TLS_DISTANCE(value) (-(value))

#define WALK_ADDRESS(pc)  (pc)
#define WALK_STRIP(pc)	  ((void)(pc))
#define WALK_BYTECODE	  (-8)
#define WALK_CALL_WRAPPER (-6)

#endif
