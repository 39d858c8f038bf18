import { DeviceId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { HubAway } from '../conversation/hub-away.ts'
import { openQuestion } from '../questions/open-question-under-test.ts'
import { textRunScreen } from './run-screen.ts'

let id = 0
const event = (method: string, params: Record<string, unknown>): SeenEvent => ({
  id: ++id,
  type: 'notification',
  timestamp: '2026-01-01T00:00:00.000Z',
  notification: { jsonrpc: '2.0', method, params },
  by: { kind: 'runner', generation: 1 },
})
const words = (text: string) => event('agent_message_chunk', { text })
const tool = (toolCallId: string, more: Record<string, unknown>) =>
  event('tool_call', { toolCallId, ...more })
const done = (toolCallId: string, status: string, text: string) =>
  event('tool_result', {
    toolCallId,
    status,
    content: [{ type: 'content', content: { type: 'text', text } }],
  })

/** A message that was typed at the screen. */
const message = () => event('_posthog/user_message', { content: 'go' })
const ack = (id: number, into?: number) =>
  event('_posthog/ack', { for: 'user_message', id, ...(into !== undefined && { into }) })
const over = (messageId: number, more: object = {}) =>
  event('_posthog/turn_complete', { messageId, stopReason: 'end_turn', ...more })

function shown(...events: SeenEvent[]) {
  const context = testContext()
  const screen = textRunScreen(context, () => null)
  for (const { notification } of events) if (notification.params?.content === 'go') screen.saying('go')
  for (const one of events) screen.events([one])
  screen.close()
  return context.ran()
}

describe('the screen of a run', () => {
  it('joins words as they come and ends their line before something else is said', () => {
    expect(shown(words('Hel'), words('lo\n\nthere'), done('c', 'completed', ''), words('\n\nBye'))).toEqual({
      out: 'Hello\n\nthere\nBye\n',
      notes: '✓ Tool\n',
    })
  })

  it('passes on nothing that a terminal would obey, whatever event it comes with', () => {
    const evil = 'x\x1b]0;gotcha\x07\u009b2J'
    const told = shown(
      event('_posthog/pr_created', { prUrl: `https://a.test/${evil}`, branch: evil }),
      event('_posthog/status', { status: 'failed', reason: evil }),
      event('_posthog/phase_start', { phase: evil, host: evil, sandbox: evil }),
      event('_posthog/forked', { run: 'run_4fJ2aBcDeFgH', event: 3 }),
      event('_posthog/question_closed', { questionId: 'q', reason: evil, answer: evil }),
    )
    expect(told.notes).toContain('https://a.test/')
    expect(told.out + told.notes).not.toMatch(/\p{Cc}(?<!\n)/u)
  })

  it('begins a new line with each turn, also where the next message was there before the turn was over', () => {
    const messages = [message(), message(), message()]
    const turns = ['one', 'two\n', 'three'].flatMap((text, nth) => {
      const { id } = messages[nth]!
      return [ack(id), words(text), over(id)]
    })
    expect(shown(...messages, ...turns).out).toBe('one\ntwo\nthree\n')
  })

  it('points files to where the user is: an agent here sends what it writes, one in a sandbox brings it', () => {
    const agents = event('_posthog/file_change', { path: 'a', action: 'deleted' })
    const by = { kind: 'device', id: DeviceId.parse('dev_laptop00') } as const
    const ours = { ...event('_posthog/file_sync', { path: 'b', action: 'deleted' }), by }
    const notes = (isFar: boolean) => {
      const context = testContext()
      const screen = textRunScreen(context, () => null, isFar)
      for (const one of [agents, ours]) screen.events([one])
      return context.ran().notes
    }
    expect(notes(false)).toBe('→ a  deleted\n← b  deleted\n')
    expect(notes(true)).toBe('← a  deleted\n→ b  deleted\n')
  })

  it('W39 tells where the time of the run was turned', () => {
    const rewind = event('_posthog/rewind', { to: 1 })
    const forked = event('_posthog/forked', { run: 'run_theother', event: 7 })
    expect(shown(rewind, forked).notes).toBe(
      'Rewound to the beginning.\nForked from run_theother after event 7.\n',
    )
  })

  it('cuts what is waited for at the edge of the window: it is wiped away as one line', () => {
    const context = testContext({ terminal: true })
    const screen = textRunScreen(context, () => null)
    screen.events([tool('c', { title: 'Run `a long command`' })])
    screen.events([tool('c', { title: 'Run `a long command`' })])
    screen.close()
    const once = '\u001b[?7l… Run `a long command`\u001b[?7h'
    expect(context.ran().notes).toBe(`${once}\r\u001b[K${once}\r\u001b[K`)
  })

  it('wipes nothing away, and breaks no line, where words come by another way to the same window', () => {
    const shown: string[] = []
    const show = (text: string) => void shown.push(text)
    const seen = textRunScreen(
      testContext({ terminal: true, isPiped: true, out: show, note: show }),
      () => null,
    )
    for (const one of [words('Hel'), words('lo\nthe'), words('re'), done('c', 'completed', '')])
      seen.events([one])
    expect(shown).toEqual(['Hello\n', 'there\n', '✓ Tool\n'])
    const context = testContext({ terminal: true, isPiped: true })
    const screen = textRunScreen(context, () => null)
    screen.status('getting ready')
    screen.events([tool('c', { title: 'Run `ls`' })])
    screen.events([words('Hel')])
    screen.waits('No hub.')
    screen.close()
    expect(context.ran()).toEqual({ out: 'Hel\n', notes: 'No hub.\n' })
  })

  it.each([true, false])(
    'changes no word that is piped on, whatever there is to say beside it (terminal: %s)',
    (terminal) => {
      const context = testContext({ terminal, isPiped: true })
      const screen = textRunScreen(context, () => null)
      const hub = new HubAway(screen)
      screen.saying('go')
      const asked = message()
      screen.events([asked, ack(asked.id), tool('c', { title: 'Run `make`' })])
      screen.events([words('Half of a w')])
      hub.reach({ is: 'offline' })
      hub.isThere(false)
      screen.events([event('_posthog/console', { level: 'warn', message: 'Beware.' })])
      screen.events([event('_posthog/user_message', { content: 'hurry' })])
      screen.events([done('c', 'completed', '')])
      screen.say('Cancelling.')
      screen.events([words('ord.')])
      screen.events([over(asked.id)])
      screen.events([words('Next.')])
      screen.close()
      expect(context.ran().out).toBe('Half of a word.\nNext.\n')
      const notes = [
        'The hub does not answer; trying again until it does.',
        'Beware.',
        '> hurry',
        '✓ Run `make`',
      ]
      expect(context.ran().notes.split('\n')).toEqual([...notes, 'Cancelling.', 'The hub answers again.', ''])
    },
  )

  it('loses no words that are on their way to another program when the user presses Enter', () => {
    const context = testContext({ terminal: true, isPiped: true })
    const screen = textRunScreen(context, () => null)
    screen.saying('go')
    const asked = message()
    screen.events([asked, ack(asked.id), words('Hel')])
    screen.typed()
    screen.events([over(asked.id)])
    expect(context.ran().out).toBe('Hel\n')
    screen.events([words('lo')])
    screen.typed()
    screen.close()
    expect(context.ran().out).toBe('Hel\nlo\n')
  })

  it('says what holds everything up, over words too, to those who do not watch, and above what is typed', () => {
    const waiting = (terminal: boolean, before: 'words' | 'prompt') => {
      const context = testContext({ terminal })
      const screen = textRunScreen(context, () => null)
      if (before === 'words') screen.events([words('Hel')])
      else screen.prompt()
      screen.waits('No hub.')
      return context.ran()
    }
    expect(waiting(true, 'words')).toEqual({ out: 'Hel\n', notes: '\u001b[?7l… No hub.\u001b[?7h' })
    expect(waiting(true, 'prompt').notes).toBe('> \r\u001b[KNo hub.\n> ')
    expect(waiting(false, 'words')).toEqual({ out: 'Hel\n', notes: 'No hub.\n' })
  })

  it('asks once for a line, so that nothing is wiped away that the user has begun to type', () => {
    const context = testContext({ terminal: true })
    const screen = textRunScreen(context, () => null)
    screen.prompt()
    screen.prompt()
    screen.typed()
    screen.prompt()
    expect(context.ran().notes).toBe('> > ')
  })

  it('says that an agent was cut short and begins with a message again', () => {
    const asked = message()
    const again = [ack(asked.id), words('On'), ack(asked.id), words('Once more')]
    expect(shown(asked, ...again)).toEqual({
      out: 'On\nOnce more\n',
      notes: 'The agent was interrupted, and starts this message again.\n',
    })
  })

  it('obeys nothing that an agent says to a terminal', () => {
    expect(shown(words('a\u001b]0;title\u0007b\tc\u202e')).out).toBe('a]0;titleb\tc\n')
  })

  it('shows of a tool its title and the last lines of what it printed, and says how many there are before', () => {
    const many = Array.from({ length: 8 }, (_, at) => `${at + 1}`)
    const { notes } = shown(
      tool('c1', { title: 'Run `ls`' }),
      done('c1', 'completed', 'a.txt\nb.txt'),
      // Some agents end what they have never begun.
      done('c2', 'failed', 'No such file'),
      done('c3', 'completed', many.join('\n')),
    )
    const folded = ['  … 3 more lines', ...many.slice(3).map((text) => `  ${text}`)]
    expect(notes.split('\n')).toEqual([
      ...['✓ Run `ls`', '  a.txt', '  b.txt', '✗ Tool  No such file', '✓ Tool'],
      ...folded,
      '',
    ])
  })

  it('shows all of what a tool printed to who asks for it, the newest first', () => {
    const context = testContext()
    const screen = textRunScreen(context, () => null)
    for (const word of ['first', 'second'])
      screen.events([done(word, 'completed', `${word}\n${'x\n'.repeat(9)}`)])
    for (let times = 0; times < 3; times += 1) screen.expand()
    const { notes } = context.ran()
    expect(notes.slice(notes.indexOf('all '))).toMatch(
      /^all 10 lines:\n {2}second\n(?: {2}x\n){9}Tool, all 10 lines:\n {2}first\n(?: {2}x\n){9}There is nothing more to show\.\n$/,
    )
  })

  it('does not break a sentence, or a question, for what is synced', () => {
    const file = (path: string) => event('_posthog/file_change', { path, action: 'deleted' })
    const shown: string[] = []
    const show = (text: string) => void shown.push(text)
    const screen = textRunScreen(testContext({ out: show, note: show }), () => null)
    for (const one of [words('Half of '), file('a'), words('it.'), done('c', 'completed', '')])
      screen.events([one])
    expect(shown.join('')).toBe('Half of it.\n→ a  deleted\n✓ Tool\n')
    const asked = openQuestion({ question: 'Which?' })
    screen.question(asked)
    screen.asks(asked)
    screen.events([file('b')])
    expect(shown.at(-1)).toMatch(/Which\?/)
    screen.asks(null)
    expect(shown.at(-1)).toBe('→ b  deleted\n')
  })

  it('says of a plan only what has changed', () => {
    const plan = (...states: string[]) =>
      event('session/update', {
        update: {
          sessionUpdate: 'plan',
          entries: states.map((status, at) => ({ content: `step ${at + 1}`, status, priority: 'low' })),
        },
      })
    const { notes } = shown(plan('in_progress', 'pending'), plan('completed', 'pending'))
    expect(notes).toBe('[>] step 1\n[ ] step 2\n[x] step 1\n')
  })

  it('names a few files and counts many', () => {
    const change = (path: string) => ({ path, action: 'created', hash: `sha256_${'0'.repeat(64)}` })
    const files = Array.from({ length: 6 }, (_, at) => change(`f${at}`))
    expect(shown(event('_posthog/file_change', change('a/b.txt'))).notes).toBe('→ a/b.txt  created\n')
    const asked = message()
    expect(shown(asked, ack(asked.id), event('_posthog/file_change', { files })).notes).toContain(
      '→ 6 files\n',
    )
  })

  it('shows what others say, and what was typed here only once', () => {
    const context = testContext()
    const screen = textRunScreen(context, () => null)
    screen.saying('mine')
    for (const content of ['mine', 'theirs', 'mine'])
      screen.events([event('_posthog/user_message', { content })])
    expect(context.ran().notes).toBe('> theirs\n> mine\n')
  })

  it('says why a turn ended unless that is as it should be, and who answered for a person', () => {
    const [first, second, third, into] = [message(), message(), message(), message()]
    const questionId = 'qst_12345678'
    const { notes } = shown(
      { ...event('_posthog/session_start', { generation: 1 }), by: { kind: 'hub' } },
      ...[first, ack(first.id), over(first.id), second, ack(second.id), into, ack(into.id, second.id)],
      over(second.id, { stopReason: 'failed', error: { message: 'No key.' } }),
      // Said into that turn, and ended with it.
      over(into.id, { stopReason: 'failed', into: second.id }),
      ...[third, ack(third.id), over(third.id, { error: { message: 'No word.' } })],
      event('_posthog/agent_question', { questionId, question: 'Which?' }),
      event('_posthog/question_closed', {
        ...{ questionId, how: 'answered', answer: null },
        ...{ by: 'policy:deny', why: 'Denied.' },
      }),
    )
    expect(notes).toBe('The turn failed. No key.\nNo word.\n? Which?\n  Denied.\n')
  })

  it('says once that a turn was cancelled, whatever was said into it', () => {
    const [first, into] = [message(), message()]
    const begun = [first, into, ack(first.id), ack(into.id, first.id)]
    const cancelled = ({ id }: SeenEvent) => over(id, { stopReason: 'cancelled' })
    expect(shown(...begun, cancelled(first), cancelled(into)).notes).toBe('Stopped.\n')
    // It went on in a turn of its own, and that was cancelled too.
    const alone = shown(...begun, cancelled(first), ack(into.id), words('On'), cancelled(into))
    expect(alone.notes.match(/Stopped/g)).toHaveLength(2)
  })

  it('shows warnings of programs, and keeps the rest of what they say to itself', () => {
    const { notes } = shown(
      event('_posthog/console', { level: 'debug', message: 'tick' }),
      event('_posthog/console', { level: 'warn', message: 'The agent does not tell what it costs.' }),
    )
    expect(notes).toBe('The agent does not tell what it costs.\n')
  })

  it('takes nonsense for nothing', () => {
    const methods = [
      'tool_call',
      'session/update',
      '_posthog/file_change',
      '_posthog/turn_complete',
      'nobody/knows',
    ]
    expect(shown(...methods.map((method) => event(method, { update: 3, files: 'x' })))).toEqual({
      out: '',
      notes: '',
    })
  })
})
