/** A process as Linux describes it in `/proc/<pid>/stat`. `since`, its start, tells apart two processes that had the same pid. */
export type ProcessStat = { pid: number; parent: number; group: number; session: number; since: string }

/** Parses that file; null if it is something else, or a zombie's, which may never be reaped. */
export function readProcessStat(stat: string): ProcessStat | null {
  // The name is in parentheses and may itself hold any character; then come state, parent, group and session.
  const end = stat.lastIndexOf(')')
  if (end < 0) return null
  const [state, parent, group, session, ...rest] = stat.slice(end + 2).split(' ')
  const since = rest[15]
  if (since === undefined || state === 'Z' || state === 'X') return null
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    since,
  }
}
