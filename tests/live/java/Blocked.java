// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Blocked DIR N LIBRARY: N threads of each kind, which are there from the beginning, enter a call, which blocks until the file
 * `release` exists: in a lock of the JVM, in a JNI library, and in read() below libnio.
 */
public class Blocked {
    private static final Object MONITOR = new Object();
    private static final CountDownLatch gate = new CountDownLatch(1);
    private static CountDownLatch entered;

    static native int descend(int depth, int size);

    static native void open();

    static void monitor() {
        entered.countDown();
        synchronized (MONITOR) {
            entered.getCount();
        }
    }

    static void library(int i) {
        entered.countDown();
        descend(i % 12, i % 5 * 300);
    }

    static void network(SocketChannel channel) throws Exception {
        entered.countDown();
        channel.read(ByteBuffer.allocateDirect(10));
    }

    private static final List<Thread> threads = new ArrayList<>();

    private static void start(String name, Cast.Body call) {
        threads.add(Cast.start(name, () -> {
            gate.await();
            call.run();
        }));
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        List<SocketChannel> peers = new ArrayList<>();
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

        System.load(args[2]);
        entered = new CountDownLatch(3 * n);
        for (int i = 0; i < n; i++) {
            int number = i;
            SocketChannel channel = SocketChannel.open(server.getLocalAddress());
            peers.add(server.accept());
            start("monitor-" + i, Blocked::monitor);
            start("library-" + i, () -> library(number));
            start("network-" + i, () -> network(channel));
        }
        stage.awaitGo();
        synchronized (MONITOR) {
            gate.countDown();
            entered.await();
            stage.mark("blocked");
            stage.await("release");
        }
        open();
        for (SocketChannel peer : peers)
            peer.write(ByteBuffer.wrap(new byte[1]));
        for (Thread t : threads)
            t.join();
        stage.finish();
    }
}
