// SPDX-License-Identifier: BSD-2-Clause
// Check Kubernetes resources, a JSON array on standard input, against the schemas of the npm package kubernetes-models.
// Prints what is wrong, and ends with status 1. Its validators ignore unknown fields, but they read each field that they
// know: what is never read does not exist.
"use strict";
const path = require("path");
const home = path.join(path.dirname(require.resolve("kubernetes-models/v1/Pod")), "..");
const schemas = { Pod: "IoK8sApiCoreV1Pod", DaemonSet: "IoK8sApiAppsV1DaemonSet" };

function watched(value, at, read) {
	if (typeof value !== "object" || value === null) return value;
	return new Proxy(value, {
		get(target, key) {
			read.add(`${at}/${String(key)}`);
			return watched(target[key], `${at}/${String(key)}`, read);
		},
	});
}

function unread(value, at, read, found) {
	if (typeof value !== "object" || value === null) return found;
	for (const key of Object.keys(value)) {
		if (!read.has(`${at}/${key}`)) found.push(`${at}/${key}: no such field`);
		else unread(value[key], `${at}/${key}`, read, found);
	}
	return found;
}

function findings(resource) {
	const { validate } = require(path.join(home, "_schemas", schemas[resource.kind]));
	const read = new Set();

	if (!validate(watched(resource, "", read)))
		return validate.errors.map((e) => `${e.instancePath}: ${e.keyword} ${JSON.stringify(e.params)}`);
	return unread(resource, "", read, []);
}

const wrong = JSON.parse(require("fs").readFileSync(0)).flatMap(findings);
if (wrong.length) console.log(wrong.join("\n"));
process.exit(wrong.length ? 1 : 0);
