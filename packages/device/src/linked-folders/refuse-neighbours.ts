import { isWithin, type StateFolder } from '@farhand/sync/state/state-folder'
import { Trouble } from '../trouble/trouble.ts'
import { runInWords } from '../wording/run-in-words.ts'
import { folderHolder, holderAround } from './lock-folder.ts'

/** Refuses a folder inside or around another one that a process keeps in sync now: they would sync each other's files. */
export function refuseNeighbours(state: StateFolder, folder: string): void {
  for (const other of state.links()) {
    if (other.folder === folder) continue
    const inside = isWithin(other.folder, folder)
    if (!inside && !isWithin(folder, other.folder)) continue
    const pid = folderHolder(state, other.folder)
    if (pid === null) continue
    const how = inside ? 'lies in' : 'holds'
    throw neighbour(
      `${folder} ${how} ${other.folder}, which is linked to ${runInWords(other.at.run)} (process ${pid}).`,
    )
  }
  const around = holderAround(folder)
  if (around) throw neighbour(`${folder} lies in ${around.folder}, which is linked by process ${around.pid}.`)
}

const neighbour = (says: string) =>
  new Trouble('folderTaken', says, 'Stop that one first, or link a folder beside it.')
