#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks of the file of --metrics; findings go to standard output.

metrics.py timing FILE.prom TIMING.json            equals the recording's jdk.MethodTiming, as jfr prints it
metrics.py splits FILE.prom CALLS.csv              equals the sums of its jdk.MethodTrace
metrics.py watch FILE.prom STOP                    wait for FILE, read until STOP exists: never half a file, no counter falls
metrics.py scraped FILE.prom URL                   a node exporter serves every sample of the file
"""
import csv
import json
import os
import re
import sys
import time
import urllib.request

SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"')
LAST = 'frtrace_jvm_cpu_seconds_total'


def samples(text):
    """{(name, labels): value}; every line must be a comment or a sample."""
    found = {}
    for line in text.splitlines():
        if line.startswith('#'):
            continue
        match = SAMPLE.fullmatch(line)
        if not match:
            print('no sample:', line)
            continue
        key = match[1], tuple(sorted(LABEL.findall(match[2])))
        if key in found:
            print('twice:', line)
        found[key] = float(match[3])
    return found


def by_method(found, name):
    """{class.method: sum over descriptors and further labels}"""
    sums = {}
    for (family, labels), value in found.items():
        if family == name:
            l = dict(labels)
            key = l['class'] + '.' + l['method']
            sums[key] = sums.get(key, 0) + value
    return sums


def seconds(text):
    """PT1.5S or PT1M2S, as jfr prints durations"""
    match = re.fullmatch(r'PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?', text)
    return int(match[1] or 0) * 3600 + int(match[2] or 0) * 60 + float(match[3] or 0)


def last_timings(path):
    """{class.method: [calls, thrown, seconds, largest error of the seconds]} of the last emission"""
    with open(path) as file:
        events = [event['values'] for event in json.load(file)['recording']['events']]
    last = max(event['startTime'] for event in events)
    sums = {}
    for event in events:
        if event['startTime'] == last and event['invocations']:
            method = event['method']
            row = sums.setdefault(method['type']['name'].replace('/', '.') + '.' + method['name'], [0, 0, 0.0, 0.0])
            row[0] += event['invocations']
            row[1] += event.get('thrown', 0)
            row[2] += event['invocations'] * seconds(event['average'])
            row[3] += event['invocations'] * 2e-9  # the average is rounded twice
    return sums


def recorded_split(path):
    """{class.method: [calls, cpu, run queue, blocked]} of calls with a known split"""
    sums = {}
    with open(path, newline='') as file:
        for row in csv.DictReader(file):
            if row['blocked_ns']:
                of = sums.setdefault(row['method'].split('(')[0], [0, 0, 0, 0])
                of[0] += 1
                for i, column in enumerate(('cpu_ns', 'run_queue_ns', 'blocked_ns')):
                    of[i + 1] += int(row[column]) / 1e9
    return sums


def same(what, ours, theirs, error=1e-6):
    for key in sorted(ours.keys() | theirs.keys()):
        if abs(ours.get(key, 0) - theirs.get(key, 0)) > error:
            print(f'{what} of {key}: {ours.get(key)}, the recording has {theirs.get(key)}')


def check_timing(path, timing):
    with open(path) as file:
        found = samples(file.read())
    timings = last_timings(timing)
    if len(timings) < 5:
        print(f'only {len(timings)} timed methods')
    same('calls', by_method(found, 'frtrace_calls_total'), {key: row[0] for key, row in timings.items()}, 0)
    same('thrown', by_method(found, 'frtrace_thrown_total'), {key: row[1] for key, row in timings.items()}, 0)
    same('calls in the histogram', by_method(found, 'frtrace_call_duration_seconds_count'),
         {key: row[0] for key, row in timings.items()}, 0)
    total = by_method(found, 'frtrace_call_seconds_total')
    for key, row in timings.items():
        same('seconds', {key: total.get(key, 0)}, {key: row[2]}, row[3] + 1e-6)


def check_splits(path, calls):
    with open(path) as file:
        found = samples(file.read())
    splits = recorded_split(calls)
    if len(splits) < 3 or not any(row[3] for row in splits.values()):
        print(f'{len(splits)} recorded methods, or none was blocked')
    for i, name in enumerate(('split_calls', 'cpu_seconds', 'run_queue_seconds', 'blocked_seconds')):
        same(name, by_method(found, f'frtrace_{name}_total'), {key: row[i] for key, row in splits.items()})


def check_watch(path, stop):
    last, versions, state = {}, 0, None
    while not os.path.exists(path) and not os.path.exists(stop):
        time.sleep(0.005)
    while True:
        ended = os.path.exists(stop)
        with open(path) as file:
            number, text = os.fstat(file.fileno()).st_ino, file.read()
        if number != state:
            state, versions = number, versions + 1
            found = samples(text)
            if not text.endswith('\n') or not any(name == LAST for name, _ in found):
                print('half a file:', text[-200:])
            for key, value in last.items():
                if key[0] not in ('frtrace_active', 'frtrace_open_calls', 'frtrace_hooked_methods') and not found.get(key, -1) >= value:
                    print('fell:', key, value, found.get(key))
            last = found
        if ended:
            break
        time.sleep(0.005)
    if versions < 3:
        print(f'only {versions} versions')


def check_scraped(path, url):
    with open(path) as file:
        ours = samples(file.read())
    with urllib.request.urlopen(url, timeout=20) as reply:
        served = reply.read().decode()
    if not re.search(r'^node_textfile_scrape_error 0$', served, re.M):
        print('the exporter reports an error')
    theirs = samples('\n'.join(line for line in served.splitlines() if line.startswith('frtrace_')))
    if ours != theirs:
        print(f'{len(ours)} samples, {len(theirs)} are served; different:', sorted(ours.items() ^ theirs.items())[:5])


{'timing': check_timing, 'splits': check_splits, 'watch': check_watch, 'scraped': check_scraped}[sys.argv[1]](*sys.argv[2:])
