// SPDX-License-Identifier: BSD-2-Clause
// an enum with bodies; switches over enums, strings, dense and sparse ints
package PACKAGE;

import java.util.function.IntBinaryOperator;

public enum Kind implements IntBinaryOperator {
    PLUS("+") {
        public int applyAsInt(int a, int b) {
            return a + b;
        }
    },
    TIMES("*") {
        public int applyAsInt(int a, int b) {
            return a * b;
        }
    },
    NONE("NUMBER") {
        public int applyAsInt(int a, int b) {
            return NUMBER;
        }
    };

    private final String sign;

    Kind(String sign) {
        this.sign = sign;
    }

    static Kind of(String s) {
        switch (s) {
        case "+":
        case "plus":
            return PLUS;
        case "*":
            return TIMES;
        case "Aa":
        case "BB":
            return NONE;
        default:
            return valueOf(s);
        }
    }

    String name(int n) {
        switch (n % 7) {
        case 0:
            return sign;
        case 1:
        case 2:
            n += NUMBER;
        case 3:
            return "n" + n;
        case 6:
            break;
        default:
            return "";
        }
        switch (this) {
        case PLUS:
            return "p";
        case TIMES:
            return "t";
        default:
            return sign + n;
        }
    }

    long far(long n) {
        switch ((int) n) {
        case -1000000:
            return 1;
        case 0:
            return 2;
        case 70000:
            return 3;
        case 2147483647:
            return 4;
        }
        return n;
    }
}
