#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The documents are correct: their commands print the output shown, and options, fields and links exist.
# tests/live/documents.py runs the commands and compares; CONTRIBUTING.md has the rules.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

DOCUMENTS=(README.md CONTRIBUTING.md CHANGELOG.md docs/*.md)
VERBS=(record start status dump stop list check methods presets summary print view diff report export merge recover)
TEXTS=$(dirname "$FRTRACE") # the manual page and the completions, as built
README_COLUMNS=120 # its commands run in a terminal of that width
QUIET=(nice -n -15) # output in the documents must not depend on the machine's load

# ---- options: --help is the source

options() { grep -oE -- '(^|[^[:alnum:]-])--?[[:alpha:]][a-z-]*' | grep -oE -- '--?[[:alpha:]].*' | grep -vE -- '^-[[:alpha:]].' | sort -u; }

help_options() { for verb in "${VERBS[@]}"; do "$FRTRACE" "$verb" --help; done | options; }

bash_offers() { # WORD...: prints the completions of the last word
	PATH=$WORK/bin:$PATH bash -c '. "$1/frtrace.bash"; shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _frtrace; printf "%s\n" "${COMPREPLY[@]}"' - "$TEXTS" "$@" 2>&1
}

# Replace the builtins of zsh's completion with functions that print their arguments.
zsh_offers() { # WORD...
	PATH=$WORK/bin:$PATH zsh -fc 'file=$1/_frtrace; shift
		compadd() { while [[ $1 == -S ]] && shift 2; do :; done; shift; print -l -- $@ }
		_describe() { print -l -- ${_frtrace_verbs%%:*} }
		_files() { : }
		compset() { return 1 }
		words=("$@") CURRENT=$#
		. $file' - "$TEXTS" "$@" 2>&1
}

differ() { # FILE FILE WHAT: a finding with the lines that are only in one of them
	local lines
	lines=$(diff "$1" "$2")
	[ -z "$lines" ] || finding "$3" "$lines"
}

options_of() { # SHELL
	local verb
	for verb in "${VERBS[@]}"; do "${1}_offers" frtrace "$verb" -; done | options
}

shell() { # bash | zsh
	local verb
	begin "$1 completes verbs, all options, views and running JVMs" || return 0
	command -v "$1" >/dev/null || { skip "$SENTENCE" "no $1"; return; }
	options_of "$1" >"$WORK/offered"
	differ "$WORK/helped" "$WORK/offered" "< in --help alone, > in the completion alone:"
	[ "$("${1}_offers" frtrace '' | sort | paste -sd ' ')" = "$(printf '%s\n' "${VERBS[@]}" | sort | paste -sd ' ')" ] || finding "verbs:" "$("${1}_offers" frtrace '')"
	"${1}_offers" frtrace view '' | grep -x slowest >/dev/null || finding "views:" "$("${1}_offers" frtrace view '')"
	"${1}_offers" frtrace -p '' | grep -x "$T_PID" >/dev/null || finding "JVMs after -p, without $T_PID:" "$("${1}_offers" frtrace -p '')"
	"${1}_offers" frtrace stop '' | grep -x "$T_PID" >/dev/null || finding "JVMs after stop, without $T_PID"
	[ -z "$("${1}_offers" frtrace nothing x '' | grep -x "$T_PID")" ] || finding "JVMs where a file belongs"
	for verb in list check methods; do
		# shellcheck disable=SC2046
		"$FRTRACE" "$verb" $("${1}_offers" frtrace "$verb" -- | grep -xE -- '--[a-z-]+') >/dev/null 2>"$WORK/refused" || finding "$verb rejects offered options:" "$(cat "$WORK/refused")"
	done
	verdict
}

manual() {
	local verb
	begin "the manual page has exactly the options and verbs of --help, and renders without warnings" || return 0
	sed 's/\\-/-/g; s/\\f[BIR]/ /g' "$TEXTS/frtrace.1" >"$WORK/manual"
	options <"$WORK/manual" >"$WORK/manual.options"
	differ "$WORK/helped" "$WORK/manual.options" "< in --help alone, > in the manual alone:"
	for verb in "${VERBS[@]}"; do grep -qx "\.B $verb" "$WORK/manual" || finding "no verb $verb"; done
	if command -v groff >/dev/null; then
		groff -man -ww -Tutf8 -P-cbou "$TEXTS/frtrace.1" 2>"$WORK/warnings" | grep -i 'frtrace(1)' >/dev/null || finding "groff does not render it"
		[ -s "$WORK/warnings" ] && finding "groff warns:" "$(cat "$WORK/warnings")"
	fi
	verdict
	command -v groff >/dev/null || skip "groff renders the manual page without warnings" "no groff"
}

# ---- documents without a JVM

links() {
	local file target heading words
	begin "links between documents lead to existing files and headings; the README has at most 800 words in 120 columns" || return 0
	for file in "${DOCUMENTS[@]}"; do
		while IFS= read -r target; do
			heading=${target#*#}
			[[ $target == *#* ]] || heading=
			target=${target%%#*}
			target=${target:+$(dirname "$file")/$target}
			[ -e "${target:-$file}" ] || { finding "$file: no ${target}"; continue; }
			[ -z "$heading" ] || sed -nE 's/^#+ //p' "${target:-$file}" | tr '[:upper:] ' '[:lower:]-' | tr -cd '[:alnum:]\n-' | grep -x -- "$heading" >/dev/null ||
				finding "$file: no heading $heading in ${target:-$file}"
		done < <(grep -oE '\]\([^)]+\)' "$file" | sed 's/^](//; s/)$//' | grep -v '^https\?:')
	done
	words=$(grep -oE '[^[:space:]]*[[:alnum:]][^[:space:]]*' README.md | wc -l)
	[ "$words" -le 800 ] || finding "README.md: $words words"
	[ "$(wc -L <README.md)" -le "$README_COLUMNS" ] || finding "README.md: $(wc -L <README.md) columns"
	verdict
}

# ---- with a shop

fields() {
	begin "docs/recording.md has exactly the events and fields of a recording" || return 0
	"$FRTRACE" -p "$T_PID" -m 'live.Shop$Checkout::report' --kernel=full --alloc --inside='live.Shop$Checkout::handle' --until=tasks -d 100ms -o full.jfr >out 2>&1 || finding "no recording:" "$(cat out)"
	jfr_of "$JAVA" metadata full.jfr | awk '
		/^@Name\(/ { split($0, part, "\""); name = part[2] }
		/^class .* extends jdk\.jfr\.Event/ { event = name }
		/^}/ { event = "" }
		event && /^  [a-zA-Z].*;/ { sub(/;.*/, ""); print event, $NF }' | sort -u >recorded
	awk '
		/^## / { event = $2 }
		/^\| `(jdk|frtrace)\./ { split($0, part, "`"); for (i = 4; i in part; i += 2) print part[2], part[i]; next }
		event ~ /^(jdk|frtrace)\./ && /^\| `/ { split($0, part, "`"); print event, part[2] }' "$ROOT/docs/recording.md" | sort -u >described
	[ "$(wc -l <recorded)" -gt 50 ] || finding "too few fields in the recording:" "$(cat recorded)"
	differ recorded described "< in the recording alone, > in the document alone:"
	verdict
}

commands() { # DOCUMENT [COLUMNS DIRECTORY]
	local status=0
	begin "the commands of $1 print the output shown, JDK $FEATURE" || return 0
	PATH=$WORK/bin:$JAVA/bin:$PATH "${QUIET[@]}" python3 "$LIVE/documents.py" "$T_PID" "$ROOT/$1" "${@:2}" >differences 2>&1 || status=$?
	[ "$status" = 0 ] || finding "status $status:" "$(cat differences)"
	verdict
}

shop_start() {
	mkdir "$WORK/shop" && cd "$WORK/shop" || return 1
	ln -s "$CLASSES" shop
	"${QUIET[@]}" "${LAUNCH[@]}" "$JAVA/bin/java" -Dsun.net.httpserver.nodelay=true -cp shop live.Shop port >stdout 2>stderr </dev/null &
	target_is $!
	wait_for 20 test -s port || return 1
	"${QUIET[@]}" "${LAUNCH[@]}" "$JAVA/bin/java" -cp shop live.Load "$(cat port)" 2 1000000 >load 2>&1 </dev/null &
	STARTED+=("$!")
	disown "$!"
}

cd "$ROOT" || exit 1
jdk_use "${JDKS[0]}"
mkdir "$WORK/bin" && ln -s "$FRTRACE" "$WORK/bin/frtrace"
help_options >"$WORK/helped"
manual
links
shop_start || not_ok "a shop runs" "$(cat "$WORK/shop/stderr")"
shell bash
shell zsh
fields
mkdir "$WORK/printed"
commands README.md "$README_COLUMNS" "$WORK/printed"
for document in "$ROOT"/docs/*.md; do
	[ "$document" = "$ROOT/docs/on-call.md" ] && continue # on_call.sh runs its commands
	grep -q '^\$ ' "$document" && commands "${document#"$ROOT/"}"
done
