import { describe, expect, it } from 'vitest'
import { at, file } from '../hub/run-under-test.ts'
import { planRevert, type RecordedChange, sinceEvent, stepsOf, stepToUndo } from './step-to-undo.ts'

const ada = { kind: 'device', id: 'dev_ada' } as const
const agent = { kind: 'runner', generation: 1 } as const
const web = { kind: 'web', id: 'usr_ada' } as const
const entry = (text: string | null) => (text === null ? null : file(text))

type Change = [path: string, before: string | null, after: string | null]
const change = (
  eventId: number,
  atMs: number,
  by: RecordedChange['by'],
  changes: Change[],
  more: Partial<RecordedChange> = {},
): RecordedChange => ({
  eventId,
  atMs,
  by,
  turn: null,
  undoes: null,
  turned: changes.map(([path, before, after]) => ({
    path: at(path),
    before: entry(before),
    after: entry(after),
  })),
  ...more,
})
const ranges = (changes: RecordedChange[]) => stepsOf(changes).map(({ from, to }) => [from, to])

describe('a step', () => {
  it('is what one author did without a pause of more than two seconds, even if others wrote in between', () => {
    const changes = [
      change(1, 0, ada, [['a', null, '1']]),
      change(2, 1000, agent, [['b', null, '1']]),
      change(3, 2000, ada, [['c', null, '1']]),
      change(4, 4001, ada, [['d', null, '1']]),
    ]
    expect(ranges(changes)).toEqual([
      [1, 3],
      [2, 2],
      [4, 4],
    ])
  })

  it('is the whole turn of an agent, however long it thinks', () => {
    const changes = [
      change(1, 0, agent, [['a', null, '1']], { turn: 7 }),
      change(2, 60_000, agent, [['b', null, '1']], { turn: 7 }),
      change(3, 60_001, agent, [['c', null, '1']], { turn: 8 }),
      change(4, 60_002, agent, [['d', null, '1']]),
    ]
    expect(ranges(changes)).toEqual([
      [1, 2],
      [3, 3],
      [4, 4],
    ])
  })

  it('of a person does not go on across the turn of an agent, however soon: what came first may be all files', () => {
    const changes = [
      change(1, 0, ada, [['a', null, '1']]),
      change(2, 500, agent, [['b', null, '1']], { turn: 7 }),
      change(3, 1000, ada, [['a', '1', '2']]),
      change(4, 1100, agent, [['c', null, '1']], { turn: 7 }),
      change(5, 1200, ada, [['a', '2', '3']]),
    ]
    expect(ranges(changes)).toEqual([
      [1, 1],
      [2, 4],
      [3, 5],
    ])
  })

  it('goes back to the entries before it, also of a file that another author wrote in between', () => {
    const changes = [
      change(1, 0, agent, [
        ['a', 'first', '1'],
        ['b', 'first', '1'],
      ]),
      change(2, 1, ada, [['b', '1', 'mine']]),
      change(3, 2, agent, [
        ['a', '1', '2'],
        ['b', 'mine', '2'],
      ]),
    ]
    const step = stepsOf(changes).find(({ from }) => from === 1)
    expect(step?.turned).toEqual([
      { path: 'a', before: entry('first'), after: entry('2') },
      { path: 'b', before: entry('mine'), after: entry('2') },
    ])
  })
})

describe('undoing', () => {
  const one = change(1, 0, ada, [['a', null, '1']])
  const two = change(2, 5000, ada, [['a', '1', '2']])
  const undoTwo = change(3, 5500, web, [['a', '2', '1']], { undoes: { from: 2, to: 2 } })

  it('goes further back the second time, and ends when nothing is left', () => {
    expect(stepToUndo([one, two])?.from).toBe(2)
    expect(stepToUndo([one, two, undoTwo])?.from).toBe(1)
    const undoOne = change(4, 5600, web, [['a', '1', null]], { undoes: { from: 1, to: 1 } })
    expect(stepToUndo([one, two, undoTwo, undoOne])).toBeNull()
  })

  it('does not take what was written after an undo for a part of what was undone', () => {
    const soon = change(4, 5600, ada, [['b', null, '1']])
    expect(stepToUndo([one, two, undoTwo, soon])).toMatchObject({ from: 4, to: 4 })
    expect(ranges([one, two, undoTwo, soon])).toEqual([
      [1, 1],
      [4, 4],
    ])
  })

  it('leaves the steps of others in the same range alone', () => {
    const other = change(2, 100, agent, [['b', null, '1']])
    const more = change(3, 200, ada, [['c', null, '1']])
    const back = change(4, 300, web, [['a', '1', null]], { undoes: { from: 1, to: 3 } })
    expect(ranges([one, other, more, back])).toEqual([[2, 2]])
  })

  it('is undone itself by going back to before it: then the step counts again', () => {
    const again = change(4, 9000, web, [['a', '1', '2']], { undoes: { from: 3, to: 3, everyone: true } })
    expect(ranges([one, two, undoTwo, again])).toEqual([
      [1, 1],
      [2, 2],
    ])
    const allBack = change(4, 9000, web, [['a', '1', null]], { undoes: { from: 1, to: 3, everyone: true } })
    expect(ranges([one, two, undoTwo, allBack])).toEqual([])
  })

  it('knows what everything was after an event', () => {
    expect(sinceEvent([one, two], 1)).toEqual([{ path: 'a', before: entry('1'), after: entry('2') }])
    expect(sinceEvent([one, two], 0)).toEqual([{ path: 'a', before: null, after: entry('2') }])
    expect(sinceEvent([one, two, undoTwo], 1)).toEqual([])
  })
})

describe('the way back', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(at) as [never, never, never, never]
  it('leaves alone a file that is another by now, and one with an unknown past', () => {
    const turned = [
      { path: a, before: entry('1'), after: entry('2') },
      { path: b, before: entry('1'), after: entry('2') },
      { path: c, before: entry('1'), after: entry('2') },
      { path: d, before: undefined, after: entry('2') },
    ]
    const now = new Map([
      [a, '2'],
      [b, '3'],
      [c, '1'],
      [d, '2'],
    ])
    expect(planRevert(turned, (path) => entry(now.get(path as never)!))).toEqual({
      back: [turned[0]],
      leftAlone: [
        { path: 'b', why: 'changed-since' },
        { path: 'd', why: 'unknown-before' },
      ],
    })
  })
})
