// SPDX-License-Identifier: BSD-2-Clause
// inner, nested, local and anonymous classes; constructors and initializers
package PACKAGE;

public abstract class Nest {
    protected int depth = NUMBER;
    static int made;
    private int secret;

    static {
        made = 1;
    }

    {
        depth++;
    }

    public Nest() {
        this(2);
    }

    protected Nest(int d) {
        depth += d;
    }

    public class Inner {
        int own = depth;

        public class Deep extends Inner {
            long all() {
                return own + Inner.this.own + Nest.this.depth;
            }
        }
    }

    public static class Leaf extends Nest {
        Leaf(String s) {
            super(s == null ? 0 : s.length());
        }

        int value() {
            return depth;
        }
    }

    abstract int value();

    public static Nest of(final int v) {
        final long w = v;
        return new Nest(v) {
            int value() {
                return (int) (w + depth);
            }
        };
    }

    public int touch(Nest other) {
        other.secret += secret++;
        return other.secret--;
    }
}
