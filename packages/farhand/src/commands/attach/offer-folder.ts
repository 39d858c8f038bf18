import { readdirSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import { findRun } from '@farhand/client/resources/resources'
import { isCloneOfRun } from '@farhand/device/base/clone-of-run'
import type { KnownRun } from '@farhand/device/known-runs/known-runs'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { askYesNo } from '../../terminal/choice/ask-key.ts'
import { folderToLink } from '../link/folder-to-link.ts'

/**
 * Asks whether to link the current folder to a run that has no folder on this machine. It only asks where the link
 * cannot overwrite anything: in an empty folder, or in an unchanged clone of the run's repository. Null if not.
 */
export async function offerFolder(
  { hub, at }: { hub: Hub; at: RunAddress },
  stateRoot: string,
  context: CommandContext,
): Promise<KnownRun | null> {
  if (!context.ask) return null
  const { sandbox, agent } = await findRun(hub, at.run, { signal: context.stop, patienceMs })
  if (sandbox === null || sandbox === 'none') return null
  const state = new StateFolder(stateRoot)
  const folder = await folderToLink('.', stateRoot, context).catch((error: unknown) => {
    // A folder that must not be linked is not offered.
    if (error instanceof Trouble) return null
    throw error
  })
  if (folder === null || state.around(folder) || folderHolder(state, folder) !== null) return null
  const isEmpty = readdirSync(folder).every((name) => name === '.farhand')
  if (!isEmpty && !(await isCloneOfRun(folder, { hub, at }, context.env, context.stop))) return null
  const what = isEmpty ? 'is empty' : 'is a clone of its repository'
  const question = `${folder} ${what}. Keep it in sync with ${runInWords(at.run)}? [y/N] `
  if (!(await askYesNo(question, context))) return null
  return { url: hub.url, token: hub.token ?? '', at, agent: agent ?? '', workspace: folder, sandbox }
}
