# SPDX-License-Identifier: BSD-2-Clause
"""branched.py CHILDREN ROOTS EVENTS TREE THRESHOLD_MS: each call that Branched made in a request that took long enough is in the
events live.Child, with its thread, and none of another request or of none. In the trees, as JSON, they are
below their request. Requests near the threshold may be either.
"""
import collections
import json
import re
import sys

threshold = float(sys.argv[5]) * 1e6
kept, either = set(), set()
for line in open(sys.argv[2]):
    root, begin, end, least = map(int, line.split())
    if least >= threshold:
        kept.add(root)
    elif end - begin >= threshold:
        either.add(root)

logged, of = {}, collections.defaultdict(set)
for line in open(sys.argv[1]):
    call, root, thread, way = line.split()
    logged[int(call)] = int(root), thread, way
    of[int(root)].add(int(call))

seen, event = {}, {}
for line in open(sys.argv[3]):
    m = re.match(r'  (eventThread|call) = "?([^" ]*)', line)
    if m:
        event[m[1]] = m[2]
    elif line.startswith("}"):
        call = int(event["call"].replace(",", ""))
        if call in seen:
            print("twice:", logged[call])
        seen[call] = event["eventThread"]
        event = {}

count = collections.Counter()
for call, thread in seen.items():
    root, by, way = logged[call]
    if root not in kept and root not in either:
        count["of another, " + way] += 1
    if by != thread:
        count["on another thread, " + way] += 1
for root in kept:
    for call in of[root] - seen.keys():
        count["missing, " + logged[call][2]] += 1
for root in either:
    left = of[root] - seen.keys()
    if left and len(left) != len(of[root]):
        count["in part"] += 1
tree, root = collections.Counter(), {}
for row in json.load(open(sys.argv[4]))["rows"]:
    root[row["node"]] = root.get(row["parent"], row["node"])
    if ".child(" in row["method"]:
        tree[root[row["node"]]] += row["calls"]
    elif ".request(" not in row["method"]:
        count["nodes of " + row["method"]] += 1
want = collections.Counter(logged[call][0] for call in seen)
if sorted(tree.values()) != sorted(want.values()):
    print("calls in trees", sorted(tree.values()), "not", sorted(want.values()))

for what, n in sorted(count.items()):
    print(n, what)
if not kept:
    print("no request was slow")
print(len(kept), "kept", len(either), "near", len(seen), "calls of", len(logged), file=sys.stderr)
