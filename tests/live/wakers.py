# SPDX-License-Identifier: BSD-2-Clause
"""wakers.py N KIND... <events: the waits of live.Wakers, as printed by jfr print --json, and who ended them.

Of each kind, nearly N waits must have the thread and the method that ended them: all but one in a thousand, and two
that have other causes. No wait may have a wrong one. Waits of less than 1 ms have no stacks. The JVM has locks of its
own, which its threads give back.
"""
import collections
import json
import re
import sys

MISSING = 0.001
OTHERS = 2
OF_JVM = re.compile(r"(C[12] |G1 |GC |VM )")
REAPER = r"java\.lang\.(ProcessImpl|UNIXProcess|Process\b).*"


def name_of(thread):
    return (thread or {}).get("javaName") or (thread or {}).get("osName") or ""


def frames_of(stack):
    for frame in (stack or {}).get("frames") or []:
        method = frame["method"]
        if method:
            yield method["type"]["name"].replace("/", ".") + "." + method["name"]
        else:
            yield "?"


def own_frame(kind, frames):
    """The method that ended the wait: the innermost one of the program, or of what the JDK does for it."""
    pattern = REAPER if kind == "process" else r"live\.Wakers\.[ab]$"
    return next((f for f in frames if re.match(pattern, f)), None)


def judge(kind, wait):
    """right, wrong, or why it is neither"""
    waker, by = name_of(wait["wakerThread"]), wait["wokenBy"]
    frame = own_frame(kind, frames_of(wait["wakerStackTrace"]))
    if by == "interrupt":
        return "wrong" if waker or frame else "interrupt"
    if not waker and not frame:
        return "nobody"
    if OF_JVM.match(waker):
        return "wrong" if frame else "jvm"
    if kind == "process":
        if frame and waker.startswith("process"):
            return "right"
        return "wrong" if frame else "unknown: " + waker + ": " + ",".join(frames_of(wait["wakerStackTrace"]))
    if waker not in (kind + "-a", kind + "-b"):
        return "wrong" if frame else "unknown by " + waker
    if not frame:
        return "unknown: " + ",".join(frames_of(wait["wakerStackTrace"]))
    return "right" if frame == "live.Wakers." + waker[-1] else "wrong"


def main():
    wanted, kinds = int(sys.argv[1]), sys.argv[2:]
    results = {kind: collections.Counter() for kind in kinds}
    for event in json.load(sys.stdin)["recording"]["events"]:
        wait = event["values"]
        kind = name_of(wait["eventThread"])
        seconds = float(re.match(r"PT([0-9.]+)S", wait["duration"]).group(1)) if wait["duration"].endswith("S") and "M" not in wait["duration"] else 60
        if kind in results and seconds > 0.001 and wait["reason"] not in ("gc", "safepoint", "frtrace"):
            results[kind][judge(kind, wait)] += 1
    for kind, counts in results.items():
        right = counts["interrupt"] + counts["nobody"] if kind == "sleep" else counts["right"]
        unknown = sum(n for what, n in counts.items() if what.startswith("unknown"))
        print(kind, dict(counts))
        if counts["wrong"] or right < wanted * 0.9 or unknown > OTHERS + right * MISSING:
            print(f"FAILED {kind}: {right} right of {wanted}, {unknown} unknown, {counts['wrong']} wrong")


main()
