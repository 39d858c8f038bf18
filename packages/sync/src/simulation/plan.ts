import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { entryOf, type File } from './contents.ts'

const beside = ['a', 'a/b', 'a/b/c', 'a/d', 'e', 'f/g'] as WorkspacePath[]
/** Nearly each of them in the way of nearly each other. */
const nested = ['a', 'a/b', 'a/b/c', 'a/b/d', 'a/b/c/d', 'a/d'] as WorkspacePath[]

/** What happens in a simulated world, and before which step. */
export type PlannedAction = { at: number; who: number } & (
  | { do: 'write'; path: WorkspacePath; file: File }
  | { do: 'remove'; path: WorkspacePath }
  | { do: 'rename'; path: WorkspacePath; to: WorkspacePath }
  | { do: 'crash' }
  | { do: 'stop' }
  | { do: 'forget' }
  | { do: 'replace'; with: 'same' | 'empty' | 'restored'; isLeftRunning: boolean }
  | { do: 'web'; path: WorkspacePath; file: File | null }
)

/** How a world begins and what happens in it; what is left to chance comes from the seed. */
export type Plan = {
  seed: number
  devices: 1 | 2
  base: [WorkspacePath, File][]
  /** What the folder of each device holds when it meets the run: what the run began with, nothing, or something else. */
  folders: ('base' | 'empty' | [WorkspacePath, File][])[]
  actions: PlannedAction[]
  /** How often a life ends in the middle of something. */
  deathRate: number
}

const names = ['laptop', 'desktop', 'runner']

/** A plan by chance. */
export function planBy(seed: number, roll: () => number): Plan {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(roll() * values.length)]!
  const paths = seed % 2 === 0 ? nested : beside
  const devices = roll() < 0.5 ? 1 : 2
  const words = new Map<string, number>()
  const fileBy = (name: string): File => {
    const count = (words.get(name) ?? 0) + 1
    words.set(name, count)
    // Now and then a content that another writer has written too, or that was there before.
    const word = roll() < 0.12 ? pick(['same', 'l1', 'r1']) : `${name[0]}${count}${roll() < 0.1 ? 'L' : ''}`
    return { word, mode: roll() < 0.1 ? '100755' : '100644' }
  }
  const someFiles = (name: string): [WorkspacePath, File][] =>
    roll() < 0.3
      ? []
      : (pick([['a', 'e'], ['a/b', 'a/d', 'e'], ['f/g'], ['a/b/c']]) as WorkspacePath[]).map((path) => [
          path,
          fileBy(name),
        ])
  const count = 2 + Math.floor(roll() * 14)
  const length = 20 + roll() * 250
  const crashes = roll() < 0.7
  const actions = Array.from({ length: count }, (): PlannedAction => {
    const at = Math.floor(roll() * length)
    const who = roll() < 0.4 ? 2 : Math.floor(roll() * devices)
    const file = fileBy(names[who]!)
    const path = pick(paths)
    const kind = roll()
    if (kind < 0.5) return { at, who, do: 'write', path, file }
    if (kind < 0.68) return { at, who, do: 'remove', path }
    if (kind < 0.78) return { at, who, do: 'rename', path, to: pick(paths) }
    if (kind < 0.83)
      return { at, who, do: 'web', path, file: roll() < 0.7 ? { ...file, word: `w${file.word}` } : null }
    if (!crashes) return { at, who, do: 'write', path, file }
    if (who === 2 && roll() < 0.5)
      return {
        at,
        who,
        do: 'replace',
        with: pick(['same', 'empty', 'restored']),
        isLeftRunning: roll() < 0.4,
      }
    if (who !== 2 && roll() < 0.2) return { at, who, do: 'forget' }
    return { at, who, do: roll() < 0.7 ? 'crash' : 'stop' }
  })
  actions.sort((a, b) => a.at - b.at)
  return {
    seed,
    devices,
    base: someFiles('base'),
    folders: Array.from({ length: devices }, (_, who) => {
      const kind = roll()
      return kind < 0.7 ? 'base' : kind < 0.85 ? 'empty' : someFiles(names[who]!)
    }),
    actions,
    deathRate: crashes && roll() < 0.5 ? 0.01 : 0,
  }
}

export const baseEntries = (plan: Plan): [WorkspacePath, FileEntry][] =>
  plan.base.map(([path, file]) => [path, entryOf(file)!])
