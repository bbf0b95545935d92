# SPDX-License-Identifier: BSD-2-Clause
"""merged.py JFR MERGED FILE...: check with the JDK's jfr that MERGED has the events of the files, equal in every value
and nanosecond. Values that a file lacks (null, false, a missing time, no duration) may be filled in; a setting refers to
its event by a new number; a thread that two files have gets the longer chain of thread groups; frtrace's description of
the JVM is left out if the JVM's own is there."""
import json
import subprocess
import sys
from collections import Counter

MISSING = (None, False, "PT0S", "PT-2562047788015215H-30M-8S", "-1000000000-01-01T00:00Z")


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v not in MISSING and k != "parent"}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def events(jfr, path, describes_jvm_twice):
    text = subprocess.run([jfr, "print", "--json", "--stack-depth", "100", path], check=True, capture_output=True).stdout
    found = Counter()
    recorded = json.loads(text)["recording"]["events"]
    if describes_jvm_twice and any(event["type"] == "frtrace.Clock" for event in recorded):
        recorded = [event for event in recorded if event["type"] != "jdk.JVMInformation"]
    for event in recorded:
        if event["type"] == "jdk.ActiveSetting":
            del event["values"]["id"]
        found[json.dumps(plain(event), sort_keys=True)] += 1
    return found


jfr, merged, *files = sys.argv[1:]
want = sum((events(jfr, f, True) for f in files), Counter())
got = events(jfr, merged, False)
print(sum(want.values()), "events,", sum(got.values()), "merged")
for title, difference in (("lacking", want - got), ("strange", got - want)):
    for text, count in list(difference.items())[:3]:
        print(title, count, text[:1500])
    print(title, sum(difference.values()))
sys.exit(want != got)
