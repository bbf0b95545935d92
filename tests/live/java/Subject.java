// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Classes of every kind that filters distinguish; everything() calls each method. */
public class Subject {
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @interface Timed {
    }

    @Retention(RetentionPolicy.CLASS)
    @interface Unseen {
    }

    @Timed
    @Retention(RetentionPolicy.RUNTIME)
    @interface Meta {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Many.class)
    @interface One {
        int value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Many {
        One[] value();
    }

    static class Order {
    }

    interface Service {
        void run();

        default void byDefault() {
        }

        static void make() {
        }
    }

    interface Narrower extends Service {
    }

    static class Base implements Narrower {
        Base() {
        }

        public void run() {
        }

        void stop() {
        }
    }

    static class Cart extends Base {
        static int made = count(new int[1], 2);

        public void run() {
        }

        void add(Order order) {
        }

        void add(Order order, boolean twice) {
        }

        void lines(String... lines) {
        }

        static int count(int[] counts, long more) {
            return counts.length;
        }

        static class Line {
            void print() {
            }
        }
    }

    static class Deep extends Cart {
        public void run() {
        }

        void own() {
        }
    }

    static class Alone {
        void run() {
        }
    }

    @Timed
    static class OnClass {
        static int x = initial();

        static int initial() {
            return 1;
        }

        void m() {
        }

        static class In {
            void m() {
            }
        }
    }

    static class BelowOnClass extends OnClass {
        @Override
        void m() {
        }

        void own() {
        }
    }

    static class OnMethod {
        @Timed
        void m() {
        }

        void n() {
        }

        @Unseen
        void unseen() {
        }

        @One(1)
        @One(2)
        void twice() {
        }
    }

    static class BelowOnMethod extends OnMethod {
        @Override
        void m() {
        }
    }

    @Unseen
    static class OnClassUnseen {
        void m() {
        }
    }

    @Meta
    static class OnClassMeta {
        void m() {
        }
    }

    @Timed
    interface Api {
        default void byDefault() {
        }

        void todo();

        static void make() {
        }
    }

    static class Impl implements Api {
        public void todo() {
        }
    }

    static class Bridged implements Comparable<Bridged> {
        public int compareTo(Bridged other) {
            return 0;
        }
    }

    static class Lambdas {
        static final Runnable INITIAL = () -> hit(0);
        final Runnable own = () -> hit(1);

        void m() {
            Runnable r = () -> hit(2);
            r.run();
        }

        void n() {
            Runnable r = () -> hit(3);
            r.run();
        }

        static void hit(int x) {
        }
    }

    enum Color {
        RED, GREEN;

        void paint() {
        }
    }

    static void hierarchy() {
        Service.make();
        Cart cart = new Cart();
        cart.add(new Order());
        cart.add(new Order(), true);
        cart.lines("a", "b");
        Cart.count(new int[2], 3);
        new Cart.Line().print();
        Deep deep = new Deep();
        deep.own();
        for (Base b : new Base[] {new Base(), cart, deep}) {
            b.run();
            b.stop();
            b.byDefault();
        }
        new Alone().run();
    }

    static void annotations() {
        OnClass.initial();
        new OnClass().m();
        new OnClass.In().m();
        new BelowOnClass().m();
        new BelowOnClass().own();
        OnMethod on = new OnMethod();
        on.m();
        on.n();
        on.unseen();
        on.twice();
        new BelowOnMethod().m();
        new OnClassUnseen().m();
        new OnClassMeta().m();
        Api api = new Impl();
        api.byDefault();
        api.todo();
        Api.make();
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void others() {
        ((Comparable) new Bridged()).compareTo(new Bridged());
        Lambdas.INITIAL.run();
        Lambdas lambdas = new Lambdas();
        lambdas.own.run();
        lambdas.m();
        lambdas.n();
        for (Color c : Color.values())
            c.paint();
        Color.valueOf("RED");
    }

    /** Methods of the JDK. */
    static void jdk() {
        "abc".isEmpty();
        "abc".length();
        Long.valueOf(77777);
        new java.util.concurrent.ConcurrentHashMap<String, String>().get("a");
        new java.util.concurrent.locks.ReentrantLock().isLocked();
        new java.util.ArrayList<String>().isEmpty();
    }

    public static void everything() {
        hierarchy();
        annotations();
        others();
        jdk();
    }
}
