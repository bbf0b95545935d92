// SPDX-License-Identifier: BSD-2-Clause
module secret {
    exports secret.api;
}
