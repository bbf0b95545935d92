// SPDX-License-Identifier: BSD-2-Clause
package shop.api;

import java.lang.reflect.Proxy;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import shop.friend.Friend;
import shop.hidden.Till;

/**
 * Main DIR: calls Till.pay() through classes of packages and modules of all kinds, after `go`. Till.pay() commits an
 * event of the JDK's own recorder, whose recording is in DIR/own.jfr when there is `done`. Ends when there is `quit`.
 */
public class Main {
    private final Path dir;

    Main(Path dir) {
        this.dir = dir;
    }

    @SuppressWarnings("unchecked")
    private static void through(String name, Runnable next) {
        try {
            ((Consumer<Runnable>) Class.forName(name).getDeclaredConstructor().newInstance()).accept(next);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs in java.util.logging, which java.logging exports. */
    private static void throughLogging(Runnable next) {
        Logger logger = Logger.getAnonymousLogger();
        logger.setUseParentHandlers(false);
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord record) {
                next.run();
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        });
        logger.log(Level.INFO, "paid");
    }

    /** Runs in sun.nio.fs, which java.base exports to nobody. */
    private void throughFiles(Runnable next) {
        boolean[] done = new boolean[1];
        try (DirectoryStream<Path> files = Files.newDirectoryStream(dir, path -> {
            if (!done[0])
                next.run();
            done[0] = true;
            return true;
        })) {
            files.forEach(path -> { });
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs in jdk.internal.reflect, which java.base exports to some modules. */
    private static void throughReflection(Runnable next) {
        try {
            Runnable.class.getMethod("run").invoke(next);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs in a class of a module that the JVM makes for it. */
    private static void throughProxy(Runnable next) {
        ((Runnable) Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {Runnable.class},
                (proxy, method, arguments) -> {
                    next.run();
                    return null;
                })).run();
    }

    private void pay() {
        Runnable pay = () -> new Till().pay();
        Runnable friend = () -> new Friend().accept(pay);
        Runnable plain = () -> through("plain.Plain", friend);
        Runnable bare = () -> through("NoPackage", plain);
        Runnable legacy = () -> through("legacy.Legacy", bare);
        Runnable stock = () -> through("stock.Stock", legacy);
        Runnable reflection = () -> throughReflection(stock);
        Runnable proxy = () -> throughProxy(reflection);
        Runnable files = () -> throughFiles(proxy);
        Runnable logging = () -> throughLogging(files);
        Collections.singletonList(logging).forEach(Runnable::run);
    }

    private void await(String name) throws Exception {
        while (!Files.exists(dir.resolve(name)))
            Thread.sleep(10);
    }

    public static void main(String[] args) throws Exception {
        Main main = new Main(Path.of(args[0]));
        Recording own = new Recording();
        own.enable(Paid.class).withStackTrace();
        own.start();
        Files.createFile(main.dir.resolve("ready"));
        main.await("go");
        for (int i = 0; i < 3; i++)
            main.pay();
        own.stop();
        own.dump(main.dir.resolve("own.jfr"));
        Files.createFile(main.dir.resolve("done"));
        main.await("quit");
    }
}
