import type { AllLimits } from './sandbox-host.ts'

/** Joins the control groups in its arguments up to `--`, and then executes the rest as a command. */
const joinScript = `
while [ "$1" != -- ]; do
  echo 0 >"$1/cgroup.procs" || exit 126
  shift
done
shift
ulimit -c 0
exec "$@"
`

/** Sets the memory limit of each process and, if given, the number of processes of the user, and then executes the command. */
const limitScript = `
ulimit -c 0
ulimit -d "$1" 2>/dev/null
[ -z "$2" ] || ulimit -p "$2" 2>/dev/null || ulimit -u "$2" 2>/dev/null
shift 2
exec "$@"
`

/** Wraps a command so that it and its children are in these control groups. */
export function joinGroups(cgroups: readonly string[], words: readonly string[]): string[] {
  return ['/bin/sh', '-c', joinScript, 'farhand-groups', ...cgroups, '--', ...words]
}

/**
 * Wraps a command so that each of its processes has its own limits, where no control groups are available. If other processes of the same
 * user count too (`sharesUser`), their number is not limited, as the limit could be reached before the start.
 */
export function limitEach(words: readonly string[], limits: AllLimits, sharesUser: boolean): string[] {
  const dataKb = String(limits.memoryMb * 1024)
  const processes = sharesUser ? '' : String(limits.processes)
  return ['/bin/sh', '-c', limitScript, 'farhand-limits', dataKb, processes, ...words]
}
