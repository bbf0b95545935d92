// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Scenarios DIR: what the JDK tests about its own method tracing and no other program here does, one after another.
 * `truth` has the calls that are recorded, `timed` those that are counted.
 */
public class Scenarios {
    static final String ME = "live.Scenarios$";
    static final int CALLS = 25_000, THREADS = 5, TEXTS = 100;

    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Other {
    }

    final Stage stage;
    final Stage timed;

    Scenarios(String directory) {
        stage = new Stage(directory);
        timed = new Stage(directory);
    }

    void recorded(String type, String method, long n) {
        stage.expect(ME + type, method, n, 0);
    }

    void counted(String type, String method, long n) {
        timed.expect(ME + type, method, n, 0);
    }

    // ---- a static initializer

    static class Initialized {
        static String text;
        static {
            text = String.valueOf(ME.length());
        }
    }

    void initializer() {
        Initialized.text = "";
        recorded("Initialized", "<clinit>", 1);
        counted("Initialized", "<clinit>", 1);
        stage.expectCaller(ME + "Initialized", "<clinit>", "live.Scenarios.initializer");
    }

    // ---- annotations, with other filters that match the same methods

    @Other
    @Marked
    interface OnType {
        @Marked
        static void both() {
        }

        @Other
        static void other() {
        }

        void isAbstract();
    }

    abstract static class Above {
        @Marked
        abstract void overridden();
    }

    static class OnMethod extends Above {
        @Override
        @Other
        @Marked
        void overridden() {
        }

        @Marked
        void overloaded() {
        }

        void overloaded(int x) {
        }
    }

    void annotations() {
        OnType.both();
        OnType.other();
        OnMethod on = new OnMethod();
        on.overridden();
        on.overloaded();
        on.overloaded(1);
        recorded("OnType", "both", 1);
        recorded("OnType", "other", 1);
        recorded("OnMethod", "overridden", 1);
        stage.expect(ME + "OnMethod", "overloaded", "()V", "*", "*", 1, 0);
        timed.expect(ME + "OnMethod", "overloaded", "()V", "*", "*", 1, 0);
        timed.expect(ME + "OnMethod", "overloaded", "(I)V", "*", "*", 1, 0);
        counted("OnMethod", "overridden", 1);
        counted("OnMethod", "<init>", 1);
        for (String method : new String[] {"OnType both", "OnType other", "OnMethod overridden", "OnMethod overloaded"}) {
            String[] names = method.split(" ");
            stage.expectCaller(ME + names[0], names[1], "live.Scenarios.annotations");
        }
    }

    // ---- five threads call five methods; two of the methods are recorded

    static class Shared {
        static void m0() {
        }

        static void m1() {
        }

        static void m2() {
        }

        static void m3() {
        }

        static void m4() {
        }

        static void all() {
            for (int i = 0; i < CALLS; i++) {
                switch (i % 5) {
                case 0: m0(); break;
                case 1: m1(); break;
                case 2: m2(); break;
                case 3: m3(); break;
                default: m4();
                }
            }
        }
    }

    void threads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            threads.add(new Thread(Shared::all));
            threads.get(t).start();
        }
        for (Thread t : threads)
            t.join();
        for (int m = 0; m < 5; m++)
            counted("Shared", "m" + m, (long) THREADS * CALLS / 5);
        for (String method : new String[] {"m0", "m2"})
            stage.expectThreads(ME + "Shared", method, THREADS, CALLS / 5);
        counted("Shared", "all", THREADS);
        counted("Shared", "<init>", 0);
    }

    // ---- classes that JEP 520 refuses: its own code calls them

    static long refused(int n) {
        ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>(4 * n);
        AtomicLong number = new AtomicLong();
        for (int i = 0; i < n; i++) {
            map.put(i, i);
            number.incrementAndGet();
        }
        return map.size() + number.get();
    }

    void refused() throws InterruptedException {
        String map = "java.util.concurrent.ConcurrentHashMap", number = "java.util.concurrent.atomic.AtomicLong";
        Thread t = new Thread(() -> refused(1000), "refused");
        t.start();
        t.join();
        stage.expect(map, "put", "*", "refused", "*", 1000, 0);
        stage.expect(map + "$Node", "<init>", "*", "refused", "*", 1000, 0);
        stage.expect(number, "incrementAndGet", "*", "refused", "*", 1000, 0);
        for (String type : new String[] {map, map + "$Node", number, "java.lang.String"})
            stage.allow(type, "*");
    }

    // ---- java.lang.String is traced while the JVM's recorder writes strings

    @Name("live.Text")
    static class Text extends Event {
        String text;
        long sum;
    }

    static long sum(String text) {
        return text.chars().asLongStream().reduce(1, (sum, c) -> 31 * sum + c);
    }

    static void texts() {
        for (String s : new String[] {"", "few", "a text with many letters, and the digit 1", "more".repeat(TEXTS)}) {
            for (int i = 0; i < TEXTS; i++) {
                Text text = new Text();
                text.text = s;
                text.sum = sum(s);
                text.commit();
            }
        }
    }

    void readTexts() throws Exception {
        int right = 0;
        for (RecordedEvent e : RecordingFile.readAllEvents(stage.file("own.jfr")))
            if (e.getEventType().getName().equals("live.Text") && sum(e.getString("text")) == e.getLong("sum"))
                right++;
        System.out.println("texts: " + right);
    }

    // ---- one class in three loaders: one from before, and one that is unloaded before the recording ends

    void loaders(IntUnaryOperator early) throws Exception {
        IntUnaryOperator late = Places.copy("late"), unloaded = Places.copy("unloaded");
        WeakReference<Class<?>> left = new WeakReference<>(unloaded.getClass());
        for (IntUnaryOperator copy : new IntUnaryOperator[] {early, late, unloaded})
            copy.applyAsInt(1);
        unloaded = null;
        for (int i = 0; i < 100 && left.get() != null; i++)
            System.gc();
        System.out.println(left.get() == null ? "unloaded" : "not unloaded");
        for (String loader : new String[] {"early", "late", "unloaded"}) {
            stage.expect("live.Copy", "work", "*", "*", loader, 1, 0);
            timed.expect("live.Copy", "work", "*", "*", loader, 1, 0);
        }
    }

    // ---- a class in a package that its module does not export, loaded only now

    void module() throws ReflectiveOperationException {
        ((IntUnaryOperator) Class.forName("secret.api.Door").getConstructor().newInstance()).applyAsInt(1);
        stage.expect("secret.inner.Hidden", "work", 1, 0);
        timed.expect("secret.inner.Hidden", "work", 1, 0);
    }

    public static void main(String[] args) throws Exception {
        Scenarios s = new Scenarios(args[0]);
        IntUnaryOperator early = Places.copy("early");
        Recording recording = new Recording();
        recording.enable("live.Text").withoutStackTrace();
        recording.start();
        refused(10); // loads and resolves what it needs
        texts();
        s.stage.awaitGo();
        s.initializer();
        s.annotations();
        s.threads();
        s.refused();
        texts();
        s.loaders(early);
        s.module();
        recording.stop();
        recording.dump(s.stage.file("own.jfr"));
        s.stage.write("timed", s.timed.truth());
        s.stage.finish();
        s.readTexts();
    }
}
