// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Calls the methods of Exits, N times each, and writes how many events that makes. */
public class ExitsMain {
    interface Call {
        Object run(int i) throws Throwable;
    }

    /** Call n times; the caller's own count of exceptions is the truth for `thrown`. */
    static long calls(int n, Call call) {
        long thrown = 0;
        for (int i = 0; i < n; i++) {
            try {
                call.run(i);
            } catch (Throwable e) {
                thrown++;
            }
        }
        return thrown;
    }

    static void kind(Stage stage, String method, int n, Call call) {
        stage.expect("live.Exits", method, n, calls(n, call));
    }

    static void returns(Stage stage, int n) {
        kind(stage, "several", n, Exits::several);
        kind(stage, "returnsNothing", n, i -> {
            Exits.returnsNothing(i);
            return null;
        });
        kind(stage, "returnsLong", n, i -> Exits.returnsLong(i, i, i));
        kind(stage, "returnsDouble", n, i -> Exits.returnsDouble(i, i));
        kind(stage, "returnsFloat", n, i -> Exits.returnsFloat(i));
        kind(stage, "returnsArray", n, i -> Exits.returnsArray(i));
        kind(stage, "returnsBoolean", n, i -> Exits.returnsBoolean(Exits.LOCK));
        kind(stage, "loopAtStart", n, i -> Exits.loopAtStart(20));
        kind(stage, "varargs", n, i -> Exits.varargs(i, "x"));
        kind(stage, "lambdas", n, Exits::lambdas);
        kind(stage, "switches", n, i -> Exits.switches(i, i % 3 == 0 ? "BBBB" : "two"));
        kind(stage, "recursion", n / 10 * 10, i -> i % 10 == 0 ? Exits.recursion(9) : null);
    }

    static void throwing(Stage stage, int n) {
        String[] strings = new String[1];
        int[] ten = new int[10];
        kind(stage, "ownThrow", n, Exits::ownThrow);
        kind(stage, "sometimesThrow", n, Exits::sometimesThrow);
        kind(stage, "ownThrowCaught", n, Exits::ownThrowCaught);
        kind(stage, "caughtAndThrownAnew", n, Exits::caughtAndThrownAnew);
        kind(stage, "tryFinally", n, Exits::tryFinally);
        kind(stage, "tryFinallyThrows", n, Exits::tryFinallyThrows);
        kind(stage, "finallySwallows", n, Exits::finallySwallows);
        kind(stage, "calleeThrows", n, Exits::calleeThrows);
        kind(stage, "calleeCaught", n, Exits::calleeCaught);
        kind(stage, "nullPointer", n, i -> Exits.nullPointer(i % 2 == 0 ? null : ten));
        kind(stage, "arrayIndex", n, i -> Exits.arrayIndex(ten, i % 20));
        kind(stage, "division", n, i -> Exits.division(i, i % 3));
        kind(stage, "classCast", n, i -> Exits.classCast(i % 2 == 0 ? "s" : (Object) i));
        kind(stage, "negativeSize", n, i -> Exits.negativeSize(i % 2 - 1));
        kind(stage, "arrayStore", n, i -> {
            Exits.arrayStore(strings, i % 2 == 0 ? "s" : (Object) i);
            return null;
        });
        kind(stage, "implicitCaught", n, i -> Exits.implicitCaught(ten));
        long bottoms = calls(n / 10, i -> Exits.recursionThrows(9));
        stage.expect("live.Exits", "recursionThrows", bottoms * 10, bottoms * 10);
    }

    static void locks(Stage stage, int n) {
        Exits object = new Exits();
        kind(stage, "synchronizedStatic", n, Exits::synchronizedStatic);
        kind(stage, "synchronizedInstance", n, object::synchronizedInstance);
        kind(stage, "synchronizedBlock", n, Exits::synchronizedBlock);
    }

    /** An exception from super() itself passes no hook of Sub (HotSpot's verifier): Orphan covers that. */
    static void constructors(Stage stage, int n) {
        long sub = calls(n, i -> new Exits.Sub(i % 4 == 1 ? 3 : i));
        long quarter = n / 4;
        calls(n, i -> Exits.newWithBranch(i));
        calls(n, i -> new Exits.Chain());
        calls(n, i -> new Exits.Fields());
        long base = calls(n, Exits.Base::new);
        stage.expect("live.Exits$Sub", "<init>", n, sub);
        stage.expect("live.Exits$Sub", "checked", 2 * quarter, quarter);
        // Sub: all but the quarter that fails before super().
        stage.expect("live.Exits$Base", "<init>", 3 * quarter + 3L * n, base);
        stage.expect("live.Exits$Chain", "<init>", "()V", "*", "*", n, 0);
        stage.expect("live.Exits$Chain", "<init>", "(I)V", "*", "*", n, 0);
        stage.expect("live.Exits$Fields", "<init>", n, 0);
        stage.expect("live.Exits", "<init>", 1, 0);
        stage.expect("live.Exits", "newWithBranch", n, 0);
    }

    static void initializers(Stage stage) {
        calls(3, i -> Exits.InitBefore.value);
        calls(3, i -> Exits.InitAfter.value);
        calls(3, i -> Exits.InitThrows.value);
        stage.expect("live.Exits$InitBefore", "<clinit>", 1, 0);
        stage.expect("live.Exits$InitAfter", "<clinit>", 1, 0);
        stage.expect("live.Exits$InitThrows", "<clinit>", 1, 1);
    }

    static void types(Stage stage, int n) {
        Exits.Square square = new Exits.Square();
        Comparable<Exits.Key> key = new Exits.Key();
        Exits.Key other = new Exits.Key();
        calls(n, square::area);
        calls(n, i -> Exits.Shape.unit(i));
        calls(n, i -> square.sides());
        calls(n, i -> key.compareTo(other));
        long green = calls(n, i -> Exits.Color.of(i).code(i / 2));
        stage.expect("live.Exits$Shape", "area", n, 0);
        stage.expect("live.Exits$Shape", "unit", n, 0);
        stage.expect("live.Exits$Square", "sides", n, 0);
        stage.expect("live.Exits$Square", "<init>", 1, 0);
        stage.expect("live.Exits$Key", "<init>", 2, 0);
        stage.expect("live.Exits$Key", "compareTo", "(Llive/Exits$Key;)I", "*", "*", n, 0);
        stage.expect("live.Exits$Color", "of", n, 0);
        stage.expect("live.Exits$Color", "<clinit>", 1, 0);
        stage.expect("live.Exits$Color", "<init>", 2, 0);
        stage.allow("live.Exits$Color", "$values");
        stage.expect("live.Exits$Color$1", "code", n / 2, 0);
        stage.expect("live.Exits$Color$2", "code", n / 2, green);
        stage.expect("live.Exits$Color$1", "<init>", 1, 0);
        stage.expect("live.Exits$Color$2", "<init>", 1, 0);
    }

    /** `normal` and `callee` have other callers, too. Their calls are added here. */
    static void shared(Stage stage, int n) {
        long normal = n + n + 1; // its own, one per Fields, one for InitBefore
        calls(n, Exits::normal);
        stage.expect("live.Exits", "normal", normal, 0);
        stage.expect("live.Exits", "callee", 5L * n, 5L * n); // by four callers in throwing(), and Chain
    }

    /** Everything that can be done more than once. */
    static void repeatable(Stage stage, int n) {
        returns(stage, n);
        throwing(stage, n);
        locks(stage, n);
        constructors(stage, n);
    }

    /**
     * Before the tracer attaches, the repeatable part runs once (its classes are loaded, perhaps compiled, and will be
     * retransformed), and InitBefore is loaded but not initialized. The other classes are loaded while tracing is on.
     */
    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]) / 40 * 40;
        repeatable(new Stage(args[0]), n);
        Class.forName("live.Exits$InitBefore", false, Exits.class.getClassLoader());
        Exits.sink = 0;
        stage.awaitGo();
        repeatable(stage, n);
        initializers(stage);
        types(stage, n);
        shared(stage, n);
        System.out.println("exits: " + n + " calls of each, sink " + Exits.sink);
        System.err.println("exits: done");
        stage.finish();
    }
}
