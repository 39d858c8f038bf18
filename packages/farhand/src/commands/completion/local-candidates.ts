import { localAgents } from '@farhand/device/installed-agents/local-agents'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import type { RunId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import type { Candidate, Known } from './completions.ts'

/** Names that this machine knows without asking a hub: the user is waiting at the Tab key. */
export function localCandidates(
  place: string,
  context: Pick<CommandContext, 'env' | 'platform' | 'cwd' | 'self'>,
): Known {
  const state = new StateFolder(place)
  const links = () => state.links()
  const runs = (): Candidate[] => {
    const here = new KnownRuns(place)
    const all = new Map<RunId, Candidate>()
    for (const { at, agent, workspace } of here.all())
      all.set(at.run, { word: at.run, says: [agent, workspace].filter((part) => part !== '').join(', ') })
    for (const { at, folder } of links())
      if (!all.has(at.run)) all.set(at.run, { word: at.run, says: folder })
    // Closed runs are offered only if there is no open one.
    const open = [...all].filter(([run]) => here.closedAt(run) === null)
    return (open.length > 0 ? open : [...all]).map(([, candidate]) => candidate)
  }
  const lists: Record<Parameters<Known>[0], () => Candidate[]> = {
    run: runs,
    agent: () => localAgents(place, context).map(({ entry }) => ({ word: entry.id, says: entry.name })),
    folder: () => links().map(({ folder, at }) => ({ word: folder, says: at.run })),
    hub: () =>
      [...new Set([...links().map(({ url }) => url), ...state.tokens.urls()])].map((word) => ({
        word,
        says: '',
      })),
  }
  return (kind) => lists[kind]()
}
