import type { Hub } from '@farhand/client/requests/hub'
import { findRun } from '@farhand/client/resources/resources'
import { patienceMs } from '../requests/patience-ms.ts'
import type { KnownRun, KnownRuns } from './known-runs.ts'

/**
 * The local record of a run, corrected to where the run works now: it may have been handed over from another machine,
 * or by a process that died before it recorded it.
 */
export async function currentPlacement(
  known: KnownRun,
  { hub, runs }: { hub: Hub; runs: KnownRuns },
  signal: AbortSignal,
): Promise<KnownRun> {
  const { sandbox } = await findRun(hub, known.at.run, { signal, patienceMs })
  const now = withPlacement(known, sandbox)
  if (now !== known) runs.save(now)
  return now
}

/** The record with this placement; unchanged if the run works on another device. */
export function withPlacement(known: KnownRun, sandbox: string | null): KnownRun {
  const { sandbox: before, ...rest } = known
  if (sandbox === 'none') return before !== undefined && known.cameFrom !== undefined ? rest : known
  return sandbox === null || before !== undefined ? known : { ...rest, sandbox }
}
