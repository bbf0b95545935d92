#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2015
# The verifiers of kernels differ: what one proves, another may refuse. scripts/test-fresh --kernel runs this on others.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

sentence="this kernel, $(uname -r), takes each BPF program, with either buffer"
begin "$sentence" || exit 0
variant_build programs
"$VARIANT" >"$WORK/programs" 2>&1 || finding "$(cat "$WORK/programs")"
grep -qE '^[1-9][0-9]+ loaded, 0 refused$' "$WORK/programs" || finding "not all were loaded"
verdict "$sentence"
