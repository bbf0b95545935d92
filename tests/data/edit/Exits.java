// SPDX-License-Identifier: BSD-2-Clause
import java.util.*;
import java.util.function.*;

/*
 * Methods that end in every way. Each is called with a known number of normal
 * and exceptional ends: main() writes down what must be counted, and at the
 * end compares it with what the hooks have counted. The results are printed,
 * so that an edited run can be compared with an original one.
 */
public class Exits {
	static final Map<String, int[]> expected = new TreeMap<>();
	static final StringBuilder results = new StringBuilder();

	static void expect(String name, int left, int thrown) {
		int[] n = expected.computeIfAbsent(name, k -> new int[3]);
		n[0] += left + thrown;
		n[1] += left;
		n[2] += thrown;
	}

	interface Call {
		Object call() throws Throwable;
	}

	static void run(String name, Call c) {
		Object r;
		boolean threw = false;
		try {
			r = c.call();
		} catch (Throwable t) {
			threw = true;
			r = t.getClass().getName() + ": " + t.getMessage();
		}
		if (name != null)
			expect(name, threw ? 0 : 1, threw ? 1 : 0);
		results.append(name).append(" = ").append(r).append('\n');
	}

	public static class Subject {
		static int field;

		static void nothing() { }
		static int anInt() { return 7; }
		static long aLong() { return 1L << 40; }
		static float aFloat() { return 1.5f; }
		static double aDouble(double d, long l) { return d * l; }
		static Object anObject(Object o) { return o; }
		static boolean ternary(int i) { return i > 3 || i < -3; }

		static int several(int i) {
			if (i == 0)
				return 10;
			if (i == 1)
				return 11;
			for (int k = 0; ; k++)
				if (k * k > i)
					return k;
		}

		static void ownThrow() {
			throw new IllegalStateException("own");
		}

		static int caughtInside(int i) {
			try {
				if (i > 0)
					throw new IllegalStateException("inside");
				return 1;
			} catch (IllegalStateException e) {
				return 2;
			}
		}

		static int tryFinally(int i) {
			int r = 0;
			try {
				r = 100 / i;
				return r;
			} finally {
				field += r + 1;
			}
		}

		static int finallyOverrides(int i) {
			try {
				return 100 / i;
			} finally {
				if (i == 0)
					return -1;
			}
		}

		static int nestedTry(int i) {
			try {
				try {
					return 10 / i;
				} catch (ArithmeticException e) {
					return ((String) null).length();
				}
			} catch (NullPointerException e) {
				return 3;
			}
		}

		static Object fromCallee(Object o) { return o.toString(); }
		static int nullPointer(String s) { return s.length(); }
		static int index(int[] a, int i) { return a[i]; }
		static int divide(int a, int b) { return a / b; }
		static String cast(Object o) { return (String) o; }
		static int[] negativeSize(int n) { return new int[n]; }
		static void store(Object[] a, Object o) { a[0] = o; }

		static int recursion(int n) {
			return n == 0 ? 0 : 1 + recursion(n - 1);
		}

		static int recursionThrows(int n) {
			return n == 0 ? divide(1, 0) : recursionThrows(n - 1);
		}

		synchronized int synchronizedMethod(int i) { return 10 / i; }

		int synchronizedBlock(int i) {
			synchronized (this) {
				if (i == 5)
					return 5;
				return 10 / i;
			}
		}

		/* a loop that begins with the method */
		static int loopToStart(int n) {
			do {
				n -= 3;
			} while (n > 0);
			return n;
		}

		static void endless(Iterator<?> i) {
			while (true)
				i.next();
		}

		static int dense(int i) {
			switch (i) {
			case 0: return 1;
			case 1: i = 5; break;
			case 2: throw new IllegalArgumentException("two");
			case 3: case 4: return i * 2;
			default: i = 9;
			}
			return i;
		}

		static int sparse(int i) {
			switch (i) {
			case -1000: return 1;
			case 7: return 2;
			case 1 << 20: i = 3; break;
			case Integer.MAX_VALUE: throw new IllegalArgumentException("max");
			default: return i;
			}
			return i;
		}

		static String strings(String s) {
			switch (s) {
			case "Aa": return "1";
			case "BB": return "2";
			default: return s;
			}
		}

		/* frames of each kind: append, chop, same, one on the stack, full */
		static long frames(int n, String s) {
			long sum = 0;
			for (int i = 0; i < n; i++) {
				long square = (long) i * i;
				String t = i % 2 == 0 ? s : null;
				if (t != null) {
					double d = square;
					for (char c : t.toCharArray())
						d += c;
					sum += (long) d;
				}
				sum += new StringBuilder(t == null ? "" : t).append(i > 3 ? 1 : 2).length();
			}
			return sum;
		}

		static int lambdas(int n) {
			IntUnaryOperator f = x -> x * n;
			Supplier<int[]> g = () -> new int[n];
			return f.applyAsInt(3) + g.get().length;
		}

		static String varied(Object... a) { return Arrays.toString(a) + a.length; }
	}

	static class Base {
		final int n;

		Base(int n) {
			if (n < 0)
				throw new IllegalArgumentException("base");
			this.n = n;
		}
	}

	static class Derived extends Base {
		final Object o;
		int[] a = new int[2];

		/* `new Base()` before and in the arguments of super(): not the call that initialises this */
		Derived(int n) {
			super(new Base(Math.abs(n) + 0 / n).n * Integer.signum(n));
			o = new Base(1);
			if (n == 7)
				throw new IllegalStateException("seven");
			a[n == 8 ? 2 : 0] = 1;
		}

		Derived(String s, boolean b) {
			this(b ? s.length() : Integer.parseInt(s));
		}
	}

	static class Inner {
		static int made;
		final Exits outer;
		Inner(Exits e) { outer = e; made++; }
		class More {
			int n() { return made; }
		}
	}

	static class Initialised {
		static final int value = Integer.parseInt("12");
		static int get() { return value; }
	}

	static class FailsToInitialise {
		static final int value = Integer.parseInt("x");
		static int get() { return value; }
	}

	interface Face {
		default int twice(int i) { return 2 * once(i); }
		int once(int i);
		static int plain(int i) { return 100 / i; }
	}

	enum Colour {
		RED { int n() { return 1; } },
		GREEN { int n() { return 2; } };
		abstract int n();
	}

	record Point(int x, int y) {
		Point {
			if (x < 0)
				throw new IllegalArgumentException("x");
		}
	}

	static void calls() {
		Subject s = new Subject();
		expect("Exits$Subject.<init>", 1, 0);
		run("Exits$Subject.nothing", () -> { Subject.nothing(); return null; });
		run("Exits$Subject.anInt", Subject::anInt);
		run("Exits$Subject.aLong", Subject::aLong);
		run("Exits$Subject.aFloat", Subject::aFloat);
		run("Exits$Subject.aDouble", () -> Subject.aDouble(1.25, 8));
		run("Exits$Subject.anObject", () -> Subject.anObject("o"));
		for (int i : new int[] { -5, 0, 5 })
			run("Exits$Subject.ternary", () -> Subject.ternary(i));
		for (int i : new int[] { 0, 1, 2, 50 })
			run("Exits$Subject.several", () -> Subject.several(i));
		run("Exits$Subject.ownThrow", () -> { Subject.ownThrow(); return null; });
		for (int i : new int[] { 0, 1 })
			run("Exits$Subject.caughtInside", () -> Subject.caughtInside(i));
		for (int i : new int[] { 0, 1, 3 }) {
			run("Exits$Subject.tryFinally", () -> Subject.tryFinally(i));
			run("Exits$Subject.finallyOverrides", () -> Subject.finallyOverrides(i));
			run("Exits$Subject.nestedTry", () -> Subject.nestedTry(i));
		}
		results.append("field ").append(Subject.field).append('\n');
		run("Exits$Subject.fromCallee", () -> Subject.fromCallee(null));
		run("Exits$Subject.fromCallee", () -> Subject.fromCallee(12));
		run("Exits$Subject.nullPointer", () -> Subject.nullPointer(null));
		run("Exits$Subject.index", () -> Subject.index(new int[1], 0));
		run("Exits$Subject.index", () -> Subject.index(new int[1], 1));
		run("Exits$Subject.divide", () -> Subject.divide(1, 0));
		run("Exits$Subject.divide", () -> Subject.divide(1, 1));
		run("Exits$Subject.cast", () -> Subject.cast("s"));
		run("Exits$Subject.cast", () -> Subject.cast(1));
		run("Exits$Subject.negativeSize", () -> Subject.negativeSize(-1));
		run("Exits$Subject.store", () -> { Subject.store(new Integer[1], "s"); return null; });
		run("Exits$Subject.recursion", () -> Subject.recursion(20));
		expect("Exits$Subject.recursion", 20, 0);
		run("Exits$Subject.recursionThrows", () -> Subject.recursionThrows(9));
		expect("Exits$Subject.recursionThrows", 0, 9);
		expect("Exits$Subject.divide", 0, 1);
		for (int i : new int[] { 0, 1, 5 }) {
			run("Exits$Subject.synchronizedMethod", () -> s.synchronizedMethod(i));
			run("Exits$Subject.synchronizedBlock", () -> s.synchronizedBlock(i));
			results.append(Thread.holdsLock(s)).append('\n');
		}
		run("Exits$Subject.loopToStart", () -> Subject.loopToStart(100));
		run("Exits$Subject.endless", () -> { Subject.endless(List.of(1, 2).iterator()); return null; });
		for (int i = -1; i < 6; i++) {
			int n = i;
			run("Exits$Subject.dense", () -> Subject.dense(n));
		}
		for (int i : new int[] { -1000, 0, 7, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE })
			run("Exits$Subject.sparse", () -> Subject.sparse(i));
		for (String t : new String[] { "Aa", "BB", "C" })
			run("Exits$Subject.strings", () -> Subject.strings(t));
		run("Exits$Subject.frames", () -> Subject.frames(9, "abc"));
		run("Exits$Subject.lambdas", () -> Subject.lambdas(5));
		expect("Exits$Subject.lambda", 2, 0);
		run("Exits$Subject.varied", () -> Subject.varied(1, "b", null, 2.5));
	}

	static void objects() {
		run("Exits$Derived.<init>", () -> new Derived(2).n);
		expect("Exits$Base.<init>", 3, 0); // the one in the arguments, super(), the field
		run("Exits$Derived.<init>", () -> new Derived(0)); // before super(): division
		run("Exits$Derived.<init>", () -> new Derived(7)); // behind it: own throw
		expect("Exits$Base.<init>", 3, 0);
		run("Exits$Derived.<init>", () -> new Derived(8)); // behind it: implicit
		expect("Exits$Base.<init>", 3, 0);
		run("Exits$Derived.<init>", () -> new Derived("x", false)); // before this()
		run("Exits$Derived.<init>", () -> new Derived("xyz", true).n);
		expect("Exits$Derived.<init>", 1, 0); // the inner of the two
		expect("Exits$Base.<init>", 3, 0);
		run("Exits$Base.<init>", () -> new Base(-1));
		// out of super(): no handler can cover that call, so it is entered, and neither left nor thrown
		run(null, () -> new Derived(-1));
		expected.get("Exits$Derived.<init>")[0]++;
		expect("Exits$Base.<init>", 1, 1);
		Inner in = new Inner(null);
		expect("Exits$Inner.<init>", 1, 0);
		run("Exits$Inner$More.n", () -> in.new More().n());
		expect("Exits$Inner$More.<init>", 1, 0);
		run("Exits$Initialised.get", Initialised::get);
		expect("Exits$Initialised.<clinit>", 1, 0);
		run(null, FailsToInitialise::get);
		expect("Exits$FailsToInitialise.<clinit>", 0, 1);
		Face f = i -> 10 / i;
		run("Exits$Face.twice", () -> f.twice(2));
		run("Exits$Face.twice", () -> f.twice(0));
		run("Exits$Face.plain", () -> Face.plain(3));
		run("Exits$Face.plain", () -> Face.plain(0));
		for (Colour c : Colour.values())
			run("Exits$Colour$" + (c.ordinal() + 1) + ".n", c::n);
		run("Exits$Point.<init>", () -> new Point(1, 2));
		expect("Exits$Point.toString", 1, 0);
		run("Exits$Point.<init>", () -> new Point(-1, 2));
	}

	public static void main(String[] a) throws Exception {
		calls();
		objects();
		System.out.print(results);
		if (System.getProperty("ids") == null)
			return;
		Map<String, String> counted = new TreeMap<>();
		for (String line : Hook.report())
			counted.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1));
		int wrong = 0;
		for (Map.Entry<String, int[]> e : expected.entrySet()) {
			int[] n = e.getValue();
			String right = n[0] + " " + n[1] + " " + n[2], found = String.valueOf(counted.remove(e.getKey()));
			if (!right.equals(found)) {
				System.err.println(e.getKey() + ": " + found + ", must be " + right);
				wrong++;
			}
		}
		for (String name : counted.keySet())
			if (!name.startsWith("Exits.") && !name.startsWith("Exits$Colour"))
				System.err.println(name + " counted, but not expected: " + counted.get(name));
		System.err.println(expected.size() + " methods compared, " + wrong + " wrong");
		System.exit(wrong == 0 ? 0 : 1);
	}
}
