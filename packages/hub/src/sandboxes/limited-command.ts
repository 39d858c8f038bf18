import type { AllLimits } from './sandbox-host.ts'

/** Joins the groups after it in its arguments, up to `--`, and becomes what comes then. */
const joinScript = `
while [ "$1" != -- ]; do
  echo 0 >"$1/cgroup.procs" || exit 126
  shift
done
shift
ulimit -c 0
exec "$@"
`

/** What a process may allocate, and how many its user may have, if that is said. */
const limitScript = `
ulimit -c 0
ulimit -d "$1" 2>/dev/null
[ -z "$2" ] || ulimit -p "$2" 2>/dev/null || ulimit -u "$2" 2>/dev/null
shift 2
exec "$@"
`

/** A command that is in these groups, with all it starts. */
export function joinGroups(cgroups: readonly string[], words: readonly string[]): string[] {
  return ['/bin/sh', '-c', joinScript, 'farhand-groups', ...cgroups, '--', ...words]
}

/**
 * A command each of whose processes is limited by itself: the second best where there are no groups. How many there are
 * is left alone where others of the same user count too: that limit could be reached before anything began.
 */
export function limitEach(words: readonly string[], limits: AllLimits, sharesUser: boolean): string[] {
  const dataKb = String(limits.memoryMb * 1024)
  const processes = sharesUser ? '' : String(limits.processes)
  return ['/bin/sh', '-c', limitScript, 'farhand-limits', dataKb, processes, ...words]
}
