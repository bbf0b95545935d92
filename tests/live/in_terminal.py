#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""in_terminal.py COLUMNS LINES SCREEN STOP COMMAND...: run a command in a terminal of that size.

When the file STOP appears, it types the contents, or Ctrl-C if that is empty; TERM is sent as a signal. The final contents of the terminal, including lines that scrolled out, go
to the file SCREEN, all that was written to SCREEN.all, findings to standard output, one per line. The status is the command's.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

LIMIT = 600  # seconds


class Terminal:
    """The part of an xterm that is needed. Any other sequence is a finding."""

    def __init__(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.text, self.row, self.column, self.top = [''], 0, 0, 0
        self.wraps = True
        self.findings = []
        self.colours = False

    def newline(self):
        self.row += 1
        if self.row == len(self.text):
            self.text.append('')
        self.top = max(self.top, self.row - self.lines + 1)

    def put(self, character):
        if self.column == self.columns:
            if not self.wraps:
                self.findings.append('a line of the table is too long: %r' % self.text[self.row])
                self.column -= 1
            else:
                self.column = 0
                self.newline()
        line = self.text[self.row].ljust(self.column)
        self.text[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def control(self, sequence):
        kind, number = sequence[-1], sequence[2:-1]
        if sequence in ('\x1b[?7l', '\x1b[?7h'):
            self.wraps = kind == 'h'
        elif kind == 'A':
            if self.row - int(number) < self.top:
                self.findings.append('the cursor would go above the top by %d lines' % (self.top - self.row + int(number)))
            self.row = max(self.top, self.row - int(number))
        elif kind == 'J' and not number:
            del self.text[self.row + 1:]
            self.text[self.row] = self.text[self.row][:self.column]
        elif kind == 'm':
            self.colours = True
        elif kind == 'K' and not number:
            self.text[self.row] = self.text[self.row][:self.column]
        else:
            self.findings.append('unknown sequence %r' % sequence)

    def feed(self, text):
        for token in re.findall(r'\x1b\[[?0-9]*[A-Za-z]|.', text, re.S):
            if token == '\r':
                self.column = 0
            elif token == '\n':
                self.newline()
            elif len(token) > 1:
                self.control(token)
            elif token < ' ':
                self.findings.append('unknown character %r' % token)
            else:
                self.put(token)


def run(columns, lines, stop, command):
    pid, fd = pty.fork()
    if not pid:
        os.environ['TERM'] = 'xterm'
        os.execvp(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))
    before, data, end = termios.tcgetattr(fd), b'', time.monotonic() + LIMIT
    while True:
        if time.monotonic() > end:
            end = float('inf')
            print('it does not end')
            os.killpg(pid, signal.SIGKILL)
        if select.select([fd], [], [], 0.05)[0]:
            try:
                part = os.read(fd, 65536)
            except OSError:
                break
            if not part:
                break
            data += part
        elif stop and os.path.exists(stop):
            keys = open(stop, 'rb').read()
            if keys == b'TERM':
                os.kill(pid, signal.SIGTERM)
            else:
                os.write(fd, keys or b'\x03')
            stop = None
    terminal = Terminal(columns, lines)
    terminal.feed(data.decode().replace('^C', ''))
    if not terminal.wraps:
        terminal.findings.append('line wrapping is still switched off')
    try:
        if termios.tcgetattr(fd) != before:
            terminal.findings.append('the settings of the terminal have changed')
    except termios.error:
        pass
    if terminal.colours and os.environ.get('NO_COLOR'):
        terminal.findings.append('there are colours in spite of NO_COLOR')
    with open(sys.argv[3] + '.all', 'wb') as everything:
        everything.write(data)
    return terminal, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    terminal, status = run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[4], sys.argv[5:])
    with open(sys.argv[3], 'w') as screen:
        screen.write('\n'.join(line.rstrip() for line in terminal.text) + '\n')
    for finding in terminal.findings:
        print(finding)
    sys.exit(status)


main()
