// SPDX-License-Identifier: BSD-2-Clause
package secret.inner;

/** In a package that its module does not export. */
public class Hidden {
    public static int work(int x) {
        return x + 1;
    }
}
