/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent, embedded in frtrace. */
	.section .rodata
	.global agent_image
	.global agent_image_end
	.balign 16
agent_image:
	.incbin AGENT_FILE
agent_image_end:
	.section .note.GNU-stack, "", @progbits
