// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Language features of Java 17 that Exits does not have. */
public class Modern {
    record Point(int x, int y) {
        Point {
            if (x % 10 == 9)
                throw new IllegalArgumentException("compact constructor");
        }

        Point(int both) {
            this(both, both);
        }

        int sum() {
            return x() + y();
        }
    }

    sealed interface Shape permits Disc, Box {
        default double size() {
            return area() + 1;
        }

        double area();
    }

    record Disc(double r) implements Shape {
        @Override
        public double area() {
            return r * r * 3;
        }
    }

    record Box(double a, double b) implements Shape {
        @Override
        public double area() {
            if (a > b)
                throw new IllegalStateException("box");
            return a * b;
        }
    }

    static int switchExpression(Shape s, int x) {
        int base = s instanceof Disc d && d.r() > 0 ? 1 : 2;
        return base + switch (x % 4) {
            case 0 -> 1;
            case 1 -> {
                int y = x + base;
                yield y;
            }
            case 2 -> throw new IllegalStateException("arm");
            default -> 4;
        };
    }

    static String concatenation(int x) {
        return "x=" + x + ";" + (x % 2 == 0 ? null : 'c');
    }

    static int resources(int x) throws Exception {
        try (AutoCloseable a = () -> { };
             AutoCloseable b = () -> {
                 if (x % 2 == 0)
                     throw new IllegalStateException("close");
             }) {
            return a.hashCode() == b.hashCode() ? 1 : 2;
        }
    }
}
