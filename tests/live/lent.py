# SPDX-License-Identifier: BSD-2-Clause
"""EVENTS LOG OPEN COUNT: the events between two calls are those of the log of Lent, and COUNT asks are open, if it is given."""
import json
import sys

SLACK = 20000  # ns: two clocks

events = json.load(open(sys.argv[1]))["recording"]["events"]
rest = {}
for line in open(sys.argv[2]):
    kind, number, least, most, peer, begin, end = line.split()
    rest[kind, int(number)] = int(least), int(most), peer, begin, end


def nanoseconds(duration):
    assert duration.startswith("PT") and duration.endswith("S"), duration
    return round(float(duration[2:-1]) * 1e9)


logged = len(rest)
for e in events:
    v = e["values"]
    kind = {"test.Ask": "ask", "test.Loan": "loan", "test.Idle": "idle"}[e["type"]]
    number = int(v["n"])  # a text, if its class was loaded later
    assert (kind, number) in rest, ("not in the log, or there twice", kind, number)
    least, most, peer, begin, end = rest.pop((kind, number))
    took = nanoseconds(v["duration"])
    assert least - SLACK <= took <= most + SLACK, (kind, number, least, took, most)
    assert v["beginThread"]["javaName"] in (begin, "") and v["eventThread"]["javaName"] in (end, ""), (v, begin, end)
    assert kind != "ask" or v["peer"] == peer, (v, peer)
assert not rest, f"{len(rest)} of {logged} are missing, such as {next(iter(rest.items()))}"
methods = [row["method"] for row in json.load(open(sys.argv[3]))["rows"]]
asks = [m for m in methods if "Lent$Client.send" in m]
assert len(sys.argv) == 4 or len(asks) == int(sys.argv[4]), (len(asks), sys.argv[4], methods[:3])
