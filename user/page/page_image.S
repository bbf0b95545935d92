/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes the files of the page; the build computes the hashes that let a browser run and use them. */
	.section .rodata
	.global page_html
	.global page_html_end
	.global page_style
	.global page_style_end
	.global page_script
	.global page_script_end
	.global page_style_hash
	.global page_script_hash
page_html:
	.incbin "user/page/html/page.html"
page_html_end:
page_style:
	.incbin "user/page/html/style.css"
page_style_end:
page_script:
	.incbin PAGE_SCRIPT
page_script_end:
page_style_hash:
	.asciz PAGE_STYLE_HASH
page_script_hash:
	.asciz PAGE_SCRIPT_HASH
	.section .note.GNU-stack, "", @progbits
