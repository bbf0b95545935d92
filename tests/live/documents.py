# SPDX-License-Identifier: BSD-2-Clause
"""
documents.py PID DOCUMENT [COLUMNS DIRECTORY]: run the commands of a document and compare what they print.

A command is a line of a fenced block that begins with "$ ". The lines below it, up to the
next command or the end of the block, must come in its output, in that order; more lines may
come, and "..." stands for some. Words must be equal. Numbers must be of the same magnitude
(see alike()). CONTRIBUTING.md has the rules for writers of documents.

With COLUMNS the commands run in a terminal of that width. No line may be wider, neither printed nor in the document.
Lines may be broken elsewhere, and names shortened more or less, as numbers differ in length. What was printed goes to
files 1, 2, ... in DIRECTORY.

Prints a line for each difference; status 1 if there was one, 2 if the document has no command.
"""
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time

PID = "7017"  # the traced process in all documents
LIMIT = 200  # seconds per command

UNITS = {
    "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0,
    "bytes": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "%": 1.0,
}
TIMES = ("ns", "us", "ms", "s", "min", "h")
TOKEN = re.compile(
    r"(?P<free>\d{4}[-_]\d\d[-_]\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?|\d+\.\d+\.\d+[\w.+-]*)"
    r"|(?<![A-Za-z_$])(?P<number>\d[\d,]*(?:\.\d+)?)(?: ?(?P<unit>ns|us|ms|s|min|h|bytes|KB|MB|GB|%)(?!\w))?"
    r"|(?P<word>[A-Za-z_$]+\w*|\S)")


def commands(path):
    """Each command with the lines below it."""
    fence, found = False, None
    with open(path, encoding="utf-8") as document:
        for line in document:
            line = line.rstrip("\n")
            if line.lstrip().startswith("```"):
                if found:
                    yield found
                fence, found = not fence, None
            elif fence and line.startswith("$ "):
                if found:
                    yield found
                found = (line[2:], [])
            elif fence and found and line.strip() and line.strip() != "...":
                found[1].append(line)


def runnable(command, pid):
    """The command for the test's shell, which is root's and knows the pid."""
    command = re.sub(r"\bsudo ", "", command)
    return re.sub(r"(?<=\s)(?:Shop|Store)(?=\s|$)", pid, command)


def words(line):
    line = re.sub(r"blocked\s+\([^)]*\)", "blocked", line)  # the reasons vary
    line = re.sub(r"[\d.]+ (cpu|runq)\b", r"\1", line)  # they depend on the load of the machine
    line = re.sub(r"open, oldest [\d.]+ \w+( in \S+)?", "open", line)  # it may be absent
    line = re.sub(r"\bdisk +[\d,]+( +[\d.]+ [mu]?s){3}", "disk", line)  # it may be slow or fast
    line = re.sub(r"^( +[\d.]+ ms) +[\d.]+ [mu]s( +[\d.]+ ms +\S+\.handle\()", r"\1\2", line)  # self varies with the load
    line = re.sub(r"([-=#])\1{2,}", r"\1", line)  # rules and bars
    line = re.sub(r"(Thread\.sleep\(long\)):\d+", r"\1", line)  # native in some versions of the JDK
    return [match for match in TOKEN.finditer(line) if match.group().strip()]


def tokens(line):
    found = words(line)
    # the JVM determines the order of methods within a class
    return sorted(found, key=lambda match: match.group()) if " · " in line else found


def magnitude(match):
    value = float(match["number"].replace(",", ""))
    return value * UNITS.get(match["unit"], 1.0)


def alike(want, have):
    """
    Dates, times of day and versions always match. Counts and sizes match within a factor of 10, times within a factor of
    30, as another program may use the CPU, shares within 60 %. Numbers below 10 match each other, as do times below 1 ms.
    """
    if want.lastgroup != have.lastgroup and not (want["number"] and have["number"]):
        return False
    if want["free"]:
        return True
    if want["word"]:
        return want["word"] == have["word"]
    if want["unit"] == have["unit"] == "%":
        return abs(magnitude(want) - magnitude(have)) <= 60
    time = want["unit"] in TIMES
    if time != (have["unit"] in TIMES):
        return magnitude(want) == magnitude(have) == 0
    least, most = sorted((magnitude(want), magnitude(have)))
    small, factor = (1e-3, 30) if time else (10, 10)
    return most <= least * factor or most < small


def same(want, have):
    if len(want) != len(have):
        return False
    for i, (one, other) in enumerate(zip(want, have)):
        before = want[i - 1].group() if i else ""
        behind = want[i + 1].group() if i + 1 < len(want) else ""
        if one["number"] and other["number"] and behind in ("live", "lost"):
            # the pid before a main class is arbitrary; lost counts are compared exactly
            if behind == "lost" and one["number"] != other["number"]:
                return False
        elif one["number"] and other["number"] and before == "pause":
            continue  # the JVM may have stood still for something else
        elif not alike(one, other):
            return False
    return True


def missing(expected, printed):
    """The first expected line that is missing, or None."""
    lines = iter(printed)
    for want in expected:
        if not any(same(tokens(want), tokens(have)) for have in lines):
            return want
    return None


def without_last_wait(line):
    """
    A wait that goes on, at the end of a line, may be the JVM's, and short: a thread looks after a monitor once in a while,
    and waits again.
    """
    return re.sub(r"[\d.]+ [mu]?s (?:futex|gc|safepoint|frtrace)\s*$", "futex", line)


def without_what_varies(line):
    """
    Methods lose packages and parameters where what stands beside them needs the columns. The process of a peer is looked up
    once in a while.
    """
    line = re.sub(r"(\d:\d+) \([^ )]+\)", r"\1", line)
    line = re.sub(r"(?<![\w$])(?:[a-z]\w*\.)+(?=[A-Z])", "", line)
    return re.sub(r"(?<=[\w>])\([\w$.,\[\] ]*\)", "", line)


def missing_folded(expected, printed):
    """The same, wherever lines are broken, and however names are shortened."""
    have, at = words(without_what_varies(" ".join(" ".join(without_last_wait(line) for line in printed).split()))), 0
    for line in expected:
        want = words(without_what_varies(without_last_wait(line)))
        while at + len(want) <= len(have) and not same(want, have[at:at + len(want)]):
            at += 1
        if at + len(want) > len(have):
            return line
        at += len(want)
    return None


def run(command):
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
    return done.stdout.decode(errors="replace").splitlines()


def run_in_terminal(command, columns):
    """The lines that stay, and those that are too wide, also of what is overwritten."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    child = subprocess.Popen(["bash", "-c", command], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    data, end = b"", time.monotonic() + LIMIT
    while time.monotonic() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            data += os.read(master, 65536)
        except OSError:  # nobody has the terminal any more
            break
    else:
        child.kill()
    child.wait()
    os.close(master)
    lines = [line.split("\r\x1b[K") for line in data.decode(errors="replace").replace("\r\n", "\n").split("\n")]
    return [parts[-1] for parts in lines], [part for parts in lines for part in parts if len(part) > columns]


def main():
    pid, path = sys.argv[1:3]
    columns = int(sys.argv[3]) if len(sys.argv) > 3 else None
    bad = number = 0
    for command, expected in commands(path):
        number += 1
        if columns:
            printed, wide = run_in_terminal(runnable(command, pid), columns)
            wide += [line for line in expected if len(line) > columns]
            with open(os.path.join(sys.argv[4], str(number)), "w", encoding="utf-8") as file:
                file.write("\n".join(printed))
        else:
            printed, wide = run(runnable(command, pid)), []
        printed = [re.sub(rf"\b{pid}\b", PID, line) for line in printed]
        want = (missing_folded if columns else missing)(expected, printed)
        for line in wide:
            bad = 1
            print(f"$ {command}", f"  more than {columns} columns:", f"  {line}", sep="\n")
        if want is not None:
            bad = 1
            print(f"$ {command}", "  missing line:", f"  {want}", "  printed:", sep="\n")
            print("\n".join("    " + line for line in printed[:20]))
    return bad if number else 2


if __name__ == "__main__":
    sys.exit(main())
