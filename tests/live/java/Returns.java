// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Returns DIR: calls four methods that the test gives one name. Then they differ only in what they return, as an
 * obfuscator makes them (ProGuard: -overloadaggressively).
 */
public class Returns {
    static int sum;

    static int qa(int n) {
        return sum += n;
    }

    static long qb(int n) {
        return sum -= n;
    }

    static void qc(int n) {
        sum ^= n;
    }

    static String[] qd(int n) {
        return new String[n % 3];
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        stage.awaitGo();
        for (int i = 0; i < 1000; i++) {
            qa(i);
            if (i % 2 == 0)
                qb(i);
            if (i % 4 == 0)
                qc(i);
            if (i % 5 == 0)
                qd(i);
        }
        stage.expect("live.Returns", "qa", "(I)J", "*", "*", 500, 0);
        stage.expect("live.Returns", "qa", "(I)[Ljava/lang/String;", "*", "*", 200, 0);
        stage.finish();
    }
}
