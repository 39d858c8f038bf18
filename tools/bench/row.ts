import type { Children } from './children.ts'
import type { Installed, PeerName } from './peers/install.ts'

/** What a row is given. Its children and its folder are taken back when it ends, however it ends. */
export type Bench = {
  quick: boolean
  folder: string
  hubEntry: string
  children: Children
  installed: Installed
  say(text: string): void
}

/** One round's figures, by metric: `{ 'events/s': 8123 }`. */
export type Sample = Record<string, number>

/** Of those we compare ourselves with (`peer`) one may be missing; the hub and our floors may not. */
export type Contender = { name: string; peer?: true; measure(): Promise<Sample> }

/** Figures of one contender, one per round; or why there are none. */
export type Figures = { name: string; peer?: true; samples: Sample[]; missing?: string }

/** How the hub must compare with one other contender, or, without `over`, the largest value it may have. An aim may be missed. */
export type Goal = {
  text: string
  aim?: true
  metric: string
  hub: string
  over?: string
  /** What is looked at in the other's figures, where it is not the same metric. */
  overMetric?: string
  /** For what may never happen: the worst round counts instead of the middle. */
  worst?: true
  atLeast?: number
  atMost?: number
  unit?: string
}

export type Outcome = { figures: Figures[]; goals: Goal[]; notes: string[] }

export type Row = {
  name: string
  title: string
  peers: readonly PeerName[]
  /** Its folder is in memory: what it measures would otherwise be the mood of the disk. */
  inMemory?: true
  run(bench: Bench): Promise<Outcome>
}
