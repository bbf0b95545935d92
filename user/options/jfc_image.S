/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes frtrace's own settings files. */
	.section .rodata
	.global jfc_default
	.global jfc_default_end
	.global jfc_profile
	.global jfc_profile_end
jfc_default:
	.incbin "user/options/default.jfc"
jfc_default_end:
jfc_profile:
	.incbin "user/options/profile.jfc"
jfc_profile_end:
	.section .note.GNU-stack, "", @progbits
