// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.SynchronousQueue;

/**
 * Peers DIR N [LIBRARY|- [HOW]]: threads wait for sockets, pipes and files of all kinds, N times for each, in waitFor(), which returns
 * the name of what it waited for. With LIBRARY (tests/live/peers.c) another thread replaces some descriptors all the time by
 * dup2(): what such a thread has waited for, it learns from what it reads. HOW: "virtual" threads wait, and only for what the
 * JDK's pollers look at; "pinned": they do so with a monitor, and up to JDK 23 keep their carriers.
 */
public class Peers {
    /** Something to wait for. */
    interface Peer {
        /** Wait once. Returns the name. */
        String await() throws Exception;

        /** End the wait, from another thread. */
        void end() throws Exception;
    }

    /** Each group has a thread that waits, and one that ends the waits. */
    private static final List<List<Peer>> groups = new ArrayList<>();
    private static final int LONG = 600_000; /* ms; the waits end long before */
    private static final InetAddress V4 = address("127.0.0.1"), V6 = address("::1");
    private static Path directory;
    private static String how = "";

    /** Put each of two descriptors there in turn until stop(): for i, in[i] and out[i] of them at to[i]. */
    static native void swap(int[] in, int[] out, int[] to);

    static native void stop();

    static String waitFor(Peer peer) throws Exception {
        if (!how.equals("pinned"))
            return peer.await();
        synchronized (peer) {
            return peer.await();
        }
    }

    private static InetAddress address(String name) {
        try {
            return InetAddress.getByName(name);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String name(InetAddress host, int port) {
        return host == V4 ? "127.0.0.1:" + port : "[::1]:" + port;
    }

    /** The name of what `make` opens, as /proc says it. */
    private static String opened(Cast.Body make, String kind) throws Exception {
        TreeSet<String> before = descriptors(kind), after;
        make.run();
        after = descriptors(kind);
        after.removeAll(before);
        return after.first();
    }

    private static TreeSet<String> descriptors(String kind) {
        TreeSet<String> names = new TreeSet<>();
        for (String fd : new java.io.File("/proc/self/fd").list()) {
            try {
                String name = Files.readSymbolicLink(Path.of("/proc/self/fd", fd)).toString();
                if (name.startsWith(kind))
                    names.add(name);
            } catch (IOException e) {
                /* it is closed, as the one of the directory */
            }
        }
        return names;
    }

    private static void read(InputStream in) throws IOException {
        if (in.read() < 0)
            throw new IOException("end");
    }

    /** A connection; `timeout` in ms, 0: none. */
    private static Peer stream(InetAddress host, int timeout) throws IOException {
        ServerSocket server = new ServerSocket(0, 1, host);
        Socket client = new Socket(host, server.getLocalPort()), other = server.accept();
        InputStream in = client.getInputStream();
        OutputStream out = other.getOutputStream();
        String name = name(host, server.getLocalPort());
        client.setSoTimeout(timeout);
        return new Peer() {
            public String await() throws IOException {
                read(in);
                return name;
            }

            public void end() throws IOException {
                out.write(1);
            }
        };
    }

    private static Peer accepting(InetAddress host) throws IOException {
        ServerSocket server = new ServerSocket(0, 1, host);
        String name = name(host, server.getLocalPort());
        return new Peer() {
            public String await() throws IOException {
                server.accept().close();
                return name;
            }

            public void end() throws IOException {
                new Socket(host, server.getLocalPort()).close();
            }
        };
    }

    /** The server's queue is full, so the kernel does not answer; the client asks again after a second. */
    private static Peer connecting(InetAddress host, int timeout) throws IOException {
        ServerSocket server = new ServerSocket(0, 1, host);
        String name = name(host, server.getLocalPort());
        for (int i = 0; i < 2; i++)
            new Socket(host, server.getLocalPort());
        return new Peer() {
            public String await() throws IOException {
                new Socket().connect(new InetSocketAddress(host, server.getLocalPort()), timeout);
                return name;
            }

            public void end() throws IOException {
                server.accept();
            }
        };
    }

    private static Peer datagrams(InetAddress host) throws IOException {
        DatagramSocket one = new DatagramSocket(0, host), two = new DatagramSocket(0, host);
        String name = name(host, two.getLocalPort());
        one.connect(two.getLocalSocketAddress());
        two.connect(one.getLocalSocketAddress());
        return new Peer() {
            public String await() throws IOException {
                one.receive(new DatagramPacket(new byte[1], 1));
                return name;
            }

            public void end() throws IOException {
                two.send(new DatagramPacket(new byte[1], 1));
            }
        };
    }

    /** Both ends of a connection. */
    private static SocketChannel[] channels(ServerSocketChannel server) throws IOException {
        return new SocketChannel[] {SocketChannel.open(server.getLocalAddress()), server.accept()};
    }

    private static ServerSocketChannel server(InetAddress host) throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
    }

    private static Peer channel(SocketChannel[] ends, String name) {
        return new Peer() {
            public String await() throws IOException {
                ends[0].read(ByteBuffer.allocate(1));
                return name;
            }

            public void end() throws IOException {
                ends[1].write(ByteBuffer.allocate(1));
            }
        };
    }

    private static Peer channel(InetAddress host) throws IOException {
        ServerSocketChannel server = server(host);
        return channel(channels(server), name(host, server.socket().getLocalPort()));
    }

    private static Peer unix(int number) throws IOException {
        Path path = directory.resolve("socket " + number);
        return channel(channels(ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path))),
                path.toString());
    }

    /** Waits for room in the socket's buffer. */
    private static Peer full(InetAddress host) throws IOException {
        final int size = 8 << 20;
        ServerSocketChannel server = server(host);
        SocketChannel[] ends = channels(server);
        String name = name(host, server.socket().getLocalPort());
        return new Peer() {
            public String await() throws IOException {
                ByteBuffer all = ByteBuffer.allocateDirect(size);
                while (all.hasRemaining())
                    ends[0].write(all);
                return name;
            }

            public void end() throws IOException {
                ByteBuffer all = ByteBuffer.allocateDirect(size);
                while (all.hasRemaining())
                    ends[1].read(all);
            }
        };
    }

    private static Peer pipe() throws Exception {
        Pipe[] pipe = new Pipe[1];
        String name = opened(() -> pipe[0] = Pipe.open(), "pipe:");
        return new Peer() {
            public String await() throws IOException {
                pipe[0].source().read(ByteBuffer.allocate(1));
                return name;
            }

            public void end() throws IOException {
                pipe[0].sink().write(ByteBuffer.allocate(1));
            }
        };
    }

    private static Peer fifo(int number) throws Exception {
        Path path = directory.resolve("fifo-" + number);
        FileOutputStream[] out = new FileOutputStream[1];
        new ProcessBuilder("mkfifo", path.toString()).start().waitFor();
        Thread opener = Cast.start("opener", () -> out[0] = new FileOutputStream(path.toFile()));
        FileInputStream in = new FileInputStream(path.toFile());
        opener.join();
        return new Peer() {
            public String await() throws IOException {
                read(in);
                return path.toString();
            }

            public void end() throws IOException {
                out[0].write(1);
            }
        };
    }

    /** A selector with some channels. They become ready in turn. */
    private static Peer selected() throws Exception {
        final int channels = 6;
        Selector selector = Selector.open();
        SocketChannel[][] ends = new SocketChannel[channels][];
        for (int i = 0; i < channels; i++) {
            ServerSocketChannel server = server(i % 2 == 0 ? V4 : V6);
            ends[i] = channels(server);
            ends[i][0].configureBlocking(false).register(selector, SelectionKey.OP_READ,
                    name(i % 2 == 0 ? V4 : V6, server.socket().getLocalPort()));
        }
        return new Peer() {
            int next;

            public String await() throws IOException {
                selector.select();
                SelectionKey key = selector.selectedKeys().iterator().next();
                selector.selectedKeys().clear();
                ((SocketChannel) key.channel()).read(ByteBuffer.allocate(1));
                return (String) key.attachment();
            }

            public void end() throws IOException {
                ends[next++ % channels][1].write(ByteBuffer.allocate(1));
            }
        };
    }

    private static Peer file(int number) throws IOException {
        Path path = Files.createDirectories(directory.resolve("a/b c/\u00fc/" + "long".repeat(5))).resolve("journal-" + number);
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        return new Peer() {
            public String await() throws IOException {
                file.write(new byte[64 << 10]);
                file.getFD().sync();
                return path.toString();
            }

            public void end() {
            }
        };
    }

    static int descriptor(Object channel) throws Exception {
        Method m = channel.getClass().getMethod("getFDVal");
        m.setAccessible(true);
        return (int) m.invoke(channel);
    }

    private static int readNumber(SocketChannel c) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(1);
        while (b.hasRemaining()) {
            try {
                c.read(b);
            } catch (IOException e) {
                /* the poller had not the one file, so it added the other one, which it had */
                if (!e.getMessage().startsWith("epoll_ctl failed"))
                    throw e;
            }
        }
        return b.get(0);
    }

    /**
     * A channel whose descriptor is now one connection, now another. A virtual thread waits until one of them is ready, and then
     * may read from the other one. So one is ready first, and if that is not the one, both.
     */
    private static final class Swapped implements Peer {
        final SocketChannel[][] ends = new SocketChannel[2][];
        final String[] name = new String[2];
        final SocketChannel used;
        volatile boolean returned, both;
        private int first, taken;

        Swapped(SocketChannel used, ServerSocketChannel one, String first, ServerSocketChannel two, String second)
                throws IOException {
            this.used = used;
            ends[0] = channels(one);
            ends[1] = channels(two);
            name[0] = first;
            name[1] = second;
        }

        public String await() throws IOException {
            taken = readNumber(used);
            String waitedFor = how.isEmpty() ? name[taken] : both ? null : name[first];
            returned = true;
            return waitedFor;
        }

        private void write(int number) throws IOException {
            ends[number][1].write(ByteBuffer.wrap(new byte[] {(byte) number}));
        }

        public void end() throws Exception {
            first = 1 - first;
            write(first);
            for (int ms = 0; !how.isEmpty() && ms < 20 && !returned; ms++)
                Thread.sleep(1);
            both = true;
            write(1 - first);
        }

        /** Read the number that await() has not. */
        void settle() throws IOException {
            readNumber(ends[1 - taken][0]);
            returned = both = false;
        }
    }

    private static final List<Swapped> swapped = new ArrayList<>();

    private static Swapped swapped() throws Exception {
        ServerSocketChannel one = server(V4), two = server(swapped.size() % 2 == 0 ? V4 : V6), own = server(V4);
        Swapped s = new Swapped(channels(own)[0], one, name(V4, one.socket().getLocalPort()), two,
                name(swapped.size() % 2 == 0 ? V4 : V6, two.socket().getLocalPort()));
        swapped.add(s);
        return s;
    }

    private static void startSwapping() throws Exception {
        int[] in = new int[swapped.size()], out = new int[in.length], to = new int[in.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = descriptor(swapped.get(i).ends[0][0]);
            out[i] = descriptor(swapped.get(i).ends[1][0]);
            to[i] = descriptor(swapped.get(i).used);
        }
        Cast.start("swapper", () -> swap(in, out, to));
    }

    private static List<Peer> group() {
        List<Peer> group = new ArrayList<>();
        groups.add(group);
        return group;
    }

    private static void open() throws Exception {
        for (int g = 0; g < 4; g++) {
            List<Peer> mixed = group();
            for (int i = 0; i < 4; i++) {
                mixed.add(stream(V4, 0));
                mixed.add(stream(V6, 0));
                mixed.add(stream(V4, LONG));
                mixed.add(stream(V6, LONG));
                mixed.add(accepting(i % 2 == 0 ? V4 : V6));
                mixed.add(datagrams(i % 2 == 0 ? V4 : V6));
                mixed.add(channel(V4));
                mixed.add(channel(V6));
                mixed.add(unix(4 * g + i));
                mixed.add(pipe());
                if (how.isEmpty())
                    mixed.add(fifo(4 * g + i));
                if (how.isEmpty() || how.equals("virtual") && Runtime.version().feature() >= 24)
                    mixed.add(selected());
            }
            mixed.add(full(V4));
            mixed.add(full(V6));
        }
        if (!how.isEmpty())
            return;
        List<Peer> files = group();
        for (int i = 0; i < 8; i++)
            files.add(file(i));
    }

    /** The first thread waits for each peer `n` times, and asks the second one to end the wait 2 ms later. */
    private static Thread[] act(List<Peer> group, int number, int n) {
        SynchronousQueue<Peer> asked = new SynchronousQueue<>();
        Cast.Body waiting = () -> {
            for (int i = 0; i < n; i++) {
                for (Peer p : group) {
                    asked.put(p);
                    waitFor(p);
                    if (p instanceof Swapped)
                        ((Swapped) p).settle();
                }
            }
        };
        String name = "waiter-" + number;
        Thread waiter = how.isEmpty() ? Cast.start(name, waiting) : Cast.startVirtual(name, waiting);
        Thread ender = Cast.start("ender-" + number, () -> {
            for (int i = 0; i < n * group.size(); i++) {
                Peer p = asked.take();
                Thread.sleep(2);
                p.end();
            }
        });
        return new Thread[] {waiter, ender};
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        List<Thread> threads = new ArrayList<>();
        directory = Path.of(args[0]);
        how = args.length > 3 ? args[3] : "";
        open();
        if (args.length > 2 && !args[2].equals("-")) {
            System.load(args[2]);
            for (int g = 0; g < 2; g++) {
                List<Peer> group = group();
                for (int i = 0; i < 8; i++)
                    group.add(swapped());
            }
            startSwapping();
        }
        stage.awaitGo();
        for (List<Peer> group : groups)
            threads.addAll(List.of(act(group, groups.indexOf(group), n)));
        for (InetAddress host : new InetAddress[] {V4, V6})
            for (int timeout : new int[] {0, LONG})
                threads.addAll(List.of(act(List.of(connecting(host, timeout)), threads.size(), 1)));
        for (Thread t : threads)
            t.join();
        if (!swapped.isEmpty())
            stop();
        stage.finish();
    }
}
