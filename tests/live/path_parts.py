# SPDX-License-Identifier: BSD-2-Clause
"""The parts of each path in `view path --json`."""
import collections
import json


def paths_in(name):
    """A list of parts for each path. Prints those that do not follow one another, or are not as long as the call together."""
    paths = collections.defaultdict(list)
    for part in json.load(open(name))["rows"]:
        paths[part["call"]].append(part)
    for parts in paths.values():
        ends = [part["offsetNs"] + part["durationNs"] for part in parts]
        if [part["offsetNs"] for part in parts] != [0] + ends[:-1] or ends[-1] != parts[0]["totalNs"]:
            print("a path with gaps:", parts)
    return list(paths.values())


def slept_in(parts, thread):
    """ns of the path in which that thread slept: before JDK 11 it is a futex that it waits for."""
    return sum(part["durationNs"] for part in parts if part["thread"] == thread and part["state"] in ("sleep", "futex"))
