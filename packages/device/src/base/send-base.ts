import { mkdirSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { GitEnv } from '../git/run-git.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'
import { BaseFailed } from './base-failed.ts'
import { LastBase } from './last-base.ts'
import { type Base, makeBase } from './make-base.ts'
import { postBase } from './post-base.ts'

export type SentBase = { sha: string; branch: string | null; bytes: number; sent: number }

type Sending = {
  hub: Hub
  /** The folder with what this machine remembers of the workspace. */
  place: string
  env: GitEnv
  signal: AbortSignal
  /** The device as which the folder is linked. */
  device: Promise<string>
  /** Resolves when the hub has the files. */
  inStep: Promise<unknown>
  onWarning: (warning: string) => void
  onMade: () => void
  onStored: () => void
  onSent: (sent: SentBase, warnings: readonly string[]) => void
}

/** Sends the git repository of a workspace to the hub as the base of its run; Trouble if that is not possible. */
export async function sendBase(
  { at, workspace }: { at: RunAddress; workspace: string },
  { hub, place, env, signal, device, inStep, onWarning, onMade, onStored, onSent }: Sending,
): Promise<void> {
  await withBase(workspace, { place, env, signal, onWarning }, async (base, warnings) => {
    onMade()
    const deviceId = await device
    const options = { signal, patienceMs, filesAreThere: inStep, last: new LastBase(place), onStored }
    const { bytes, sent } = await postBase({ ...hub, deviceId }, at, base, options)
    onSent({ sha: base.sha, branch: base.branch, bytes, sent }, warnings)
  })
}

type Making = Pick<Sending, 'place' | 'env' | 'signal' | 'onWarning'>

/** Makes the base of a workspace, if it has a repository, and removes it after `act`; Trouble if it cannot be made or sent. */
export async function withBase(
  workspace: string,
  { place, env, signal, onWarning }: Making,
  act: (base: Base, warnings: readonly string[]) => Promise<void>,
): Promise<void> {
  mkdirSync(place, { recursive: true, mode: 0o700 })
  try {
    const { base, warnings } = await makeBase(workspace, { env, scratch: place, signal })
    warnings.forEach(onWarning)
    if (!base) return
    try {
      await act(base, warnings)
    } finally {
      await base.remove()
    }
  } catch (error) {
    if (error instanceof BaseFailed) throw new Trouble('failed', error.message, error.nextStep, error)
    throw error
  }
}
