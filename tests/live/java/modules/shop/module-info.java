// SPDX-License-Identifier: BSD-2-Clause
module shop {
    requires java.logging;
    requires jdk.jfr;
    exports shop.api;
    exports shop.friend to java.logging;
}
