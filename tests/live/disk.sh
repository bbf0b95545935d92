# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034
#
# Disks: files whose pages are read from one, and one that fills up. For tests that have read lib.sh.

# Sets DISK to a directory where reading a page that is not cached is a major fault; false if everything is in memory.
disk_find() {
	local dir
	for dir in "$WORK" "$CACHE"; do # JVMs in root directories see both
		python3 - "$dir" <<-'END' && DISK=$(mktemp -d "$dir/disk.XXXXXX") && return
			import mmap, os, resource, sys, tempfile
			with tempfile.TemporaryFile(dir=sys.argv[1]) as file:
			    file.write(os.urandom(1 << 20))
			    file.flush()
			    os.fsync(file.fileno())
			    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
			    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
			    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pages:
			        sum(pages[i] for i in range(0, len(pages), 4096))
			    sys.exit(resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before)
		END
	done
	return 1
}

NO_DISK="the file systems are in memory: nothing is read from a disk"

# An empty disk of that size at $WORK/disk. Without one the case is skipped.
disk_mount() { # SIZE [SENTENCE]
	mkdir -p "$WORK/disk"
	! mountpoint -q "$WORK/disk" || umount "$WORK/disk"
	mount -t tmpfs -o "size=$1" tmpfs "$WORK/disk" && return
	skip "${2:-$SENTENCE}" "cannot mount a tmpfs"
	return 1
}
