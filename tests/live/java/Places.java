// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;

/** Classes in unusual places: three loaders, a package that is not exported, java.base itself. */
public class Places {
    /** Defines Copy itself and delegates everything else to its parent. */
    static class Copies extends ClassLoader {
        Copies(String name) {
            super(name, Places.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("live.Copy"))
                return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null)
                return known;
            try (InputStream in = getResourceAsStream("live/Copy.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static IntUnaryOperator copy(String loader) throws Exception {
        return (IntUnaryOperator) new Copies(loader).loadClass("live.Copy").getConstructor().newInstance();
    }

    static void copies(Stage stage, List<IntUnaryOperator> early, int n) throws Exception {
        List<IntUnaryOperator> all = new ArrayList<>(early);
        all.add(copy("three"));
        String[] names = {"one", "two", "three"};
        for (int i = 0; i < 3; i++) {
            IntUnaryOperator copy = all.get(i);
            long thrown = ExitsMain.calls(n * (i + 1), copy::applyAsInt);
            stage.expect("live.Copy", "work", "*", "*", names[i], n * (i + 1), thrown);
        }
    }

    static int hash(String[] strings, ConcurrentHashMap<Integer, Integer> map, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += strings[i & 3].hashCode() + map.get(i & 7);
        return sum;
    }

    /** Only this thread's calls are counted: the JVM calls these methods, too. */
    static void javaBase(Stage stage, int n) throws Exception {
        String[] strings = {"a", "bc", "def", new String("long enough to be vectorised")};
        ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
        for (int i = 0; i < 8; i++)
            map.put(i, i);
        int[] sum = new int[1];
        hash(strings, map, 8); // loads and resolves what it needs
        Thread worker = new Thread(() -> sum[0] = hash(strings, map, n), "counted");
        worker.start();
        worker.join();
        System.out.println("places: sum " + sum[0]);
        stage.expect("java.lang.String", "hashCode", "*", "counted", "*", n, 0);
        stage.expect("java.util.concurrent.ConcurrentHashMap", "get", "*", "counted", "*", n, 0);
        stage.allow("java.lang.String", "hashCode");
        stage.allow("java.util.concurrent.ConcurrentHashMap", "get");
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]) / 4 * 4;
        IntUnaryOperator door = (IntUnaryOperator) Class.forName("secret.api.Door").getConstructor().newInstance();
        door.applyAsInt(1);
        List<IntUnaryOperator> early = List.of(copy("one"), copy("two"));
        ExitsMain.calls(n, early.get(0)::applyAsInt);
        stage.awaitGo();
        copies(stage, early, n);
        stage.expect("secret.inner.Hidden", "work", n, ExitsMain.calls(n, door::applyAsInt));
        javaBase(stage, n);
        stage.finish();
    }
}
