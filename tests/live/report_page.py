#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report_page.py PAGE JSON: compare the tables of a report with what `frtrace view --json` prints, one view per line.

report_page.py --text PAGE SELECTOR: print the texts of the elements with this tag, #id or .class, one per line.
report_page.py --values PAGE: print the values of each of the slowest calls, one call per line.
report_page.py --samples PAGE: print how many samples of its flame graph were in each method, as lines "N METHOD".
report_page.py --data PAGE: check that the page's data is what a browser expects, and print the number of its calls.

Findings go to standard output; status 1 if there are any.
"""
import base64
import html.parser
import json
import re
import sys

VOID = {'meta', 'link', 'br', 'img', 'input'}


class Page(html.parser.HTMLParser):
    """All elements, each with its text, which includes that of the elements inside."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        element = {'tag': tag, 'attributes': dict(attributes), 'text': '', 'inside': list(self.open)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()['tag'] != tag:
            pass

    def handle_data(self, data):
        for element in self.open:
            element['text'] += data

    def find(self, selector, inside=None):
        def matches(element):
            if selector[0] == '#':
                return element['attributes'].get('id') == selector[1:]
            if selector[0] == '.':
                return selector[1:] in (element['attributes'].get('class') or '').split()
            return element['tag'] == selector
        return [e for e in self.elements if matches(e) and (inside is None or any(inside is o for o in e['inside']))]


def shown(text):
    """Text as the page shows it: what would control the layout is written out."""
    text = ''.join('\\u%04x' % ord(c) if ord(c) < 32 and c not in '\n\t' or 0x7f <= ord(c) < 0xa0 or
                   ord(c) in (0x200e, 0x200f) or 0x2028 <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069 else c
                   for c in text)
    return re.sub(r'\s+', ' ', text)


def compare_table(view, rows, table, page):
    keys = [th['attributes'].get('data-key') for th in page.find('th', table)]
    body = [row for row in page.find('tr', table) if page.find('td', row)]
    if len(body) != len(rows):
        print('%s: %d rows in the page, %d in JSON' % (view, len(body), len(rows)))
        return
    for want, row in zip(rows, body):
        for key, cell in zip(keys, page.find('td', row)):
            if not key:
                continue
            value = want[key]
            got = cell['attributes'].get('data-n')
            if isinstance(value, int):
                if got != str(value):
                    print('%s: %s is %s in the page, %d in JSON' % (view, key, got, value))
            elif value is None:
                if cell['text'] != 'N/A':
                    print('%s: %s is %r in the page, null in JSON' % (view, key, cell['text']))
            elif re.sub(r'\s+', ' ', cell['text']) != shown(value):
                print('%s: %s is %r in the page, %r in JSON' % (view, key, cell['text'][:80], shown(value)[:80]))


def compare(page, lines):
    tables = {t['attributes']['data-view']: t for t in page.find('table') if 'data-view' in t['attributes']}
    for line in lines:
        view = json.loads(line)
        if view['view'] not in tables:
            print('no table %r' % view['view'])
        else:
            compare_table(view['view'], view['rows'], tables[view['view']], page)


def leb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127 if shift < 56 else byte) << shift
        if byte < 128 or shift == 56:
            return value, at
        shift += 7


def read_cells(data, at, items, sums):
    """The sum of the counts, that of the first sums, that one by item, and where the next cells begin."""
    (shift, at), calls, times = leb(data, at), 0, {}
    count, at = leb(data, at)
    for _ in range(count):
        change, at = leb(data, at)
        for _ in range((change & 1) + (change >> 1 & 1)):
            _, at = leb(data, at)
        item, at = leb(data, at) if items else (0, at)
        value, at = leb(data, at)
        calls += value
        for s in range(sums):
            value, at = leb(data, at)
            if s == 0:
                times[item] = times.get(item, 0) + value
    return calls, sum(times.values()), times, at


def read_all_cells(page):
    """Each kind of cells as read_cells() has it, without the places; the bytes that are left."""
    cells, at, kinds = base64.b64decode(page.find('#cells')[0]['text']), 0, []
    for items, sums in (False, 0), (True, 6), (True, 1), (True, 1):
        *kind, at = read_cells(cells, at, items, sums)
        kinds.append(kind)
    return kinds, len(cells) - at


def print_samples(page):
    facts, seen = json.loads(page.find('#data')[0]['text']), {}
    for node, count in read_all_cells(page)[0][3][2].items():
        name = facts['names'][str(facts['tree'][2 * node + 1])] if node else '(unknown)'
        seen[name] = seen.get(name, 0) + count
    for name, count in seen.items():
        print(count, name)


def check_data(page):
    facts = json.loads(page.find('#data')[0]['text'])
    ((heat, _, _), (calls, time, _), _, _), left = read_all_cells(page)
    all_calls = sum(m['all'][0] for m in facts['methods'])
    if left:
        print('%d bytes of cells are left' % left)
    if not heat == calls == all_calls:
        print('%d calls in the heat map, %d in cells, %d of the methods' % (heat, calls, all_calls))
    if time != sum(m['all'][2] for m in facts['methods']):
        print('the time of the cells is not that of the methods')
    for method in facts['methods']:
        for n in (0, 2, 3, 4, 5):
            if sum(band[n] for band in method['bands']) != method['all'][n]:
                print('the bands of a method do not add up to it')


def main():
    if sys.argv[1] == '--text':
        page = Page(open(sys.argv[2], encoding='utf-8').read())
        for element in page.find(sys.argv[3]):
            print(re.sub(r'\s+', ' ', element['text']).strip())
        return
    if sys.argv[1] == '--values':
        facts = json.loads(Page(open(sys.argv[2], encoding='utf-8').read()).find('#data')[0]['text'])
        for story in facts['stories']:
            if story['values'] >= 0:
                print(facts['texts'][story['values']])
        return
    if sys.argv[1] == '--samples':
        print_samples(Page(open(sys.argv[2], encoding='utf-8').read()))
        return
    if sys.argv[1] == '--data':
        check_data(Page(open(sys.argv[2], encoding='utf-8').read()))
        return
    compare(Page(open(sys.argv[1], encoding='utf-8').read()), open(sys.argv[2], encoding='utf-8'))


main()
