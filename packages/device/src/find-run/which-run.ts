import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'

export type RunFacts = {
  linked: RunId | null
  /** Other runs that have had their files in this folder. */
  ofFolder: readonly RunId[]
  /** The runs of the hub, newest first. */
  listed: readonly ListedRun[]
  /** The command ends something: in a folder that has had a run, it never means the run of another folder. */
  ends?: boolean
}

export type WhichRun =
  | { is: 'this'; run: RunId; why: 'folder' | 'only' }
  | { is: 'ask'; among: ListedRun[] }
  | { is: 'none'; closed: RunId | null }

/** Which run a command means that names none: the run of the folder, or the only open one. */
export function whichRun({ linked, ofFolder, listed, ends = false }: RunFacts): WhichRun {
  const open = listed.filter(({ now }) => now?.status !== 'closed')
  const ofThis = open.find(({ id }) => id === linked) ?? open.find(({ id }) => ofFolder.includes(id))
  if (ofThis) return { is: 'this', run: ofThis.id, why: 'folder' }
  const closed = linked ?? ofFolder[0] ?? null
  if (ends && closed !== null) return { is: 'this', run: closed, why: 'folder' }
  const [only] = open
  if (only && open.length === 1) return { is: 'this', run: only.id, why: 'only' }
  if (open.length > 1) return { is: 'ask', among: open }
  return { is: 'none', closed }
}
