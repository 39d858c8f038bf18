import { Dice } from '@farhand/testkit/dice'
import { expect, it } from 'vitest'
import type { File } from './contents.ts'
import { type Plan, type PlannedAction, planBy } from './plan.ts'
import { play } from './world.ts'

const schedules = 30
const file = (word: string): File => ({ word, mode: '100644' })
const files = (all: Record<string, string>) =>
  Object.entries(all).map(([path, word]) => [path, file(word)] as [Plan['base'][0][0], File])

type Told = [at: number, who: 'laptop' | 'desktop' | 'runner' | 'web', path: string, word: string | null]

const action = ([at, who, path, word]: Told): PlannedAction => {
  const number = who === 'runner' ? 2 : who === 'desktop' ? 1 : 0
  const common = { at, who: number, path: path as Plan['base'][0][0] }
  if (who === 'web') return { ...common, do: 'web', file: word ? file(word) : null }
  return word ? { ...common, do: 'write', file: file(word) } : { ...common, do: 'remove' }
}

/** Plays a story in many orders of its steps. Each of these broke a claim in one of them, once. */
async function holds(told: (Told | PlannedAction)[], beginning: Partial<Plan> = {}): Promise<void> {
  for (let seed = 0; seed < schedules; seed += 1) {
    const dice = new Dice(seed)
    const plan: Plan = {
      seed,
      devices: 2,
      base: [],
      folders: ['base', 'base'],
      deathRate: 0,
      ...beginning,
      actions: told.map((one) => (Array.isArray(one) ? action(one) : one)),
    }
    const { broken, story } = await play(plan, () => dice.next())
    if (broken) expect.fail(`${broken}\n${story.join('\n')}`)
  }
}

it('S11 S13 an empty folder that meets a run takes its files and deletes none', () =>
  holds([], { base: files({ 'a/b/c': 'b1' }), folders: ['empty', 'base'] }))

it('S11 of two folders that meet a run, the one that is only behind is not a conflict', () =>
  holds([[2, 'desktop', 'a/b/c', 'd2']], {
    base: files({ 'a/d': 'b2', e: 'b3' }),
    folders: [files({ a: 'l1', e: 'l4' }), 'base'],
  }))

it('S3 a folder in the place of a file that another device has changed meanwhile gives way, and once', () =>
  holds([
    [12, 'runner', 'a/b', 'r1'],
    [24, 'laptop', 'a/b', 'l4'],
    [52, 'desktop', 'a/b/c', 'd4'],
  ]))

it('S3 a sandbox that puts a folder where a device has just changed the file gives way, and once', () =>
  holds(
    [
      [35, 'desktop', 'a/b', 'd1'],
      [38, 'runner', 'a/b/c', 'r4'],
    ],
    { base: files({ 'a/b': 'b1' }) },
  ))

it('S6 a file that becomes a folder in the moment it was written stays a folder', () =>
  holds([
    [5, 'web', 'a/b', 'w3'],
    [34, 'laptop', 'a/b/c', 'l2'],
  ]))

it('S6 an edit in the moment the file was written is an edit of what was written', () =>
  holds([
    [11, 'runner', 'a/b', 'r3'],
    [34, 'runner', 'e', 'l1'],
    [37, 'runner', 'a/d', 'r1'],
    [70, 'laptop', 'a/d', 'l2'],
  ]))

it('S6 a deletion in the moment the file was written is a deletion', () =>
  holds([
    [9, 'laptop', 'e', 'l2'],
    [17, 'runner', 'a', 'r1'],
    [25, 'laptop', 'a/b/c', 'l4'],
    [62, 'desktop', 'e', null],
  ]))

it('S2 a file and then a folder in its place arrive in this order, however fast they follow each other', () =>
  holds(
    [
      [0, 'runner', 'a/b/c', 'r2'],
      [4, 'runner', 'e', 'r1'],
      [11, 'laptop', 'a/b/c', 'l5'],
      [20, 'laptop', 'a', 'l7'],
      [26, 'runner', 'a/b/c', null],
      [43, 'laptop', 'a/b', 'l6'],
    ],
    { devices: 1, folders: ['base'] },
  ))

/** The laptop puts a file in the place of a folder, while others fill this folder. */
const fileForFolder = (filled: number, replaced: number): Told[] => [
  [0, 'laptop', 'a/b', 'l1'],
  [5, 'desktop', 'a/d', 'd1'],
  [filled, 'runner', 'a/b/c', 'r1'],
  [filled, 'runner', 'a/b/d', 'r2'],
  [filled, 'runner', 'a/b/e', 'r3'],
  [filled, 'runner', 'a/b/f', 'r4'],
  [replaced, 'laptop', 'a/d', null],
  [replaced + 1, 'laptop', 'a', 'l2'],
]

it('S13 what was never here is not missed, and so holds up no deletion', () => holds(fileForFolder(58, 77)))

it('S2 a file that waits to go out is not overtaken for ever by those that need a folder in its place', () =>
  holds(fileForFolder(71, 89)))

it('S2 a sandbox that was restored to what is deleted by now brings nothing back', () =>
  holds(
    [
      [10, 'runner', 'a/b/d', 'l1'],
      [13, 'laptop', 'a/b', 'l3L'],
      [28, 'laptop', 'a/b', null],
      { at: 46, who: 2, do: 'replace', with: 'restored', isLeftRunning: false },
    ],
    { devices: 1, folders: ['base'], base: files({ 'a/b/c': 'b1' }) },
  ))

it.each([
  [1186407951, 'S6 a folder that could not write a path hears when what was in its way has gone'],
  [2660478045, 'S2 a life that ends before it has caught up forgets nothing that an earlier one noted'],
  [4108272358, 'S13 a file in the place of a folder that is brought back gives way to it'],
  [3254402039, 'S2 a path that one author gave up is not taken from the next author'],
  [
    355552239,
    'S2 a file that gives way to the log is not settled before the scan has found what the disk holds',
  ],
])('in the world of %d: %s', async (seed) => {
  const dice = new Dice(seed)
  const { broken, story } = await play(
    planBy(seed, () => dice.next()),
    () => dice.next(),
  )
  if (broken) expect.fail(`${broken}\n${story.join('\n')}`)
})
