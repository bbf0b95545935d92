// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Namesake DIR CALLS: Late by a name that is recorded in the background by one test only, so that it is found by name. */
public class Namesake {
    public static void main(String[] args) {
        Late.main(args);
    }
}
