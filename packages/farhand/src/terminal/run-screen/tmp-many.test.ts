import { type Line, runner, sampleHash, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { takeChanged, takeFresh } from '@farhand/story/fold/changed-items'
import { StoryFold } from '@farhand/story/fold/story-fold'
import type { Item } from '@farhand/story/items/story'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { itemInPieces } from './item-in-pieces.ts'
import type { Piece } from './piece.ts'

const where = { isFar: true, isBeginning: false }
const hash = sampleHash('a long text')
const cut = { text: 'a lo', whole: { text: { _blob: hash, size: 11, head: 'a lo' } }, blobs: [hash] }
const image = { text: '', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } }

const change = fc.record({
  path: fc.constantFrom('a', 'b', 'c', 'd'),
  change: fc.constantFrom(
    { action: 'deleted' },
    ...['created', 'modified'].flatMap((action) =>
      ['x', 'y'].map((name) => ({ action, hash: sampleHash(name), size: 1 })),
    ),
  ),
})
const chunk = fc.tuple(
  fc.constantFrom('agent_message_chunk', 'agent_thought_chunk'),
  fc.constantFrom({ text: 'one ' }, { text: 'two' }, cut, image),
)
const line = fc.oneof(
  {
    weight: 8,
    arbitrary: change.map(({ path, change }): Line => [runner, '_posthog/file_change', { path, ...change }]),
  },
  { weight: 4, arbitrary: chunk.map(([method, params]): Line => [runner, method, params]) },
  { weight: 1, arbitrary: fc.constant<Line>([runner, 'tool_call', { toolCallId: 't', title: 'x' }]) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 9 }).map((to): Line => [web, '_posthog/rewind', { to }]),
  },
)

it('what is printed of what was added is what a comparison with the whole item before finds', () => {
  fc.assert(fc.property(fc.array(fc.tuple(line, fc.boolean()), { maxLength: 40 }), printsTheSame), {
    numRuns: 400000,
  })
})

it('a file that was rewound before it was printed is not printed when that rewind is undone', () => {
  const file = (said: object): Line => [runner, '_posthog/file_change', { path: 'a', ...said }]
  const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]
  printsTheSame([
    [[runner, 'agent_message_chunk', { text: 'one ' }], false],
    [file({ action: 'deleted' }), true],
    [file({ action: 'created', hash: sampleHash('y'), size: 1 }), false],
    [rewind(1), true],
    [rewind(2), false],
    [file({ action: 'deleted' }), false],
    [[runner, 'agent_message_chunk', { text: 'one ' }], true],
  ])
})

/** Each line with whether the reader reads after it. */
function printsTheSame(steps: [Line, boolean][]): void {
  const [one, other] = [new StoryFold(), new StoryFold()]
  const [readOfOne, readOfOther] = [new Map<number, Item>(), new Map<number, Item>()]
  sampleLog(...steps.map(([line]) => line)).forEach((event, nth) => {
    one.take(event)
    other.take(event)
    const isRead = steps[nth]![1]
    if (!isRead) return
    const whole = takeChanged(other).map((item) => ({ item, fresh: null }))
    expect(pieces(takeFresh(one), readOfOne)).toEqual(pieces(whole, readOfOther))
  })
}

function pieces(taken: ReturnType<typeof takeFresh>, read: Map<number, Item>): Piece[] {
  return taken.flatMap(({ item, fresh }) => {
    const before = read.get(item.id) ?? null
    read.set(item.id, item)
    return itemInPieces(item, before, where, fresh)
  })
}
