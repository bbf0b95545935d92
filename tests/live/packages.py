# SPDX-License-Identifier: BSD-2-Clause
"""packages.py OURS THEIRS [NAME...]: compare the packages of classes in two recordings, as `jfr print --json` has them.

Prints each class in a frame of both whose package, module or loader differs, each NAME of a module that no class has
("-": an unnamed one), and nothing else.
"""
import json
import sys


def loader_of(value):
    """The class and name of a loader."""
    return value and (value["type"] and value["type"]["name"], value["name"])


def package_of(value):
    if value is None:
        return None
    module = value["module"]
    return {
        "name": value["name"],
        "exported": value["exported"],
        "module": module and {**module, "classLoader": loader_of(module["classLoader"])},
    }


def classes(path):
    """The packages of the classes of all frames, and of traced methods."""
    found = {}
    with open(path) as file:
        events = json.load(file)["recording"]["events"]
    for event in events:
        values = event["values"]
        frames = (values["stackTrace"] or {}).get("frames", [])
        for method in [values.get("method")] + [frame["method"] for frame in frames]:
            if method and not method["type"].get("hidden"):
                packages = found.setdefault(method["type"]["name"], [])
                package = package_of(method["type"]["package"])
                if package not in packages:
                    packages.append(package)
    return found


def main(ours, theirs, *modules):
    ours, theirs = classes(ours), classes(theirs)
    both = ours.keys() & theirs.keys()
    for name in sorted(both):
        if ours[name] != theirs[name]:
            print(f"{name}: {ours[name]}, the JDK: {theirs[name]}")
    seen = {package["module"]["name"] or "-" for name in both for package in ours[name] if package and package["module"]}
    for name in set(modules) - seen:
        print(f"no class of module {name} in {len(both)} of {len(ours)} and {len(theirs)} classes")


main(*sys.argv[1:])
