// SPDX-License-Identifier: BSD-2-Clause
// interfaces with bodies, intersections, overloads
package PACKAGE;

import java.io.Serializable;
import java.util.function.*;

public interface Role<T> extends Function<T, T> {
    int WEIGHT = NUMBER;

    default Role<T> twice() {
        return t -> apply(apply(t));
    }

    static <U> Role<U> same() {
        return u -> u;
    }

    interface Left {
        default String who() {
            return "left";
        }
    }

    interface Right {
        default String who() {
            return "right";
        }
    }

    class Both implements Left, Right {
        public String who() {
            return Left.super.who() + Right.super.who() + WEIGHT;
        }
    }

    static <A extends Comparable<A> & Serializable> A max(A a, A b) {
        return a.compareTo(b) < 0 ? b : a;
    }

    static String over(Object o) {
        return "object";
    }

    static String over(Integer i) {
        return "Integer";
    }

    static String over(int i) {
        return "int";
    }

    static String over(long... l) {
        return "longs";
    }

    static String over(Runnable r) {
        return "Runnable";
    }

    static String all() {
        return over(1) + over(2L) + over('c') + over("s") + over((Integer) 3) + over(() -> { }) + over();
    }
}
