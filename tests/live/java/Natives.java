// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.FileInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.net.InetSocketAddress;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/*
 * Native methods, bound in three ways, called CALLS times in each of THREADS threads; one call in four ends with an
 * exception. Then those of the JDK, and two that share a function.
 *
 *	Natives DIR LIBRARY THREADS CALLS [late | loaded | open | attach]
 *
 * late: instead of them, once the file `probed` is there, CALLS calls of two methods that were bound after `go`: one had
 * another function before, and was called CALLS times; the other had none. loaded: a call of a class that is loaded
 * after `go`, and CALLS calls once `probed` is there. open: calls that do not return, as live.Open describes them. attach: a thread that
 * is in the JVM CALLS times, and calls attached() each time; `ids` gets the ids of those threads.
 */
public class Natives {
	static volatile int sink;

	static native int brief(int n);

	static native int over(int n);

	static native int over(String s, int[] array);

	static native int registered(int n);

	static native int twinA(int n);

	static native int twinB(int n);

	static native int never(int n);

	static native int loose(int n);

	static native int critical(int n);

	static native int moved(int n);

	static native int late(int n);

	static native int lateLoose(int n);

	static native void hang();

	static native void nest();

	static native void hangA();

	static native void hangB();

	static native int hanging();

	static native void attach(int times);

	static void inner() {
		hang();
	}

	static native void register();

	static native void registerLate();

	/** Is loaded when it is first called. */
	static class Late {
		static native int call(int n);
	}

	static int bytecode(int n) {
		return brief(n);
	}

	interface Call {
		int of(int n);
	}

	static void repeat(int calls, Call call) {
		for (int i = 0; i < calls; i++)
			try {
				sink += call.of(i);
			} catch (IllegalStateException e) {
				sink++;
			}
	}

	static void work(int calls) {
		int[] array = new int[3];

		repeat(calls, Natives::bytecode);
		repeat(calls, Natives::over);
		repeat(calls, n -> over(n % 4 == 3 ? null : "text", array));
		repeat(calls, Natives::registered);
		repeat(calls / 10, Natives::twinA);
		repeat(calls / 5, Natives::twinB);
	}

	static void read(int times) throws Exception {
		byte[] buffer = new byte[100];

		for (int i = 0; i < times; i++)
			try (FileInputStream in = new FileInputStream("/proc/self/cmdline")) {
				sink += in.read(buffer, 0, 100);
			}
	}

	static void receive(int times) throws Exception {
		ByteBuffer buffer = ByteBuffer.allocateDirect(10);

		try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
			SocketChannel channel = SocketChannel
				.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
			java.net.Socket peer = server.accept()) {
			for (int i = 0; i < times; i++) {
				peer.getOutputStream().write(65);
				buffer.clear();
				sink += channel.read(buffer);
			}
		}
	}

	static void inflate(int times) throws Exception {
		byte[] text = new byte[1000], packed = new byte[1000];
		Deflater deflater = new Deflater();

		deflater.setInput(text);
		deflater.finish();
		int size = deflater.deflate(packed);
		for (int i = 0; i < times; i++) {
			Inflater inflater = new Inflater();

			inflater.setInput(packed, 0, size);
			sink += inflater.inflate(text);
			inflater.end();
		}
	}

	static void doze(int times) throws Exception {
		for (int i = 0; i < times; i++)
			Thread.sleep(3);
	}

	static void copy(int times) {
		for (int i = 0; i < times; i++)
			System.arraycopy(new byte[10], 0, new byte[10], 0, 10);
	}

	static void library(int times) throws Exception {
		read(times);
		receive(times);
		inflate(times);
		doze(times);
		copy(times);
	}

	/** The first of the names that is a native method of the class. */
	static String nativeOf(String class_name, String... names) throws Exception {
		for (String name : names)
			for (java.lang.reflect.Method m : Class.forName(class_name).getDeclaredMethods())
				if (m.getName().equals(name) && java.lang.reflect.Modifier.isNative(m.getModifiers()))
					return name;
		return null;
	}

	static void expect(Stage stage, String class_name, long calls, String... names) throws Exception {
		String name = nativeOf(class_name, names);

		if (name != null)
			stage.expect(class_name, name, calls, 0);
	}

	static void tell(Stage stage, int threads, int calls, int times) throws Exception {
		long all = (long) threads * calls;

		stage.expect("live.Natives", "brief", all, all / 4);
		stage.expect("live.Natives", "over", "(I)I", "*", "*", all, all / 4);
		stage.expect("live.Natives", "over", "(Ljava/lang/String;[I)I", "*", "*", all, all / 4);
		stage.expect("live.Natives", "registered", all, all / 4);
		stage.expect("live.Natives", "twinA", all / 10, all / 40);
		stage.expect("live.Natives", "twinB", all / 5, all / 20);
		expect(stage, "java.io.FileInputStream", times, "readBytes0", "readBytes");
		if (nativeOf("sun.nio.ch.SocketDispatcher", "read0") != null)
			expect(stage, "sun.nio.ch.SocketDispatcher", times, "read0");
		else
			expect(stage, "sun.nio.ch.FileDispatcherImpl", times, "read0");
		expect(stage, "java.util.zip.Inflater", times, "inflateBytesBytes", "inflateBytes");
		for (String name : new String[] {"live.Natives", "java.io.FileInputStream", "sun.nio.ch.SocketDispatcher",
				"sun.nio.ch.FileDispatcherImpl", "java.util.zip.Inflater", "java.lang.Thread"})
			stage.allow(name, "*");
		stage.write("sleep", nativeOf("java.lang.Thread", "sleepNanos0", "sleep0", "sleep"));
	}

	static void bindLate(Stage stage, int calls) {
		stage.expect("live.Natives", "moved", 2L * calls, calls / 2);
		stage.expect("live.Natives", "late", calls, calls / 4);
		stage.awaitGo();
		repeat(calls, Natives::moved);
		registerLate();
		stage.mark("bound");
		stage.await("probed");
		repeat(calls, Natives::moved);
		repeat(calls, Natives::late);
		stage.finish();
	}

	/** Probes come some time after the class. */
	static void loadLate(Stage stage, int calls) {
		stage.awaitGo();
		sink += Late.call(0);
		stage.mark("bound");
		stage.await("probed");
		repeat(calls, Late::call);
		stage.finish();
	}

	/** Without hidden frames, which getStackTrace() leaves out. */
	static final class Hanging extends Thread {
		Hanging(String name) {
			super(name);
			setDaemon(true);
		}

		@Override
		public void run() {
			switch (getName()) {
			case "o-hang": hang(); break;
			case "o-nest": nest(); break;
			default: hangB();
			}
		}
	}

	static final StringBuilder ids = new StringBuilder();

	static void attached() {
		ids.append(Thread.currentThread().getId()).append('\n');
	}

	static void attachAll(Stage stage, int times) {
		stage.awaitGo();
		attach(times);
		stage.write("ids", ids.toString());
		stage.finish();
	}

	static void awaitHanging(int threads) {
		while (hanging() < threads)
			Stage.sleep(1);
	}

	static void hangAll(Stage stage) {
		String[][] works = {{"o-hang", "hang"}, {"o-nest", "nest", "hang"}, {"o-twin", "hangB"}};
		StringBuilder open = new StringBuilder(), stacks = new StringBuilder();

		stage.awaitGo();
		for (int i = 0; i < works.length; i++) {
			Thread t = new Hanging(works[i][0]);
			long before = System.nanoTime();

			t.start();
			awaitHanging(i + 1);
			for (int k = 1; k < works[i].length; k++)
				open.append(t.getName() + "\t" + works[i][k] + "\t" + before + "\t" + System.nanoTime() + "\n");
			stacks.append(Open.frames(t)).append('\n');
		}
		stage.write("open", open.toString());
		stage.write("stacks", stacks.toString());
		stage.finish();
	}

	public static void main(String[] args) throws Exception {
		Thread[] threads = new Thread[Integer.parseInt(args[2])];
		int calls = Integer.parseInt(args[3]);
		Stage stage = new Stage(args[0]);

		System.load(args[1]);
		register();
		work(40);
		library(2);
		if (args.length > 4) {
			if (args[4].equals("late"))
				bindLate(stage, calls);
			else if (args[4].equals("loaded"))
				loadLate(stage, calls);
			else if (args[4].equals("attach"))
				attachAll(stage, calls);
			else
				hangAll(stage);
			return;
		}
		for (int i = 0; i < threads.length; i++)
			threads[i] = new Thread(() -> {
				stage.await("go");
				work(calls);
			}, "worker-" + i);
		for (Thread t : threads)
			t.start();
		tell(stage, threads.length, calls, 20);
		stage.awaitGo();
		library(20);
		for (Thread t : threads)
			t.join();
		stage.finish();
	}
}
