#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the output of the live view with other sources. Findings go to standard output, one per line.

live_view.py sums JSON TRUTH       the intervals add up to the program's counts (Stage.java: count lines)
live_view.py tables TEXT TRUTH     the same for printed tables; the last one has all calls
live_view.py lines JSON LOG        the lines are the calls that the program logged (Logged.java), ordered by end
live_view.py file JSON EVENTS      the lines are the events that `jfr print --json --events jdk.MethodTrace` printed
live_view.py total JSON NUMBER     lines and skipped ones add up to this number
"""
import collections
import datetime
import json
import re
import sys

found = 0


def finding(text):
    global found
    found += 1
    if found <= 20:
        print(text)


def same(what, expected, seen):
    if expected != seen:
        finding('%s: expected %s, found %s' % (what, expected, seen))


def objects(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def truth(path):
    """{(class, method, descriptor, loader): (calls, thrown)}; '*' is any."""
    rows = [line.rstrip('\n').split('\t') for line in open(path)]
    return {(r[1], r[2], r[3], r[5]): (int(r[6]), int(r[7])) for r in rows if r[0] == 'count'}


def matches(key, wanted):
    return all(want in ('*', name) for want, name in zip(wanted, key))


def compare(counts, expected, what):
    for wanted, numbers in expected.items():
        hits = [v for k, v in counts.items() if matches(k, wanted)]
        same('%s of %s' % (what, '.'.join(wanted[:2])), numbers, (sum(h[0] for h in hits), sum(h[1] for h in hits)))
    for key in counts:
        if not any(matches(key, wanted) for wanted in expected):
            finding('%s: unknown: %s' % (what, key))


def check_row(row):
    if row['calls'] and not 0 <= row['p50Ns'] <= row['p99Ns'] <= row['maxNs'] * 1.032 + 1:
        finding('not in order: %s' % row)
    if row['calls'] and not abs(row['averageNs'] * row['calls'] - row['totalNs']) <= row['calls']:
        finding('average and total differ: %s' % row)
    if row['maxNs'] and row['maxNs'] > row['sinceStart']['maxNs']:
        finding('a maximum above that of the table: %s' % row)


def sums(path, truth_path):
    counts, last, end = collections.defaultdict(lambda: (0, 0)), {}, None
    for table in objects(path):
        same('calls in the head', table['calls'], sum(row['calls'] for row in table['methods']))
        same('lost', 0, table['lost'])
        if end is not None:
            same('start of an interval', end, table['timeNs'] - table['intervalNs'])
        end = table['timeNs']
        for row in table['methods']:
            check_row(row)
            key = row['class'], row['method'], row['descriptor'], row['loader']
            counts[key] = counts[key][0] + row['calls'], counts[key][1] + row['thrown']
            last[key] = row['sinceStart']['calls'], row['sinceStart']['thrown']
    compare({k: v for k, v in counts.items() if v[0]}, truth(truth_path), 'sum')
    compare({k: v for k, v in last.items() if v[0]}, truth(truth_path), 'since the start')


def read_tables(path):
    """The head of each table and {name: (calls, thrown)}."""
    tables = []
    for line in open(path):
        if '\x1b' in line:
            finding('an escape sequence: %r' % line)
        if re.match(r'\d\d:\d\d:\d\d ', line):
            tables.append((line, {}))
        elif re.match(r' *[0-9,]+ ', line):
            cells = line.rstrip('\n').split('  ')
            cells = [c for c in cells if c]
            tables[-1][1][cells[-1]] = tuple(int(c.replace(',', '')) for c in cells[:2])
    return tables


def named(rows):
    """Rows by the names of the truth, which distinguishes overloads by their types."""
    out = {}
    for name, numbers in rows.items():
        m = re.fullmatch(r'(.*)\.([^.(]+)\((.*?)\)(?: \(loader (.*)\))?', name)
        out[m[1], m[2], {'int': '(I)I', 'long': '(J)J'}.get(m[3], '*'), m[4] or '*'] = numbers
    return out


def tables(path, truth_path):
    all_tables = read_tables(path)
    counts = collections.defaultdict(lambda: (0, 0))
    if len(all_tables) < 3 or 'in all of' not in all_tables[-1][0]:
        finding('%d tables, the last: %s' % (len(all_tables), all_tables[-1:]))
        return
    for head, rows in all_tables[:-1]:
        for name, (calls, thrown) in rows.items():
            counts[name] = counts[name][0] + calls, counts[name][1] + thrown
    expected = {k: v for k, v in truth(truth_path).items() if v[0]}
    compare(named(all_tables[-1][1]), expected, 'the last table')
    if '(loader ' not in ''.join(counts):
        compare(named({k: v for k, v in counts.items() if v[0]}), expected, 'sum')


# frtrace waits 50 ms for a thread that is kept from running between the end of a call and its record.
KEPT_NS = 45000000


def check_order(calls, returned):
    """`returned`: for each call, when its thread went on. A line may be late if that was late, too."""
    latest = 0
    for call, after in zip(calls, returned):
        end = call['startNs'] + call['durationNs']
        if end < latest and after - end < KEPT_NS:
            finding('out of order, %d ns after a later one, its thread went on after %d: %s' % (latest - end, after - end, call))
        latest = max(latest, end)


def lines(path, log_path):
    calls = objects(path)
    logged = collections.defaultdict(list)
    for row in map(str.split, open(log_path)):
        logged['log-%s-\x1b[2J\n"' % row[0]].append((int(row[1]), int(row[2]), row[3] == 'true'))
    went_on = {name: iter([after for _, after, _ in log]) for name, log in logged.items()}
    check_order(calls, [next(went_on[c['thread']], 0) for c in calls])
    for name, log in logged.items():
        own = [c for c in calls if c['thread'] == name]
        same('lines of %r' % name, len(log), len(own))
        for call, (before, after, thrown) in zip(own, log):
            if not (before <= call['startNs'] and call['startNs'] + call['durationNs'] <= after):
                finding('not between %d and %d: %s' % (before, after, call))
            same('thrown', thrown, call['thrown'])
            same('method', ('live.Logged', 'work', '(I)I', 'app'), tuple(call[k] for k in ('class', 'method', 'descriptor', 'loader')))
            same('caller', ('live.Logged', 'calls', '(I)Z'), tuple(call['caller'][k] for k in ('class', 'method', 'descriptor')))
    same('lines in all', sum(map(len, logged.values())), len(calls))


def nanoseconds(text):
    """ISO 8601 with up to nine fraction digits."""
    m = re.fullmatch(r'(\d+-\d+-\d+T\d+:\d+:\d+)(?:\.(\d+))?(Z|[+-]\d+:\d+)', text)
    moment = datetime.datetime.fromisoformat(m[1] + ('+00:00' if m[3] == 'Z' else m[3]))
    return int(moment.timestamp()) * 10**9 + int((m[2] or '0').ljust(9, '0'))


def duration(text):
    m = re.fullmatch(r'PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?', text)
    seconds = int(m[1] or 0) * 3600 + int(m[2] or 0) * 60 + int(m[3] or 0)
    return seconds * 10**9 + int((m[4] or '0').ljust(9, '0'))


def caller_of(event):
    if not event['stackTrace']:
        return None
    frame = event['stackTrace']['frames'][0]
    return frame['method']['type']['name'].replace('/', '.'), frame['method']['name'], frame['lineNumber']


def of_event(event):
    return (event['eventThread']['javaThreadId'], event['method']['type']['name'].replace('/', '.'), event['method']['name'],
            event['method']['descriptor'], duration(event['duration']), event['thrown'], caller_of(event))


def of_line(call):
    caller = call['caller'] and (call['caller']['class'], call['caller']['method'], call['caller']['line'])
    return (call['javaThreadId'], call['class'], call['method'], call['descriptor'], call['durationNs'], call['thrown'], caller)


def file(path, events_path):
    with open(events_path) as printed:
        events = [e['values'] for e in json.load(printed)['recording']['events']]
    calls = sorted(objects(path), key=lambda c: nanoseconds(c['startTime']))
    events.sort(key=lambda e: nanoseconds(e['startTime']))
    same('events', len(events), len(calls))
    for event, call in zip(events, calls):
        same('a call', of_event(event), of_line(call))
        apart = nanoseconds(event['startTime']) - nanoseconds(call['startTime'])
        if abs(apart) > 1000000: # each is anchored to the wall clock separately
            finding('starts are %d ns apart: %s' % (apart, call))


def total(path, number):
    calls = objects(path)
    skipped = [c['skipped'] for c in calls if 'skipped' in c]
    same('lines and skipped ones', int(number), len(calls) - len(skipped) + sum(skipped))
    if not skipped:
        finding('nothing was skipped')


{'sums': sums, 'tables': tables, 'lines': lines, 'file': file, 'total': total}[sys.argv[1]](*sys.argv[2:])
if found > 20:
    print('and %d more' % (found - 20))
sys.exit(found > 0)
