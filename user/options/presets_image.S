/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes frtrace's own presets. */
	.section .rodata
	.global presets_image
	.global presets_image_end
presets_image:
	.incbin PRESETS_FILE
presets_image_end:
	.section .note.GNU-stack, "", @progbits
