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

/** The same, with limits of each process by itself: what it may allocate, and how many its user may have. */
const rlimitScript = `
ulimit -c 0
ulimit -d "$1" 2>/dev/null
[ -z "$2" ] || ulimit -p "$2" 2>/dev/null || ulimit -u "$2" 2>/dev/null
shift 2
exec "$@"
`

export type Bounds = {
  cgroups: readonly string[]
  limits: AllLimits
  /** Whether other processes of the same user count as well: a limit could be reached before anything began. */
  sharesUser: boolean
}

/**
 * A command that binds itself before it becomes the one given: by control groups if there are any, else by the limits
 * that a process can be given.
 */
export function limitedWords(words: readonly string[], { cgroups, limits, sharesUser }: Bounds): string[] {
  if (cgroups.length > 0) return ['/bin/sh', '-c', joinScript, 'farhand-limits', ...cgroups, '--', ...words]
  const dataKb = String(limits.memoryMb * 1024)
  const processes = sharesUser ? '' : String(limits.processes)
  return ['/bin/sh', '-c', rlimitScript, 'farhand-limits', dataKb, processes, ...words]
}
