#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff_page.py PAGE JSON: compare the page of `frtrace diff --report` with what `frtrace diff --json` prints.

Findings go to standard output; status 1 if there are any.
"""
import html
import json
import re
import sys


def number(text):
    """Nanoseconds of a time, with the digits that it has."""
    value, unit = re.match(r'([0-9.,]+) (ns|us|ms|s)', text).groups()
    return float(value.replace(',', '')) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit]


page, found = open(sys.argv[1], encoding='utf-8').read(), []
diff = json.load(open(sys.argv[2], encoding='utf-8'))
blocks = re.findall(r'<article[^>]*><h3>(.*?)</h3>(.*?)</article>', page, re.S)
methods = diff['methods'][:len(blocks)]
if len(blocks) != min(20, len(diff['methods'])):
    found.append('%d methods in the page, %d in JSON' % (len(blocks), len(diff['methods'])))
if '<script' in page or page.count('<html') != 1:
    found.append('the page has a script')
if diff['verdict'] not in html.unescape(page):
    found.append('no verdict %r' % diff['verdict'])
for (name, block), want in zip(blocks, methods):
    if html.unescape(name) != want['method']:
        found.append('%r where JSON has %r' % (name, want['method']))
    rows = {cells[0]: cells[1:] for cells in
            ([html.unescape(c) for c in re.findall(r'<td[^>]*>(.*?)</td>', row)] for row in re.findall(r'<tr[^>]*>(.*?)</tr>', block)) if cells}
    for side, column in (('old', 0), ('new', 1)):
        for q in ('p50', 'p90', 'p99'):
            value = want[side] and want[side][q + 'Ns']
            text = rows[q][column]
            if value is None and text != '-' or value is not None and abs(number(text) - value) > max(0.051 * value, 1):
                found.append('%s of %s is %s in the page, %s in JSON' % (q, name, text, value))
        if want[side] and rows['thrown'][column] != str(want[side]['thrown']):
            found.append('thrown of %s is %s in the page' % (name, rows['thrown'][column]))
print('\n'.join(found), end='')
sys.exit(bool(found))
