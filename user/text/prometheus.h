/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes Prometheus' text format for metrics (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).
 *
 *	prometheus_family(to, "frtrace_calls_total", "counter", "Calls that have ended.");
 *	prometheus_count(to, "frtrace_calls_total", "class=\"com.acme.Cart\"", "", 1204);
 */
#ifndef USER_TEXT_PROMETHEUS_H
#define USER_TEXT_PROMETHEUS_H

#include <stdint.h>
#include <stdio.h>

/* The lines "# HELP" and "# TYPE". All samples of a family follow it, without those of another between them. */
void prometheus_family(FILE *to, const char *name, const char *type, const char *help);

/*
 * Write `key="value"`. The value may be anything: it becomes valid UTF-8 without control characters. Labels are
 * joined by commas.
 */
void prometheus_label(FILE *to, const char *key, const char *value);

/* A sample; `labels` and `more` are such labels or "". Seconds are given in ns and written with all their digits. */
void prometheus_count(FILE *to, const char *name, const char *labels, const char *more, uint64_t n);
void prometheus_seconds(FILE *to, const char *name, const char *labels, const char *more, uint64_t ns);

#endif
