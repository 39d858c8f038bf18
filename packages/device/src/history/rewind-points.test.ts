import {
  hub,
  type Line,
  laptop,
  runner,
  sampleHash,
  sampleLog,
  web,
} from '@farhand/protocol/events/sample-log'
import { describe, expect, it } from 'vitest'
import { RewindPoints } from './rewind-points.ts'

const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
const message = (content: string): Line => [web, '_posthog/user_message', { content }]
const ack = (id: number, into?: number): Line => [
  runner,
  '_posthog/ack',
  { for: 'user_message', id, ...(into && { into }) },
]
const done = (messageId: number): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn' },
]
const file = (by: typeof runner, path: string): Line => [
  by,
  by.kind === 'runner' ? '_posthog/file_change' : '_posthog/file_sync',
  { path, action: 'created', hash: sampleHash('a') },
]
const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]

function after(...lines: Line[]): RewindPoints {
  const points = new RewindPoints()
  for (const event of sampleLog(...lines)) points.take(event)
  return points
}

describe('the points of a run', () => {
  it('are right before the agent began with each message, however long that had waited', () => {
    const lines = [start, message('one'), message('two'), ack(2), file(runner, 'a'), done(2), ack(3), done(3)]
    expect(after(...lines, message('waits')).all()).toEqual([
      { to: 3, messageId: 2, at: expect.any(String), text: 'one', files: 1, isPart: true },
      { to: 6, messageId: 3, at: expect.any(String), text: 'two', files: 0, isPart: true },
    ])
  })

  it('count the files of the turn, each once, and not those that people changed meanwhile', () => {
    const turn = [file(runner, 'a'), file(laptop, 'mine'), file(runner, 'b'), file(runner, 'b')]
    expect(after(start, message('one'), ack(2), ...turn, done(2)).all()).toMatchObject([{ files: 2 }])
  })

  it('have one for a message that was begun twice, and none for what was said into a turn', () => {
    const points = after(start, message('one'), ack(2), message('and'), ack(4, 2), ack(2), done(2), done(4))
    expect(points.all()).toMatchObject([{ to: 2, messageId: 2 }])
  })

  it('W39 tell what a rewind has taken away, and what going back would change', () => {
    const turns = [message('one'), ack(2), done(2), message('two'), ack(5), done(5)]
    const points = after(start, ...turns, rewind(4), message('three'), ack(9), done(9))
    expect(points.all().map(({ text, isPart }) => [text, isPart])).toEqual([
      ['one', true],
      ['two', false],
      ['three', true],
    ])
    expect(points.differing(4)).toEqual({ forgotten: 1, known: 0 })
    expect(points.differing(7)).toEqual({ forgotten: 1, known: 1 })
    expect(points.differing(11)).toEqual({ forgotten: 0, known: 0 })
  })

  it('know what is under way', () => {
    expect(after(start, message('one'), ack(2)).openTurns).toEqual([2])
    expect(after(start, message('one'), ack(2), done(2)).openTurns).toEqual([])
  })
})
