import { readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isWithin } from '@farhand/sync/state/state-folder'
import type { AgentOffers } from '../agent-controls/agent-offers.ts'
import { slashCommandNames, slashCommandValues } from '../agent-controls/slash-commands.ts'
import { shownText } from '../printing/shown-text.ts'
import type { Names } from './tab-completion.ts'

/** The names that Tab can complete in a conversation; files only if a local folder has the run's files. */
export const completionNames = (offers: AgentOffers, workspace: string | null): Names => ({
  commands: () => slashCommandNames(offers),
  values: (command) => slashCommandValues(command, offers),
  files: (folder) => (workspace === null ? [] : filesIn(workspace, folder)),
})

const most = 1_000
const ours = new Set(['.git', '.farhand'])

/** The sorted names in a folder of the workspace; folders end with a slash. It never looks outside the workspace. */
export function filesIn(workspace: string, folder: string): string[] {
  try {
    const top = realpathSync(workspace)
    const place = realpathSync(path.join(top, folder))
    if (!isWithin(top, place)) return []
    return readdirSync(place, { withFileTypes: true })
      .filter(({ name }) => !ours.has(name) && shownText(name) === name && !/\s/.test(name))
      .slice(0, most)
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort()
  } catch {
    // The folder does not exist, or cannot be read.
    return []
  }
}
