/**
 * For `sh -c` in a separate mount namespace: mounts the sandbox's disk in the folder given first, and then executes the command, which
 * gets bubblewrap's arguments in file descriptor 4 and the filter in 5. The mounts vanish with the last process of the sandbox.
 */
export const enterScript = `
set -e
umask 022
folder=$1 kind=$2 megabytes=$3 owner=$4
shift 4
cd "$folder"
mkdir disk
if [ "$kind" = image ]; then
  # The disk is deleted with the sandbox: it needs no journal and no initialized blocks.
  truncate -s "\${megabytes}M" disk.image
  mkfs.ext4 -q -F -m 0 -O ^has_journal -E lazy_itable_init=1,nodiscard disk.image </dev/null
  mount -t ext4 -o loop,noinit_itable,nobarrier,nosuid,nodev disk.image disk </dev/null
  rmdir disk/lost+found
else
  # Limits the number of files, as an empty file takes memory too.
  mount -t tmpfs -o "size=\${megabytes}m,nr_inodes=$((megabytes * 64)),mode=755,nosuid,nodev" tmpfs disk </dev/null
fi
mkdir -m 700 disk/workspace disk/state disk/home disk/tmp
[ -z "$owner" ] || chown "$owner:$owner" disk/*
exec "$@" 4<bubblewrap.args 5<seccomp.filter
`
