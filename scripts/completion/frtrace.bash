# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2207
# Completion of frtrace for bash: verbs, options, running JVMs. Options and views are read
# from `frtrace VERB --help`, so this file does not have to follow them.

_frtrace_verbs='record start status dump stop list check methods summary print view export merge recover'

_frtrace_options() { # VERB
	case $1 in # these print the help of a recording
	list) echo --json --quiet --verbose --help ;;
	check) echo -p --pid= --json --quiet --verbose --help ;;
	methods) echo -p -m -M -x --pid= --method-trace= --method-timing= --exclude= --filters= --timing-filters= --lambda --json --quiet --verbose --help ;;
	*)
		frtrace "$1" --help 2>/dev/null | grep -oE -- '(^|[^[:alnum:]-])--?[a-zA-Z][a-z-]*\[?=?' | sed -E 's/^[^-]//; s/\[=?$//' |
			grep -vE -- '^-[a-z]{2,}' | sort -u
		;;
	esac
}

_frtrace_jvms() { # pids and main classes or jars; as root all of them, else one's own
	local pid
	for pid in /proc/[0-9]*; do
		if grep -q '/libjvm\.so$' "$pid/maps" 2>/dev/null; then
			echo "${pid#/proc/}"
		fi
	done
}

_frtrace_views() { frtrace view --help 2>/dev/null | sed -nE 's/^  ([a-z-]+)   +.*/\1/p'; }

_frtrace_values() { # OPTION
	case $1 in
	-p | --pid) _frtrace_jvms ;;
	--kernel) echo on off full ;;
	--stacks) echo auto walk jvmti ;;
	--max-overhead) echo 25% 50% off ;;
	--with-jfr) echo default profile ;;
	--truncate) echo beginning end ;;
	--weight) echo calls time ;;
	--user) compgen -u ;;
	*) return 1 ;;
	esac
}

_frtrace() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=record operands=0 i values
	COMPREPLY=()
	# "--kernel=o" comes as three words
	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] && return # the program's own words
		if [ "$i" = 1 ] && [[ " $_frtrace_verbs " == *" ${COMP_WORDS[1]} "* ]]; then
			verb=${COMP_WORDS[1]}
		elif [[ ${COMP_WORDS[i]} != -* ]]; then
			operands=$((operands + 1))
		fi
	done
	if values=$(_frtrace_values "$before"); then
		COMPREPLY=($(compgen -W "$values" -- "$word"))
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(_frtrace_options "$verb")" -- "$word"))
		[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
	elif [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "$_frtrace_verbs" -- "$word"))
	elif [ "$verb" = view ] && [ "$operands" = 0 ]; then
		COMPREPLY=($(compgen -W "$(_frtrace_views)" -- "$word"))
	elif [[ $verb =~ ^(status|dump|stop|check|methods)$ ]] && [ "$operands" = 0 ] && [ "$before" != -o ]; then
		COMPREPLY=($(compgen -W "$(_frtrace_jvms)" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
		compopt -o filenames 2>/dev/null
	fi
	return 0
}

complete -F _frtrace frtrace
