import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RunId } from '@farhand/protocol/wire/ids'
import { forksUnderWay } from './store/forks.ts'
import { allRunIds } from './store/runs.ts'
import type { Db } from './store/tables.ts'

/**
 * The logs in a folder whose runs the tables do not know. This happens only when the tables were restored from a backup older
 * than the logs, or belong to another data folder.
 */
export async function unknownLogs(db: Db, folder: string): Promise<RunId[]> {
  // The folder first: a run that starts meanwhile gets its row before its log.
  const logs = await logsIn(folder)
  const known = new Set<string>([...(await forksUnderWay(db)), ...(await allRunIds(db))])
  return logs.filter((run) => !known.has(run))
}

/** The runs that have a log in this folder that is not empty. */
export async function logsIn(folder: string): Promise<RunId[]> {
  const runs: RunId[] = []
  for (const name of await readdir(folder).catch(noneIfMissing)) {
    const run = name.endsWith('.jsonl') ? RunId.safeParse(name.slice(0, -'.jsonl'.length)).data : undefined
    if (run && ((await stat(join(folder, name)).catch(() => null))?.size ?? 0) > 0) runs.push(run)
  }
  return runs
}

export function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
