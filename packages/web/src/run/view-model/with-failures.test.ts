import { describe, expect, it } from 'vitest'
import type { Item, MarkItem, NoticeItem } from '../../story/story.ts'
import { withFailures } from './with-failures.ts'

let id = 0
const begun = () => ({ id: ++id, at: '2026-01-01T00:00:00Z' })
const mark = (what: MarkItem['mark']): MarkItem => ({ ...begun(), kind: 'mark', mark: what })
const notice = (text: string, level: NoticeItem['level'] = 'error'): NoticeItem => ({
  ...begun(),
  kind: 'notice',
  level,
  text,
  cuts: [],
  until: null,
})
const phase = (state: 'done' | 'failed', error: string | null = null) =>
  mark({ is: 'phase', phase: 'restoring', state, ms: 1, error })
const said = 'git checkout failed: fatal: invalid reference: nope'
const reason = `Its sandbox failed 2 times in a row, at last because: its program ended with 1, and said: ${said}.`
const failed = () => mark({ is: 'status', status: 'failed', reason })

/** As a hub and its runners tell of a start that fails each time. */
const tries = (): Item[] =>
  [1, 2].flatMap(() => [
    phase('done'),
    phase('failed', said),
    notice(`The repository could not be cloned: ${said}`),
    notice(`The sandbox is gone: its program ended with 1, and said: ${said}.`, 'warn'),
  ])
const last = () => notice(`${reason} Fix this, then send a message to try again.`)

describe('a run that has failed', () => {
  it('shows the reason once, with all that led to it inside', () => {
    const steps = tries()
    const end = last()
    expect(withFailures([...steps, failed(), end])).toMatchObject([
      { kind: 'failure', reason, steps: [...steps, end] },
    ])
  })

  it('hides no other warning, and nothing of the agent’s earlier work', () => {
    const words = { ...begun(), kind: 'words', text: 'hi', cuts: [], isOpen: false, images: [] } as const
    const other = notice('memory in MB: 600 asked for, 128 given', 'warn')
    const earlier = phase('failed', 'no space left on device')
    const shown = withFailures([words, other, earlier, ...tries(), failed(), last(), notice('and another')])
    expect(shown.map(({ kind }) => kind)).toEqual(['words', 'notice', 'mark', 'failure', 'notice'])
    expect(shown[2]).toBe(earlier)
  })

  it('is the same object until something of it changes, and each failure is one of its own', () => {
    const items = [...tries(), failed(), last()]
    const again = [...items, ...tries(), failed()]
    expect(withFailures(items)[0]).toBe(withFailures(items)[0])
    expect(withFailures(again)[0]).toBe(withFailures(items)[0])
    expect(withFailures(again).map(({ kind }) => kind)).toEqual(['failure', 'failure'])
    const none = tries()
    expect(withFailures(none)).toBe(none)
  })
})
