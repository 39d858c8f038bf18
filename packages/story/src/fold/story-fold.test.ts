import {
  hub,
  type Line,
  laptop,
  runner,
  sampleLog,
  secondRunner,
  web,
} from '@farhand/protocol/events/sample-log'
import { methods } from '@farhand/protocol/methods/methods'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Item, Story } from '../items/story.ts'
import { keepNewest, takeChanged } from './changed-items.ts'
import { StoryFold } from './story-fold.ts'
import { itemsOf, outline, outlineOf, told, toldOf } from './story-under-test.ts'

const start: Line = [hub, '_posthog/session_start', { generation: 1 }]
const say = (content: string): Line => [web, '_posthog/user_message', { content }]
const ack = (id: number): Line => [runner, '_posthog/ack', { for: '_posthog/user_message', id }]
const chunk = (text: string): Line => [runner, 'agent_message_chunk', { text }]
const over = (messageId: number, stopReason = 'end_turn'): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason },
]

const lines: Line[] = [
  say('one'),
  say('two'),
  ack(1),
  ack(2),
  chunk('a'),
  [runner, 'agent_thought_chunk', { text: 'hm' }],
  [runner, 'tool_call', { toolCallId: 'c', title: 'Read', status: 'pending' }],
  [runner, 'tool_result', { toolCallId: 'c', status: 'completed' }],
  [runner, '_posthog/file_change', { path: 'a.txt', action: 'deleted' }],
  [runner, '_posthog/agent_question', { questionId: 'qst_question1', question: 'Which?' }],
  [web, '_posthog/user_response', { questionId: 'qst_question1', answer: 'this' }],
  [runner, '_posthog/question_closed', { questionId: 'qst_question1', how: 'answered' }],
  [web, '_posthog/rewind', { to: 1 }],
  [web, '_posthog/cancel'],
  over(1),
  over(2, 'cancelled'),
  [hub, '_posthog/session_start', { generation: 2 }],
  [web, '_posthog/shell', { command: 'ls', id: 's' }],
  [runner, '_posthog/sandbox_output', { id: 's', stdout: 'x', exitCode: 0 }],
  [runner, '_vendor/whatever', { of: 'tomorrow' }],
]
const someLog = fc.array(fc.constantFrom(...lines), { maxLength: 40 })

describe('a story', () => {
  it('is the same whether it was looked at after every event or only at the end', () => {
    fc.assert(
      fc.property(someLog, (chosen) => {
        const events = sampleLog(...chosen)
        const watched = new StoryFold()
        for (const event of events) {
          watched.take(event)
          void watched.story
        }
        expect(watched.story).toEqual(toldOf(events))
      }),
      { numRuns: 40 },
    )
  })

  it('never changes an item object, and replaces only those that an event is about', () => {
    fc.assert(
      fc.property(someLog, (chosen) => {
        const fold = new StoryFold()
        const seen = new Map<Item, string>()
        for (const event of sampleLog(...chosen)) {
          const before = new Set(fold.story.items)
          fold.take(event)
          const fresh = fold.story.items.filter((item) => !before.has(item))
          // The item of the event, the text that the agent was writing before it, and questions of an agent that ended.
          const questions = fresh.filter(({ kind }) => kind === 'question').length
          const isRewind = event.notification.method === '_posthog/rewind'
          if (!isRewind) expect(fresh.length - questions).toBeLessThanOrEqual(3)
          for (const item of fresh) seen.set(item, JSON.stringify(item))
        }
        for (const [item, was] of seen) expect(JSON.stringify(item)).toBe(was)
      }),
      { numRuns: 40 },
    )
  })

  it('has no two items of the same id', () => {
    fc.assert(
      fc.property(someLog, (chosen) => {
        const ids = told(...chosen).items.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { numRuns: 40 },
    )
  })

  it('ignores unknown methods, and every known one without params', () => {
    const empty = Object.keys(methods).map((method, index) => ({
      id: index + 1,
      type: 'notification' as const,
      timestamp: '2026-01-01T00:00:00.000Z',
      notification: { jsonrpc: '2.0' as const, method, params: { odd: [null] } },
      by: runner,
    }))
    const { items } = toldOf(empty)
    expect(items.filter(({ kind }) => kind !== 'mark')).toEqual([])
    expect(outline(told([runner, '_vendor/whatever', { text: 'x' }]))).toEqual([])
  })

  it('tells a reader of each event all items that it changed, as a comparison of all items would', () => {
    const noRewinds = fc.array(
      fc.constantFrom(...lines.filter(([, method]) => method !== '_posthog/rewind')),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(noRewinds, (chosen) => {
        const fold = new StoryFold()
        const known = new Map<number, Item>()
        for (const event of sampleLog(...chosen)) {
          fold.take(event)
          for (const item of takeChanged(fold)) known.set(item.id, item)
          for (const item of fold.story.items) expect(known.get(item.id)).toBe(item)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('does not tell a reader of each event what still comes of a part that a rewind removed', () => {
    const fold = new StoryFold()
    const texts = sampleLog(
      start,
      say('one'),
      ack(2),
      chunk('a'),
      [web, '_posthog/rewind', { to: 1 }],
      chunk('b'),
    ).map((event) => {
      fold.take(event)
      return takeChanged(fold).map(({ kind }) => kind)
    })
    expect(texts.slice(3)).toEqual([['words'], ['mark'], []])
  })

  it('can forget what is old for a reader that runs for days, but no message whose turn still ends', () => {
    const fold = new StoryFold()
    const calls = Array.from({ length: 9 }, (_, n): Line => [runner, 'tool_call', { toolCallId: `c${n}` }])
    for (const event of sampleLog(start, say('one'), ack(2), ...calls, over(2))) {
      fold.take(event)
      keepNewest(fold, 3)
    }
    const kept = fold.story.items.filter(({ id }) => id > 0).map(({ kind }) => kind)
    expect(kept).toEqual(['message', 'tool', 'tool', 'turn-end'])
  })

  it('is the same object as long as nothing was taken', () => {
    const fold = new StoryFold()
    for (const event of sampleLog(say('one'))) fold.take(event)
    expect(fold.story).toBe(fold.story)
  })
})

describe('a rewind (W39)', () => {
  const turn: Line[] = [start, say('one'), ack(2), chunk('first'), over(2)]

  it('takes the conversation after its event out of the story, and what happened to files with it', () => {
    const after = told(
      ...turn,
      say('two'),
      ack(6),
      chunk('second'),
      [runner, '_posthog/file_change', { path: 'a.txt', action: 'deleted' }],
      over(6),
      [web, '_posthog/rewind', { to: 5 }],
    )
    expect(outline(after)).toEqual(['over: one', 'words: first', 'turn-end', 'mark: rewind'])
  })

  describe('leaves files and checkpoints where they are', () => {
    const file = (by: typeof web, path: string, more: object = {}): Line => [
      by,
      by === runner ? '_posthog/file_change' : '_posthog/file_sync',
      { files: [{ path, action: 'deleted' }], ...more },
    ]
    const checkpoint = (number: number, upTo: number): Line => [
      runner,
      '_posthog/git_commit',
      { kind: 'checkpoint', sha: 'a'.repeat(40), number, upTo },
    ]
    const commit: Line = [runner, '_posthog/git_commit', { sha: 'b'.repeat(40) }]
    const putBack = file(web, 'b.txt', { undoes: { from: 6, to: 14, everyone: true } })
    const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]
    const log: Line[] = [
      ...turn,
      checkpoint(1, 5),
      file(laptop, 'a.txt'),
      say('two'),
      ack(8),
      file(runner, 'b.txt'),
      commit,
      over(8),
      checkpoint(2, 12),
      file(web, 'c.txt'),
    ]
    const namesOf = (items: readonly Item[]): string[] =>
      items.flatMap((item) => {
        if (item.kind === 'files') return [item.files.map(({ path }) => path).join()]
        const mark = item.kind === 'mark' ? item.mark : null
        if (mark?.is === 'checkpoint') return [`checkpoint ${mark.number}`]
        return mark?.is === 'commit' ? ['commit'] : []
      })
    const takenOf = (told: Story) =>
      itemsOf(told, 'mark').flatMap(({ mark }) => (mark.is === 'rewind' ? [namesOf(mark.taken)] : []))

    it('and they go with what was said then, and with the files that were put back', () => {
      expect(namesOf(told(...log).items)).toHaveLength(6)
      const after = told(...log, putBack, rewind(5), file(web, 'd.txt'))
      expect(namesOf(after.items)).toEqual(['checkpoint 1', 'd.txt'])
      expect(takenOf(after)).toEqual([['a.txt', 'b.txt', 'commit', 'checkpoint 2', 'c.txt', 'b.txt']])
      // To go there undoes it: neither the conversation nor the files were put back yet.
      expect(itemsOf(after, 'mark').at(-1)?.mark).toMatchObject({ is: 'rewind', before: 14 })
    })

    it('and they are back with it, with items that are the same as long as that is', () => {
      const fold = new StoryFold()
      const all = sampleLog(...log, putBack, rewind(5), say('three'), rewind(14))
      for (const event of all.slice(0, -2)) fold.take(event)
      const { items } = fold.story
      fold.take(all.at(-2)!)
      for (const [nth, item] of items.entries()) expect(fold.story.items[nth]).toBe(item)
      fold.take(all.at(-1)!)
      expect(namesOf(fold.story.items).slice(0, 6)).toEqual([
        'checkpoint 1',
        'a.txt',
        'b.txt',
        'commit',
        'checkpoint 2',
        'c.txt',
      ])
    })
  })

  it('is undone by one to the event before it', () => {
    const after = told(
      ...turn,
      say('two'),
      ack(6),
      over(6),
      [web, '_posthog/rewind', { to: 5 }],
      [web, '_posthog/rewind', { to: 8 }],
    )
    expect(outline(after)).toContain('over: two')
  })

  const marksOf = (...lines: Line[]) =>
    itemsOf(told(...lines), 'mark').flatMap(({ mark }) =>
      mark.is === 'rewind' ? [{ where: mark.where, taken: outlineOf(mark.taken) }] : [],
    )

  it('takes away a message that had come long before, but was begun after its event', () => {
    const queued: Line[] = [start, say('one'), [hub, '_posthog/status', { status: 'active' }]]
    const after = [...queued, ack(2), chunk('first'), over(2), [web, '_posthog/rewind', { to: 3 }] as Line]
    expect(outline(told(...after))).toEqual(['mark: rewind'])
    expect(marksOf(...after)).toEqual([
      { where: { is: 'before', said: 'one' }, taken: ['over: one', 'words: first', 'turn-end'] },
    ])
  })

  it('says where it went, and has what it took away until another one brings that back', () => {
    const more: Line[] = [...turn, say('two'), ack(6), chunk('second'), over(6)]
    const back: Line[] = [...more, [web, '_posthog/rewind', { to: 6 }]]
    const taken = ['over: two', 'words: second', 'turn-end']
    expect(marksOf(...back)).toEqual([{ where: { is: 'before', said: 'two' }, taken }])
    const undone = marksOf(...back, [web, '_posthog/rewind', { to: 9 }])
    expect(undone).toEqual([
      { where: { is: 'before', said: 'two' }, taken: [] },
      { where: { is: 'undone' }, taken: [] },
    ])
    const another: Line[] = [...back, say('three'), ack(11), over(11)]
    expect(marksOf(...another, [web, '_posthog/rewind', { to: 9 }])).toEqual([
      { where: { is: 'before', said: 'two' }, taken: [] },
      { where: { is: 'forward', said: 'two' }, taken: ['over: three', 'turn-end'] },
    ])
  })

  it('goes to a checkpoint, into a turn or to the beginning', () => {
    const checkpoint: Line = [
      runner,
      '_posthog/git_commit',
      { kind: 'checkpoint', sha: 'a'.repeat(40), number: 3, upTo: 4 },
    ]
    const log: Line[] = [start, say('one'), ack(2), chunk('a'), checkpoint, over(2)]
    const whereOf = (to: number, ...lines: Line[]) =>
      marksOf(...lines, [web, '_posthog/rewind', { to }]).map(({ where }) => where)
    expect(whereOf(4, ...log)).toEqual([{ is: 'checkpoint', number: 3 }])
    expect(whereOf(5, ...log)).toEqual([{ is: 'turn', said: 'one' }])
    expect(whereOf(1, start, [web, '_posthog/pause'])).toEqual([{ is: 'beginning' }])
  })

  it('leaves out what the turn that it ended still says', () => {
    const after = told(
      ...turn,
      say('two'),
      ack(6),
      chunk('sec'),
      [web, '_posthog/rewind', { to: 5 }],
      chunk('ond'),
      over(6, 'cancelled'),
      say('three'),
    )
    expect(outline(after)).toEqual([
      'over: one',
      'words: first',
      'turn-end',
      'mark: rewind',
      'waiting: three',
    ])
  })

  it('keeps a message that waited, and shows it once it is taken on', () => {
    const waited: Line[] = [...turn, say('later'), [web, '_posthog/rewind', { to: 5 }]]
    expect(outline(told(...waited))).toContain('waiting: later')
    expect(outline(told(...waited, ack(6), chunk('yes')))).toEqual([
      'over: one',
      'words: first',
      'turn-end',
      'mark: rewind',
      'taken: later',
      'words: yes',
    ])
  })
})

describe('a fork (W39)', () => {
  it('begins idle: what was open or waiting in the other run is over here', () => {
    const after = told(
      start,
      say('one'),
      ack(2),
      [runner, '_posthog/agent_question', { questionId: 'qst_question1', question: 'Which?' }],
      say('two'),
      [web, '_posthog/shell', { command: 'sleep 9', id: 's' }],
      [hub, '_posthog/forked', { run: 'run_theOther1', event: 6 }],
    )
    expect(after.queue).toEqual([])
    expect(after.items.find(({ kind }) => kind === 'question')).toMatchObject({ state: 'gone' })
    expect(after.items.find(({ kind }) => kind === 'shell')).toMatchObject({ isOver: true })
    expect(outline(after).at(-1)).toBe('mark: forked')
  })
})

describe('the whole of a run', () => {
  it('reads in the order in which things happened', () => {
    const after = told(
      [laptop, '_posthog/device_start', { name: 'desk' }],
      [laptop, '_posthog/file_sync', { path: 'a.txt', action: 'deleted' }],
      say('go'),
      [hub, '_posthog/status', { status: 'provisioning' }],
      [hub, '_posthog/phase_start', { phase: 'provisioning' }],
      [hub, '_posthog/phase_complete', { phase: 'provisioning', ms: 12, ok: true }],
      start,
      [runner, '_posthog/agent_start', { agent: 'rehearsal', sessionId: 'x', how: 'new' }],
      ack(3),
      chunk('I will.'),
      over(3),
      [secondRunner, '_posthog/git_commit', { sha: 'abcdef', kind: 'checkpoint', number: 1, upTo: 11 }],
      [secondRunner, '_posthog/session_checkpoint', { checkpointId: 'abcdef' }],
      [hub, '_posthog/status', { status: 'asleep' }],
      [hub, '_posthog/session_close', {}],
    )
    expect(outline(after)).toEqual([
      'mark: device',
      'files',
      'mark: phase',
      'mark: agent',
      'over: go',
      'words: I will.',
      'turn-end',
      'mark: checkpoint',
      'mark: status',
      'mark: closed',
    ])
  })
})
