import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { Item, ToolItem } from '../../story/story.ts'
import type { ShownItem } from '../view-model/shown-items.ts'
import { ItemView } from './item-view.tsx'

const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3))'
const by: SeenAuthor = { kind: 'other', said: evil, id: evil }
const begun = { id: 1, at: '2026-01-01T00:00:00Z' }
const url = 'javascript:alert(4)//<b>'

const cuts = [{ from: 0, to: evil.length, hash: evil, size: 300_000 }]

const question = {
  ...begun,
  kind: 'question',
  text: evil,
  cuts,
  asked: {
    questionId: 'qst_question1',
    question: evil,
    kind: 'permission',
    options: [{ optionId: evil, name: evil, kind: 'allow_once' }],
    url,
    default: evil,
    timeout: null,
    toolCallId: null,
    replaces: null,
    form: null,
    isPlan: false,
    eventId: 1,
    askedAt: begun.at,
    generation: 1,
    given: null,
  },
  state: 'open',
  answer: null,
  answeredBy: null,
  why: null,
} as unknown as Extract<Item, { kind: 'question' }>

const tool: ToolItem = {
  ...begun,
  kind: 'tool',
  call: evil,
  title: evil,
  what: evil,
  status: 'failed',
  content: [
    { is: 'text', text: evil },
    { is: 'diff', path: evil, before: evil, after: `${evil}\n${evil}` },
    { is: 'image', image: { mimeType: `text/html${evil}`, data: evil } },
    { is: 'link', name: evil, uri: url },
    { is: 'blob', head: evil, hash: evil, size: 1, isJson: false },
  ],
  places: [{ path: evil, line: null }],
  command: evil,
  exitCode: 1,
  waitedMs: 0,
  waitsSince: null,
  workspace: null,
  input: { [evil]: evil },
  output: { [evil]: evil },
  endedAt: begun.at,
  question,
}

const items: readonly ShownItem[] = [
  {
    ...begun,
    kind: 'message',
    by,
    text: evil,
    attachments: [{ hash: evil as never, name: evil, mimeType: evil }],
    state: 'waiting',
    isSteering: true,
  },
  {
    ...begun,
    kind: 'words',
    text: evil,
    cuts,
    isOpen: false,
    images: [{ mimeType: 'image/png', data: evil }],
  },
  { ...begun, kind: 'thought', text: evil, cuts, isOpen: true, endedAt: begun.at },
  tool,
  { ...tool, what: 'fetch', content: [], command: null },
  {
    ...begun,
    kind: 'plan',
    steps: [{ text: evil, status: 'in_progress', priority: evil }],
    changedAt: begun.at,
  },
  question,
  { ...question, state: 'answered', answer: evil, answeredBy: evil, why: evil },
  {
    ...begun,
    kind: 'shell',
    call: evil,
    by,
    command: evil,
    output: [{ text: evil, cuts, isError: true }],
    exitCode: 1,
    isOver: true,
  },
  {
    ...begun,
    kind: 'files',
    by,
    files: [
      { path: evil, action: 'created' },
      { path: evil, action: 'renamed', from: evil },
    ],
  },
  { ...begun, kind: 'mark', mark: { is: 'pull-request', url, branch: evil, isOpened: true } },
  {
    ...begun,
    kind: 'mark',
    mark: { is: 'commit', sha: evil, branch: evil, message: evil },
  },
  { ...begun, kind: 'mark', mark: { is: 'status', status: evil, reason: evil } },
  {
    ...begun,
    kind: 'mark',
    mark: { is: 'phase', phase: 'constructor', state: 'failed', ms: 1, error: evil },
  },
  { ...begun, kind: 'mark', mark: { is: 'device', name: evil, by } },
  {
    ...begun,
    kind: 'mark',
    mark: { is: 'rewind', to: 1, where: { is: 'before', said: evil }, before: 2, taken: [tool] },
  },
  { ...begun, kind: 'notice', level: 'error', text: evil, cuts, until: null },
  { ...begun, kind: 'failure', reason: evil, steps: [tool] },
]

const actions = {
  onAnswer: () => {},
  onResend: () => {},
  onStopShell: () => {},
  onRetry: () => {},
  onChange: () => {},
  onRetryRun: () => {},
  onChangeRun: () => {},
  fetchBlob: () => Promise.resolve(new Uint8Array()),
}
const shown = (item: ShownItem, openSections = new Map([['1', true]])) =>
  renderToStaticMarkup(
    createElement(ItemView, {
      item,
      link: '/runs/r#e1',
      openSections,
      actions,
      unsent: null,
      hasKeys: true,
      canRetry: true,
    }),
  )

describe('the time of a tool', () => {
  const second = (at: number) => new Date(Date.parse(begun.at) + at * 1000).toISOString()
  const done: ToolItem = { ...tool, status: 'completed', exitCode: 0, question: null, content: [] }
  const timeOf = (more: Partial<ToolItem>) =>
    /([<\d.]+ s), done/.exec(
      shown({ ...done, ...more })
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<'),
    )?.[1]

  it('is the time for which it worked, without its waiting', () => {
    expect(timeOf({ endedAt: second(4.03), waitedMs: 4000 })).toBe('<0.1 s')
    expect(timeOf({ endedAt: second(6.5), waitedMs: 4000 })).toBe('2.5 s')
    expect(timeOf({ endedAt: second(0.03) })).toBe('<0.1 s')
    expect(timeOf({ endedAt: second(2) })).toBe('2.0 s')
  })

  it('is not shown for one that was reported only when it was over', () => {
    expect(timeOf({ endedAt: begun.at })).toBeUndefined()
  })

  it('goes on after the waiting where it was before it', () => {
    const html = shown({ ...done, status: 'in_progress', endedAt: null, waitedMs: 4000 })
    expect(html).toContain(`dateTime="${second(4)}"`)
  })
})

describe('markup from an agent or a file', () => {
  it.each(items.map((item) => [item.kind === 'mark' ? item.mark.is : item.kind, item] as const))(
    'in a %s, it is text',
    (_, item) => {
      const html = shown(item)
      expect(html).toContain('&lt;')
      expect(html).not.toMatch(/<script|<img src="?x|<[^>"]*(?:"[^"]*"[^>"]*)*\son\w+=/i)
      expect(html).not.toMatch(/href="\s*javascript/i)
    },
  )

  it('the part that a rewind removed is one line, under which it can be read', () => {
    const mark = { is: 'rewind', to: 1, where: { is: 'undone' }, before: 2, taken: [tool, question] } as const
    const html = (...openSections: [string, boolean][]) =>
      shown({ ...begun, kind: 'mark', mark }, new Map(openSections))
    expect(html()).toContain('2 items were rewound')
    expect(html()).not.toContain('<article')
    expect(html(['taken 1', true])).toContain('<article')
  })

  it('a fork leads to the event of the run that it comes from', () => {
    const html = shown({ ...begun, kind: 'mark', mark: { is: 'forked', run: 'run_theOther1', event: 6 } })
    expect(html).toMatch(/<a [^>]*href="\/runs\/run_theOther1#e6"[^>]*>another run<\/a>/)
  })

  it.each(['words', 'thought', 'question', 'shell', 'notice', 'tool'])(
    'of a text in a %s that is too long for the log it shows that there is more',
    (kind) => {
      for (const item of items.filter((one) => one.kind === kind))
        expect(shown(item)).toContain('Show all 300 KB')
    },
  )

  it('says above the buttons that a part of a question is hidden', () => {
    for (const item of [question, tool])
      expect(shown(item)).toMatch(/This is only the beginning\.[\s\S]*Your answer/)
  })

  it('a command that is too long to be seen says how much of it is not, above the buttons', () => {
    const command = `ls${'\n'.repeat(500)}rm -rf ~`
    const html = shown({ ...tool, content: [], command, status: 'pending' })
    expect(html).not.toContain('rm -rf')
    expect(html.indexOf('461 more lines are hidden')).toBeGreaterThan(0)
    expect(html.indexOf('461 more lines')).toBeLessThan(html.indexOf('Your answer'))
    const long = shown({ ...tool, content: [], command: `ls ${'a'.repeat(5000)}`, status: 'pending' })
    expect(long).toContain('1,005 more letters are hidden')
  })
})
