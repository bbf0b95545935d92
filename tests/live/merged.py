# SPDX-License-Identifier: BSD-2-Clause
"""merged.py JFR MERGED FILE...: by the JDK's jfr, MERGED has the events of the files, value for value and nanosecond for
nanosecond. What a file does not know (null, false, a missing time) may stand there or not; a setting names its event by
another number; of a thread that two files know, one has the groups above its group."""
import json
import subprocess
import sys
from collections import Counter

MISSING = (None, False, "PT-2562047788015215H-30M-8S", "-1000000000-01-01T00:00Z")


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v not in MISSING and k != "parent"}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def events(jfr, path):
    text = subprocess.run([jfr, "print", "--json", "--stack-depth", "100", path], check=True, capture_output=True).stdout
    found = Counter()
    for event in json.loads(text)["recording"]["events"]:
        if event["type"] == "jdk.ActiveSetting":
            del event["values"]["id"]
        found[json.dumps(plain(event), sort_keys=True)] += 1
    return found


jfr, merged, *files = sys.argv[1:]
want = sum((events(jfr, f) for f in files), Counter())
got = events(jfr, merged)
print(sum(want.values()), "events,", sum(got.values()), "merged")
for title, difference in (("lacking", want - got), ("strange", got - want)):
    for text, count in list(difference.items())[:3]:
        print(title, count, text[:1500])
    print(title, sum(difference.values()))
sys.exit(want != got)
