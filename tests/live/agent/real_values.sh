#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Values of servers and drivers as Debian has them equal what the program itself has logged. $PACKAGES may be a directory into
# which their packages were unpacked (dpkg -x), so that they need not be installed.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../lib.sh"

JARS=${PACKAGES-}/usr/share/java

# Set JAR to these jars; without one the case is skipped, with its package.
# A name may be a pattern.
jars() { # SENTENCE PACKAGE JAR...
	local name jar
	JAR=
	for name in "${@:3}"; do
		jar=$(compgen -G "$JARS/$name.jar" | head -n 1)
		if [ -z "$jar" ]; then
			skip "$1, JDK $FEATURE" "no $JARS/$name.jar: apt-get install $2, or PACKAGES=DIR"
			return 1
		fi
		JAR+=:$jar
	done
}

# FILE.java...: into a directory of its own; with jakarta as first word for the newer names of servlets, and $JETTY of those of Jetty
compiled() {
	local kind=$1 name
	rm -rf "$WORK/packages"
	mkdir -p "$WORK/packages/sources"
	for name in "${@:2}"; do
		sed "s/javax\.servlet/$kind.servlet/; s/jetty\.servlet/jetty.${JETTY-}servlet/" "$LIVE/packages/$name.java" >"$WORK/packages/sources/$name.java"
	done
	"$JAVA/bin/javac" -nowarn -cp "$CLASSES$JAR" -d "$WORK/packages" "$WORK/packages/sources"/*.java >"$WORK/javac" 2>&1 ||
		finding "javac:" "$(head -n 5 "$WORK/javac")"
}

run_packaged() { # CLASS [ARGUMENT...]
	stage
	# shellcheck disable=SC2086
	"${LAUNCH[@]}" "$JAVA/bin/java" ${JVM_OPTIONS-} -cp "$WORK/packages:$CLASSES$JAR" "live.$1" "$T_DIR" "${@:2}" >"$T_DIR/stdout" 2>"$T_DIR/stderr" </dev/null &
	target_is $!
	target_ready
}

# The values of these fields of an event, a line for each, are those of the log, in its order. $LIKE: only lines like this one.
values_are() { # LOG EVENT FIELD...
	"$FRTRACE" print --json --events "$2" "$F_FILE" >"$WORK/real.json"
	python3 - "${LIKE-}" "$WORK/real.json" "$@" <<-'END' 2>"$WORK/err" || finding "the values of $2 differ:" "$(tail -n 1 "$WORK/err" | head -c 900)"
		import json, re, sys
		events = [e["values"] for e in json.load(open(sys.argv[2]))["recording"]["events"]]
		events.sort(key=lambda v: v["startTime"])
		seen = [line for line in (" ".join(str(v[f]) for f in sys.argv[5:]) for v in events) if re.match(sys.argv[1], line)]
		log = open(sys.argv[3]).read().split("\n")[:-1]
		wrong = [(i, a, b) for i, (a, b) in enumerate(zip(seen, log)) if a != b]
		assert len(seen) == len(log) and not wrong, (len(seen), len(log), wrong[:3])
	END
}

served() { # SENTENCE SERVLETS SOURCE -e EVENT...
	begin "$1, JDK $FEATURE" || return 0
	compiled "$2" Requests "$3"
	if [ ${#findings[@]} = 0 ] && run_packaged "$3" && trace_start "${@:4}"; then
		trace_calls
		says ' 0 lost'
		sed "s/\$/$STATUS/" "$T_DIR/log" >"$WORK/requests"
		values_are "$WORK/requests" "${REQUEST[@]}"
		target_quit
	fi
	finish
}

REQUEST=(web.Request verb uri) STATUS= # of each line of the log

known() { # SENTENCE SERVLETS SOURCE PRESET [OPTION...]
	local REQUEST=(http.Request httpMethod url status) STATUS=" 200"
	served "$1" "$2" "$3" --preset="$4" "${@:5}"
}

tomcat() { # VERSION SERVLETS
	local s="the URI of each request of Tomcat $1"
	jars "$s" "libtomcat$1-java" "tomcat$1-"{catalina,coyote,util,util-scan,juli,servlet-api,annotations-api,jaspic-api,jni,api} || return 0
	known "each request of Tomcat $1, by its preset" "$2" TomcatServer tomcat
	served "$s" "$2" TomcatServer -e 'web.Request org.apache.catalina.connector.CoyoteAdapter::service verb=arg0.methodMB uri=arg0.uriMB' \
		-e 'web.Servlet live.TomcatServer$Shop::service uri=arg0.request.coyoteRequest.uriMB'
}

jetty() {
	local s="the path of each request of Jetty 9"
	jars "$s" libjetty9-java jetty9-{server,servlet,security,http,io,util,util-ajax} servlet-api || return 0
	known "each request of Jetty 9, by its preset" javax JettyServer jetty9
	served "$s" javax JettyServer -e 'web.Request org.eclipse.jetty.server.Server::handle(org.eclipse.jetty.server.HttpChannel) verb=arg0._request._metaData._method uri=arg0._request._metaData._uri._path'
}

# What no handler has taken is answered behind the handlers.
jetty_answers() { # SENTENCE HOW FIELD... OPTION...
	local fields=()
	begin "$1, JDK $FEATURE" || return 0
	compiled javax Requests JettyHandler
	for field in "${@:3}"; do
		[ "${field#-}" = "$field" ] || break
		fields+=("$field")
	done
	if [ ${#findings[@]} = 0 ] && run_packaged JettyHandler "$2" && trace_start "${@:$((3 + ${#fields[@]}))}"; then
		trace_calls
		says ' 0 lost'
		[ "$2" = later ] || says '^found: HTTP requests of Jetty 12$'
		awk '{ split($2, path, "/"); print $1, $2, path[3] % 13 ? $3 : 0 }' "$T_DIR/access" | cut -d ' ' -f "1-${#fields[@]}" >"$WORK/requests"
		values_are "$WORK/requests" http.Request "${fields[@]}"
		target_quit
	fi
	finish
}

# The call of such a request is short. It takes until its callback is called.
jetty_until() { # SENTENCE
	local callback='org.eclipse.jetty.server.internal.HttpChannelState$ChannelCallback'
	begin "$1, JDK $FEATURE" || return 0
	compiled javax Requests JettyHandler
	if [ ${#findings[@]} = 0 ] && run_packaged JettyHandler later && trace_start --preset=jetty12 \
		--inside='org.eclipse.jetty.server.Server::handle:50ms' --until="$callback::succeeded;$callback::failed"; then
		trace_calls
		says ' 0 lost'
		"$FRTRACE" print --json --events http.Request "$F_FILE" >"$WORK/kept.json"
		python3 - "$WORK/kept.json" <<-'END' 2>"$WORK/err" || finding "the slow requests differ:" "$(tail -n 1 "$WORK/err" | head -c 900)"
			import json, re, sys
			seen = {e["values"]["url"]: e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]}
			slow = {f"/shop/{n}" for n in range(100) if n % 4 == 0 and n % 13}
			took = {u: sum(float(n) * {"M": 60, "S": 1}[x] for n, x in re.findall(r"([\d.]+)([MS])", v["requestTime"])) for u, v in seen.items()}
			assert slow <= set(seen), slow - set(seen)
			assert all(t >= 0.05 for t in took.values()), took
		END
		target_quit
	fi
	finish
}

jetty12() {
	local s="each request of Jetty 12" base=(jetty12-{server,session,security,http,io,util,ee} 'slf4j-api-2*')
	jars "$s" "libjetty12-java libslf4j2-java" "${base[@]}" || return 0
	jetty_answers "$s, and no other server is found" now httpMethod url status -t 0ms
	jetty_answers "$s that answers later, by its preset" later httpMethod url --preset=jetty12
	jetty_until "slow requests of Jetty 12 that are answered later are kept, with --until"
	jars "$s with servlets" "libjetty12-java libslf4j2-java libjakarta-servlet-api-java" "${base[@]}" jetty12-ee10-servlet jakarta-servlet-api || return 0
	JETTY=ee10. known "$s with servlets, by its preset" jakarta JettyServer jetty12
}

# An idle server is found, and no other one. Debian's jar needs JDK 21: before, it refuses each request.
undertow() {
	local s="each request of Undertow's servlets, and no other server is found"
	jars "$s" "libundertow-java libjboss-xnio-java and what they depend on" undertow-{core,servlet} xnio-{api,nio} jboss-{logging,threads} \
		wildfly-common jakarta-{servlet,annotation}-api || return 0
	begin "$s, JDK $FEATURE" || return 0
	compiled jakarta Requests UndertowServer
	if [ ${#findings[@]} = 0 ] && run_packaged UndertowServer && trace_start -t 0ms; then
		says '^found: HTTP requests of Undertow$'
		trace_calls
		says ' 0 lost'
		cut -d ' ' -f 1,2 "$T_DIR/access" >"$WORK/requests"
		values_are "$WORK/requests" http.Request httpMethod url
		target_quit
	fi
	finish
}

jdk_server() {
	JAR=
	served "the URI of each request of com.sun.net.httpserver" javax JdkServer \
		-e 'web.Request live.JdkServer$Shop::handle verb=arg0.impl.method uri=arg0.impl.uri'
}

# The program knows which tasks are of request().
netty_tasks() {
	local s="calls in tasks that a request hands to event loops of Netty are its calls"
	jars "$s" libnetty-java netty-{buffer,common,transport,resolver} || return 0
	begin "$s, JDK $FEATURE" || return 0
	compiled javax EventLoops
	if [ ${#findings[@]} = 0 ] && run_packaged EventLoops 300 && trace_start -e 'live.Child live.EventLoops::child call=arg0' \
		--inside=live.EventLoops::request --no-stack; then
		trace_calls
		says ' 0 lost'
		"$FRTRACE" print --exact --events live.Child "$F_FILE" | sed -n 's/^  call = //p' | sort -n >"$WORK/calls"
		sort -n "$T_DIR/inside" | diff - "$WORK/calls" >"$WORK/differences" || finding "the program's calls and ours: $(head -n 20 "$WORK/differences")"
		target_quit
	fi
	finish
}

# The program logs each call with the request that it is for.
requests_are_whole() { # CLASS SENTENCE
	local seen
	begin "$2, JDK $FEATURE" || return 0
	compiled javax Served "$1"
	if [ ${#findings[@]} = 0 ] && run_packaged "$1" 4 "${CALLS:-30}" && trace_start -e 'live.Child live.Served::child call=arg0' \
		--inside=live.Served::request:30ms; then
		trace_calls
		says ' 0 lost'
		"$FRTRACE" print --exact --stack-depth=1 --events live.Child "$F_FILE" >"$WORK/calls" 2>&1 || finding "print: $(tail -n 3 "$WORK/calls")"
		"$FRTRACE" view tree --json --top=100000 "$F_FILE" >"$WORK/tree" 2>&1 || finding "view tree: $(tail -c 300 "$WORK/tree")"
		seen=$(python3 "$LIVE/branched.py" "$T_DIR/children" "$T_DIR/roots" "$WORK/calls" "$WORK/tree" 30 2>"$WORK/counts") || finding "$(cat "$WORK/counts")"
		[ -z "$seen" ] || finding "$(head -n 20 <<<"$seen")" "$(cat "$WORK/counts")"
		target_quit
	fi
	finish
}

coroutines() {
	local name s="calls in coroutines of Kotlin that requests launch are their calls" lib=${NODE_PATH-}/kotlin-compiler/lib
	jars "$s" 'libkotlinx-coroutines-java kotlin' kotlinx-coroutines-core kotlin-stdlib && requests_are_whole Coroutines "$s"
	s=${s/Kotlin/a newer Kotlin}
	JAR=
	for name in kotlinx-coroutines-core-jvm kotlin-stdlib; do
		if [ ! -e "$lib/$name.jar" ]; then
			skip "$s, JDK $FEATURE" "no $lib/$name.jar: npm package kotlin-compiler"
			return 0
		fi
		JAR+=:$lib/$name.jar
	done
	requests_are_whole Coroutines "$s"
}

reactor() {
	local s="calls for elements of Reactor that requests subscribe to are their calls"
	jars "$s" 'libreactor-core-java libreactive-streams-java' reactor-core reactive-streams && requests_are_whole Reactive "$s"
}

netty() {
	local s="requests and texts of Netty's codec"
	jars "$s" libnetty-java netty-{buffer,codec,codec-http,common,transport,resolver,handler} || return 0
	begin "$s, JDK $FEATURE" || return 0
	compiled javax Requests NettyCodec
	if [ ${#findings[@]} = 0 ] && run_packaged NettyCodec && trace_start \
		-e 'web.Request live.NettyCodec$Shop::channelRead0:0ms verb=arg1.method.name uri=arg1.uri' \
		-e 'web.Line io.netty.handler.codec.http.HttpObjectDecoder$LineParser::parse line=return' \
		-e 'web.Header live.NettyCodec$Shop::header name=arg0'; then
		trace_calls
		awk '{ print $1, $2; print "None None" }' "$T_DIR/log" >"$WORK/messages" # the last content follows each request
		values_are "$WORK/messages" web.Request verb uri
		sed 's/$/ HTTP\/1.1/' "$T_DIR/log" >"$WORK/lines"
		values_are "$WORK/lines" web.Line line
		sed -E 's/^[A-Z]+ (.{6}).*/\1/' "$T_DIR/log" >"$WORK/names"
		values_are "$WORK/names" web.Header name
		target_quit
	fi
	finish
}

# A program whose events of one kind are what it has logged.
logged() { # SENTENCE CLASS EVENT FIELD... OPTION...
	local fields=()
	begin "$1, JDK $FEATURE" || return 0
	compiled javax "$2"
	for field in "${@:4}"; do
		[ "${field#-}" = "$field" ] || break
		fields+=("$field")
	done
	if [ ${#findings[@]} = 0 ] && run_packaged "$2" && trace_start "${@:$((4 + ${#fields[@]}))}"; then
		trace_calls
		says ' 0 lost'
		values_are "$T_DIR/${LOG-log}" "$3" "${fields[@]}"
		[ -z "${ALSO-}" ] || values_are "$T_DIR/${ALSO#* }" "${ALSO% *}" "${fields[@]}"
		target_quit
	fi
	finish
}

# No job has run yet, so its class is not loaded; no filter is given, and all are slow enough.
idle_quartz() {
	begin "a Quartz scheduler that has had no job is an entry point, JDK $FEATURE" || return 0
	compiled javax QuartzJobs
	if [ ${#findings[@]} = 0 ] && run_packaged QuartzJobs && trace_start -t 0ns; then
		says '^found: jobs of Quartz$'
		trace_calls
		says '40 roots kept of 40'
		values_are "$T_DIR/jobs" job.Run job
		target_quit
	fi
	finish
}

quartz() {
	local s="the name of each job of Quartz"
	jars "$s" libquartz2-java quartz2 slf4j-api slf4j-nop || return 0
	logged "$s" QuartzJobs job.Run name fired -e 'job.Run +org.quartz.Job::execute name=arg0.jobDetail.name fired=arg0.fireTime'
	LOG=jobs logged "jobs of Quartz by their preset, in order" QuartzJobs job.Run job --preset=quartz
	idle_quartz
}

# $ALSO is the event of the other side, and the file with its values.
activemq() {
	local s="the destination of each message that ActiveMQ sends and takes"
	jars "$s" "libactivemq-java, libhawtbuf-java, libslf4j-java and those of Geronimo's specifications" activemq-{client,broker} hawtbuf \
		geronimo-{jms_1.1_spec,j2ee-management-1.1-spec} slf4j-{api,nop} || return 0
	ALSO="jms.Message taken" logged "$s" QueueMessages jms.Send destination --preset=activemq
}

grpc() {
	local s="the method of each call of gRPC"
	jars "$s" "libgrpc-java, libguava-java, libperfmark-java" grpc-{api,core,stub,context} guava perfmark-{api,impl} || return 0
	ALSO="grpc.Request log" logged "$s" StubCalls grpc.Call grpcMethod --preset=grpc
}

apache_calls() {
	local s="the URL of each call of Apache HttpClient 5"
	jars "$s" "libhttpclient5-java libslf4j-java" httpclient5 httpcore5 httpcore5-h2 slf4j-api slf4j-nop || return 0
	logged "$s" ApacheCalls http.Call httpMethod url status --preset=apache-httpclient5
}

mail() {
	local s="the server of each mail"
	jars "$s" "libmail-java libactivation-java" javax.mail javax.activation || return 0
	logged "$s" Mails mail.Send host --preset=mail
}

syncs() {
	JAR=
	logged "the path of each file that is forced to the disk" Synced file.Sync path --preset=sync
}

jgroups() {
	local s="the peer of each call of JGroups"
	jars "$s" libjgroups-java jgroups || return 0
	logged "$s" GroupCalls group.Call high low -e 'group.Call org.jgroups.blocks.RpcDispatcher::callRemoteMethod(org.jgroups.Address,org.jgroups.blocks.MethodCall,org.jgroups.blocks.RequestOptions) high=arg0.mostSigBits low=arg0.leastSigBits'
}

jruby() {
	local s="the name of each call of a Ruby program"
	jars "$s" jruby jruby-core jruby-base || return 0
	LIKE=shop_ logged "$s" RubyCalls ruby.Call name -e 'ruby.Call org.jruby.runtime.callsite.CachingCallSite::call name=this.methodName'
}

database() { # SENTENCE URL -e EVENT...
	begin "$1, JDK $FEATURE" || return 0
	compiled javax Statements
	if [ ${#findings[@]} = 0 ] && run_packaged Statements "$2" && trace_start "${@:3}" -e 'db.When live.Statements::at at=arg0 text=arg1'; then
		trace_calls
		values_are "$T_DIR/log" db.Query sql
		values_are "$T_DIR/log" sql.Statement sql # by the preset
		"$FRTRACE" print --json --events db.When "$F_FILE" >"$WORK/when.json"
		python3 -c 'import json, sys
rows = [e["values"] for e in json.load(open(sys.argv[1]))["recording"]["events"]]
assert len(rows) == 50 and all(r["at"] == r["text"] for r in rows), rows[:2]' "$WORK/when.json" 2>"$WORK/err" || finding "Timestamp:" "$(tail -n 1 "$WORK/err")"
		target_quit
	fi
	finish
}

h2() {
	jars "the SQL of each statement of H2" libh2-java h2 || return 0
	database "the SQL of each statement of H2" jdbc:h2:mem:shop --preset=h2 --values=full -e 'db.Query outermost org.h2.jdbc.JdbcPreparedStatement::execute* sql=this.command.sql'
}

hsqldb() {
	jars "the SQL of each statement of HSQLDB" libhsqldb-java hsqldb || return 0
	database "the SQL of each statement of HSQLDB" jdbc:hsqldb:mem:shop --preset=hsqldb --values=full -e 'db.Query outermost org.hsqldb.jdbc.JDBCPreparedStatement::execute* sql=this.sql'
}

# Its native library lies where Debian's package has it.
sqlite() {
	local s="the SQL of each statement of SQLite" native
	jars "$s" "libxerial-sqlite-jdbc-java libxerial-sqlite-jdbc-jni" sqlite-jdbc slf4j-api slf4j-nop || return 0
	native=$(find "${PACKAGES-}"/usr/lib/*/jni /usr/lib/jni -name libsqlitejdbc.so 2>/dev/null | head -n 1)
	JAVA_TOOL_OPTIONS=-Dorg.sqlite.lib.path=${native%/*} database "$s" jdbc:sqlite::memory: --preset=sqlite --values=full \
		-e 'db.Query org.sqlite.jdbc3.JDBC3PreparedStatement::executeQuery();org.sqlite.jdbc3.JDBC3PreparedStatement::executeLargeUpdate() sql=this.sql'
}

# A server of its own, without a network, which counts statements. Sets `url`, and `port`.
postgres_begin() { # SENTENCE
	local bin directory=$WORK/postgres
	bin=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort -V | tail -n 1)
	[ -x "$bin/initdb" ] || { skip "$1, JDK $FEATURE" "no PostgreSQL: apt-get install postgresql"; return 1; }
	install -d -o nobody -m 700 "$directory"
	chmod o+x "$WORK"
	port=$((20000 + $$ % 20000)) url="jdbc:postgresql://127.0.0.1:$port/postgres?user=shop"
	if ! (cd / && setpriv --reuid=nobody --clear-groups "$bin/initdb" -D "$directory" -A trust --no-sync -U shop &&
		setpriv --reuid=nobody --clear-groups "$bin/pg_ctl" -D "$directory" -w -l "$directory/log" -o "-p $port -h 127.0.0.1 -k $directory -F \
			-c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track_utility=off" start) >"$WORK/initdb" 2>&1; then
		skip "$1, JDK $FEATURE" "PostgreSQL does not start: $(tail -n 1 "$WORK/initdb")"
		return 1
	fi
}

postgres_end() {
	local bin
	bin=$(find /usr/lib/postgresql/*/bin -maxdepth 0 | sort -V | tail -n 1)
	(cd / && setpriv --reuid=nobody --clear-groups "$bin/pg_ctl" -D "$WORK/postgres" -m immediate stop) >>"$WORK/initdb" 2>&1
	rm -rf "$WORK/postgres"
}

postgres() {
	local s="the SQL of each statement of PostgreSQL's driver" url port
	jars "$s" libpostgresql-jdbc-java postgresql && postgres_begin "$s" || return 0
	database "$s" "$url" --preset=postgresql --values=full \
		-e 'db.Query outermost org.postgresql.jdbc.PgPreparedStatement::execute* sql=this.preparedQuery.key'
	postgres_end
}

# `view slowest` begins with the request that the program made slow, and one line has the address that it waited for.
asks() { # HOW
	begin "the slowest request names the database's address, $1 threads, JDK $FEATURE" || return 0
	if run_packaged PooledStatements "$url" "$1" && trace_start -m live.PooledStatements::request -t 20ms; then
		trace_calls
		says ' 0 lost'
		"$FRTRACE" view slowest --top=1 "$F_FILE" >"$WORK/slowest"
		grep -Eq '"request-4"(,|$)' "$WORK/slowest" && grep -Eq "^ +[0-9.]+m?s (socket|parked|futex) 127\.0\.0\.1:$port\>" "$WORK/slowest" ||
			finding "not $port:" "$(cat "$WORK/slowest")"
		target_quit
	fi
	finish
}

# Without a filter: requests and their number are those of the server's own log, statements those of the database's own count.
asks_counted() { # SENTENCE SERVLETS SOURCE
	begin "$1, JDK $FEATURE" || return 0
	compiled "$2" Requests "$3" PooledWork
	if [ ${#findings[@]} = 0 ] && run_packaged "$3" PooledWork "$url" && trace_start -t 0ms; then
		trace_calls
		says ' 0 lost'
		psql -X -h 127.0.0.1 -p "$port" -U shop -AtF ' ' -d postgres >"$WORK/counted" \
			-c "select calls, query from pg_stat_statements where query not like '%pg_stat_statements%'" || finding "psql fails"
		"$FRTRACE" print --json --events 'http.Request,sql.Statement' "$F_FILE" >"$WORK/served.json"
		python3 - "$WORK/served.json" "$T_DIR/access" "$WORK/counted" <<-'END' 2>"$WORK/err" || finding "requests or statements differ:" "$(tail -n 1 "$WORK/err" | head -c 900)"
			import collections, json, re, sys
			requests, statements = collections.Counter(), collections.Counter()
			for e in json.load(open(sys.argv[1]))["recording"]["events"]:
			    v = e["values"]
			    if e["type"] == "sql.Statement":
			        statements[v["sql"]] += 1
			    else:
			        requests[f'{v["httpMethod"]} {v["url"]} {v["status"]}'] += 1
			del statements[""] # the pool's question whether a connection that was idle is alive, which the server does not count
			log = collections.Counter(open(sys.argv[2]).read().split("\n")[:-1])
			assert requests == log and len(log) == 100, (list((requests - log).items())[:3], list((log - requests).items())[:3])
			counted = collections.Counter()
			for line in open(sys.argv[3]):
			    calls, query = line.rstrip("\n").split(" ", 1)
			    counted[re.sub(r"[$]\d+", "?", query)] += int(calls)
			assert statements == counted and len(counted) == 4, (list((statements - counted).items())[:3], list((counted - statements).items())[:3])
		END
		target_quit
	fi
	finish
}

# As somebody types who knows that it is a Tomcat, and nothing else. The program has the property that Debian's script gives to a Tomcat.
newcomer() { # SENTENCE
	local said
	begin "$1, JDK $FEATURE" || return 0
	compiled jakarta Requests TomcatServer SlowStatement
	if [ ${#findings[@]} = 0 ] && JVM_OPTIONS=-Dcatalina.base=$WORK/tomcat-newcomer run_packaged TomcatServer SlowStatement "$url"; then
		F_FILE=$WORK/newcomer.jfr
		trace_launch -p tomcat-newcomer -o "$F_FILE"
		wait_for "$TRACE_SECONDS_MAX" trace_is_on || finding "tracing does not start:" "$(tail -n 5 "$F_DIR/stderr")"
		trace_calls
		says '^found: (JDBC of PostgreSQL, HTTP requests of Tomcat|HTTP requests of Tomcat, JDBC of PostgreSQL)$'
		says ' 0 lost'
		says '^next: frtrace view slowest .*, or frtrace report .* for a page$'
		said='[0-9]+ % of the time of these [0-9]+ calls went into [0-9]+ of (\"|&quot;)select pg_sleep\(\?\)(\"|&quot;), most of it in GET /shop/\*\.'
		"$FRTRACE" view --width=200 slowest "$F_FILE" >"$WORK/slowest"
		grep -Eq "^$said" "$WORK/slowest" || finding "slowest does not say why:" "$(head -n 6 "$WORK/slowest")"
		"$FRTRACE" report -o "$WORK/page.html" "$F_FILE" 2>"$WORK/err" && grep -Eq "$said" "$WORK/page.html" || finding "the page does not say why"
		target_quit
	fi
	finish
}

counted() { # SERVER SERVLETS SOURCE PACKAGE JAR...
	local s="requests of $1 equal its log, and their statements those that PostgreSQL has counted"
	jars "$s" "libhikaricp-java, libslf4j-java, libpostgresql-jdbc-java and $4" HikariCP slf4j-api slf4j-nop postgresql "${@:5}" || return 0
	jars_copied
	asks_counted "$s" "$2" "$3"
}

# Where another root is used, what is mounted there is missing.
jars_copied() {
	local jar
	rm -rf "$WORK/jars"
	mkdir -p "$WORK/jars"
	for jar in ${JAR//:/ }; do
		cp -L "$jar" "$WORK/jars"
	done
	chmod -R a+rX "$WORK/jars"
	JAR=$(printf ':%s' "$WORK"/jars/*.jar)
}

packed() {
	jars_copied
	compiled javax PooledStatements
	chmod -R a+rX "$WORK/packages"
}

# Up to JDK 23 a virtual thread that holds a monitor waits on its carrier.
pooled() {
	local s="the slowest request names the database's address" url port
	jars "$s" "libhikaricp-java, libslf4j-java and libpostgresql-jdbc-java" HikariCP slf4j-api slf4j-nop postgresql || return 0
	postgres_begin "$s" || return 0
	packed
	turn 0 && asks platform
	turn 1 && asks virtual
	turn 0 && counted "Tomcat 10" jakarta TomcatServer libtomcat10-java \
		tomcat10-{catalina,coyote,util,util-scan,juli,servlet-api,annotations-api,jaspic-api,jni,api}
	turn 0 && [ -n "$JAR" ] && newcomer "'-p tomcat' and nothing else says which statement makes which requests slow"
	turn 1 && counted "Jetty 9" javax JettyServer libjetty9-java jetty9-{server,servlet,security,http,io,util,util-ajax} servlet-api
	turn 1 && counted com.sun.net.httpserver javax JdkServer postgresql
	if turn 0 && jars "$s, virtual threads" libhikaricp-java HikariCP slf4j-api slf4j-nop postgresql; then
		packed
		root_use 21 "$s, virtual threads" && asks virtual
	fi
	postgres_end
}

batches() { # SENTENCE URL OPTION...
	begin "$1, JDK $FEATURE" || return 0
	compiled javax BatchedStatements
	if [ ${#findings[@]} = 0 ] && run_packaged BatchedStatements "$2" && trace_start "${@:3}"; then
		trace_calls
		says ' 0 lost'
		values_are "$T_DIR/log" sql.Statement sql
		target_quit
	fi
	finish
}

# A server of its own, without a network.
# Version 2 or 3 of the driver, with the class of its prepared statements.
mariadb() { # VERSION CLASS FIELD
	local s="the SQL of each statement of MariaDB's driver $1" directory=$WORK/mariadb$1 port server how
	command -v mariadbd mariadb-install-db my_print_defaults >"$WORK/which" ||
		{ skip "$s, JDK $FEATURE" "no MariaDB: apt-get install mariadb-server-core mariadb-client-core"; return 0; }
	jars "$s" libmariadb-java "mariadb-java-client-$1*" || return 0
	port=$((20000 + $$ % 20000))
	mkdir "$directory"
	if ! mariadb-install-db --no-defaults --user=root --datadir="$directory/data" --auth-root-authentication-method=normal >"$WORK/installed" 2>&1; then
		skip "$s, JDK $FEATURE" "MariaDB does not start: $(tail -n 1 "$WORK/installed")"
		return 0
	fi
	mariadbd --no-defaults --user=root --datadir="$directory/data" --bind-address=127.0.0.1 --port=$port --socket="$directory/socket" \
		--pid-file="$directory/pid" --skip-grant-tables --skip-networking=0 >"$directory/log" 2>&1 &
	server=$!
	STARTED+=("$server")
	wait_for "$SECONDS_MAX" grep -qs 'ready for connections' "$directory/log" || echo "# $(tail -n 1 "$directory/log")"
	database "$s" "jdbc:mariadb://127.0.0.1:$port/test?user=root" \
		--preset="mariadb$1" --values=full -e "db.Query outermost org.mariadb.jdbc.$2::execute* sql=this.$3"
	for how in false true; do
		[ "$1" = 2 ] || batches "$s, in batches, too, with useServerPrepStmts=$how" \
			"jdbc:mariadb://127.0.0.1:$port/test?user=root&useServerPrepStmts=$how" --preset="mariadb$1" --values=full
	done
	kill "$server" && wait "$server"
}

# It is found where it is installed only. Its classes are loaded just before the first task.
gradle() {
	local s="the name of each task of Gradle" launcher project=$WORK/project
	for launcher in /usr/share/gradle/lib/gradle-launcher-*.jar; do
		[ -e "$launcher" ] || { skip "$s, JDK $FEATURE" "no $launcher: apt-get install gradle"; return 0; }
	done
	begin "$s, JDK $FEATURE" || return 0
	mkdir "$project"
	cat >"$project/build.gradle" <<-'END'
		for (int i = 0; i < 5; i++) {
		    task("price$i") { doLast { new File(projectDir, "log") << name + "\n" } }
		    task("stock$i", dependsOn: "price$i") { doLast { new File(projectDir, "log") << name + "\n" } }
		}
		task all(dependsOn: (0..4).collect { "stock$it" })
	END
	F_FILE=$WORK/gradle.jfr
	trace_launch -o "$F_FILE" \
		-e 'gradle.Task org.gradle.api.internal.tasks.execution.ExecuteActionsTaskExecuter::executeActions name=arg0.name' -- \
		"$JAVA/bin/java" --add-opens java.base/java.lang=ALL-UNNAMED -cp "$launcher" org.gradle.launcher.GradleMain --no-daemon --offline \
		--console=plain -g "$WORK/gradle" -p "$project" all
	ended_with 0
	says '^10 calls, 0 thrown, 0 lost'
	values_are "$project/log" gradle.Task name
	verdict
}

for jdk in "${JDKS[@]}"; do
	jdk_use "$jdk"
	turn 0 && tomcat 9 javax
	turn 1 && tomcat 10 jakarta
	turn 1 && jetty
	turn 0 && jetty12
	turn 1 && [ "$FEATURE" -ge 21 ] && undertow
	turn 1 && jdk_server
	turn 0 && netty
	turn 1 && netty_tasks
	turn 0 && coroutines
	turn 1 && reactor
	turn 1 && quartz
	turn 0 && activemq
	turn 1 && grpc
	turn 0 && apache_calls
	turn 0 && mail
	turn 1 && syncs
	turn 1 && jgroups
	turn 1 && jruby
	turn 1 && h2
	turn 0 && hsqldb
	turn 1 && sqlite
	turn 1 && postgres
	turn 1 && mariadb 2 ClientSidePreparedStatement sqlQuery
	turn 0 && mariadb 3 ClientPreparedStatement sql
	[ "$FEATURE" -ge 21 ] || gradle # Debian's is one for JDK 17
	pooled
done
