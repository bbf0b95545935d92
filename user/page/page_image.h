/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the page, which page_image.S includes, and the hashes by which a browser accepts them. */
#ifndef USER_PAGE_PAGE_IMAGE_H
#define USER_PAGE_PAGE_IMAGE_H

extern const char page_html[], page_html_end[], page_style[], page_style_end[], page_script[], page_script_end[];
extern const char page_style_hash[], page_script_hash[];

#endif
