/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF programs of frtrace.skel.h without calls of the kernel's functions, embedded in frtrace. */
	.section .rodata
	.global plain_image
	.global plain_image_end
	.balign 16
plain_image:
	.incbin PLAIN_FILE
plain_image_end:
	.section .note.GNU-stack, "", @progbits
