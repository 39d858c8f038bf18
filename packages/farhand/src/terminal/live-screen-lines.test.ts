import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { expect, it, onTestFinished, vi } from 'vitest'
import { HubAway } from './conversation/hub-away.ts'
import type { TerminalHandlers } from './keys/keyed-terminal.ts'
import { LiveScreen } from './live-screen.ts'
import { PaperUnderTest } from './paper-under-test.ts'
import { openQuestion } from './questions/open-question-under-test.ts'

let id = 0
const event = (method: string, params: Record<string, unknown>) =>
  SeenEvent.parse({
    id: ++id,
    type: 'notification',
    timestamp: '2026-01-01T00:00:00.000Z',
    notification: { jsonrpc: '2.0', method, params },
    by: { kind: 'runner', generation: 1 },
  })
const words = (text: string) => event('agent_message_chunk', { text })
const file = (path: string) => event('_posthog/file_change', { path, action: 'deleted' })
const printed = (lines: readonly string[], more: Record<string, unknown> = {}) =>
  event('tool_result', {
    toolCallId: 't',
    title: 'Run `make`',
    kind: 'execute',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: lines.join('\n') } }],
    ...more,
  })
/** Begins a turn about a message that was typed here; returns its end. */
function turn(screen: LiveScreen) {
  screen.saying('go')
  const { id: messageId, ...message } = event('_posthog/user_message', { content: 'go' })
  screen.events([
    { id: messageId, ...message },
    event('_posthog/ack', { for: 'user_message', id: messageId }),
  ])
  return (more: object = {}) =>
    event('_posthog/turn_complete', { messageId, stopReason: 'end_turn', ...more })
}
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`)

/** A live screen on a terminal of paper. */
function atPaper() {
  const paper = new PaperUnderTest(60, 20)
  let handlers: TerminalHandlers | null = null
  const terminal = {
    size: { columns: 60, rows: 20 },
    write: (text: string) => paper.write(text),
    open(given: TerminalHandlers) {
      handlers = given
      return () => {}
    },
    suspend() {},
  }
  const history = { read: () => [], add() {} } as never
  const screen = new LiveScreen({ terminal, depth: 0, history, isFar: true, workspace: null, lookedAt: null })
  const leave = new AbortController()
  const typed = screen.typedHere(leave.signal)
  void typed.next()
  onTestFinished(() => {
    leave.abort()
    screen.close()
  })
  return {
    screen,
    paper,
    press: (text: string) => handlers!.keys(new TextEncoder().encode(text)),
    reads: (lines: readonly string[]) => vi.waitFor(() => expect(paper.above).toEqual(lines), 30_000),
  }
}

it('the last lines of what a command printed are shown, how many there are before, and with Ctrl-O all', async () => {
  const { screen, press, reads, paper } = atPaper()
  screen.events([printed(numbers(9))])
  const folded = [
    '✓ Run `make`',
    '  … 4 more lines · Ctrl-O shows them',
    ...numbers(9).slice(-5).map(indented),
  ]
  await reads(folded)
  press('\x0f')
  await reads([...folded, '── Run `make`', ...numbers(9)])
  press('\x0f')
  await vi.waitFor(() => expect(paper.above.at(-1)).toBe('There is nothing more to show.'), 30_000)
})

it('a line that is too wide, and a change that is too long, can be seen as a whole too', async () => {
  const { screen, press, reads, paper } = atPaper()
  const wide = `${'x'.repeat(50)}${'y'.repeat(20)}`
  screen.events([printed([], { content: undefined, rawOutput: `short\n${wide}` })])
  const cut = ['✓ Run `make`', '  short', `  ${wide.slice(0, 56)}…`]
  await reads(cut)
  press('\x0f')
  await reads([...cut, '── Run `make`', 'short', wide.slice(0, 59), wide.slice(59)])
  const newText = numbers(20).join('\n')
  screen.events([
    printed([], { toolCallId: 'u', content: [{ type: 'diff', path: 'a.txt', oldText: '', newText }] }),
  ])
  await vi.waitFor(() => expect(paper.above.at(-1)).toBe('  … 4 more lines'), 30_000)
  press('\x0f')
  await vi.waitFor(() => expect(paper.above.at(-1)).toBe('  20 + line 20'), 30_000)
})

it('what is synced is not shown in the middle of a sentence, or between a question and its answers', async () => {
  const { screen, reads } = atPaper()
  const over = turn(screen)
  screen.events([words('Half of a ')])
  screen.events([file('a.txt')])
  screen.events([words('sentence.')])
  screen.events([file('b.txt')])
  screen.events([over()])
  const first = ['Half of a sentence.', '← a.txt  deleted', '← b.txt  deleted']
  await reads(first)
  const asked: OpenQuestion = openQuestion({ question: 'Which one?', options: ['red', 'green'] })
  screen.question(asked)
  screen.asks(asked)
  screen.events([file('c.txt')])
  await reads([...first, '? Which one?'])
  screen.answering(asked.questionId, 'red')
  screen.asks(null)
  await reads([...first, '? Which one?', '  → red', '← c.txt  deleted'])
})

it('a permission is asked letter by letter: nothing of a command is taken for markdown, and hidden', async () => {
  const { screen, reads } = atPaper()
  const question = 'Tidy up\nCommand: ls \\*.txt\n~~~; rm -rf src\n# make **all**\n```x``; rm -rf lib'
  screen.question(openQuestion({ kind: 'permission', question }))
  await reads([
    '? Tidy up',
    '  Command: ls \\*.txt',
    '  ~~~; rm -rf src',
    '  # make **all**',
    '  ```x``; rm -rf lib',
  ])
})

it('a plan is markdown, and words behind a fence that are no language are shown all the same', async () => {
  const { screen, reads } = atPaper()
  const question = 'Ready?\n```sh\nls\n```\n~~~ and then rm -rf src\nls\n~~~'
  screen.question(openQuestion({ kind: 'permission', isPlan: true, question }))
  await reads([
    '? Ready?',
    '│   ls',
    '│ and then rm -rf src',
    '│   ls',
    '  This is a plan: the agent begins once you agree.',
  ])
})

it('a question stands above its answers again after what was folded, and after the window was cleared', async () => {
  const { screen, press, paper } = atPaper()
  screen.events([printed(numbers(30))])
  const asked = openQuestion({ question: 'Which one?\nOf two.', options: ['red', 'green'] })
  screen.question(asked)
  screen.asks(asked)
  await vi.waitFor(() => expect(paper.above.slice(-2)).toEqual(['? Which one?', '  Of two.']), 30_000)
  press('\x0f')
  const end = ['line 29', 'line 30', '? Which one?', '  Of two.']
  await vi.waitFor(() => expect(paper.above.slice(-4)).toEqual(end), 30_000)
  press('\x0c')
  // What is out of the window stays there to scroll back to.
  const cleared = [expect.stringMatching(/^line 1\d$/), '? Which one?', '  Of two.']
  await vi.waitFor(() => expect(paper.above.slice(-3)).toEqual(cleared), 30_000)
  screen.answering(asked.questionId, 'red')
  screen.asks(null)
  press('\x0c')
  await vi.waitFor(() => expect(paper.above.at(-1)).toMatch(/^line 1\d$/), 30_000)
})

it('answers that have no room in a row, or in the window, are shown as a whole with the question', async () => {
  const { screen, reads } = atPaper()
  const long = `${'keep all '.repeat(7)}but the last`
  screen.question(openQuestion({ question: 'Which one?', options: ['red', long, 'two\nlines'] }))
  const first = [
    '? Which one?',
    '  1  red',
    `  2  ${'keep all '.repeat(6).trim()}`,
    '     keep all but the last',
    '  3  two',
    '     lines',
  ]
  await reads(first)
  const many = numbers(20)
  screen.question(openQuestion({ question: 'Which line?', options: many }))
  await reads([
    ...first,
    '? Which line?',
    ...many.map((line, at) => `  ${'123456789abcdefghijklm'[at]}  ${line}`),
  ])
})

it('that the hub answers again is not said in the middle of a word', async () => {
  const { screen, reads } = atPaper()
  const hub = new HubAway(screen)
  const over = turn(screen)
  screen.events([words('Half of a w')])
  hub.reach({ is: 'offline' })
  hub.isThere(false)
  screen.events([words('ord.')])
  screen.events([over()])
  await reads(['Half of a word.', 'The hub answers again.'])
})

it('of an error that was made a sentence, all that the agent said is behind Ctrl-O', async () => {
  const { screen, press, reads } = atPaper()
  const raw = '{"error":{"message":"No credit left.","type":"billing"}}'
  const error = { message: 'No credit left.', raw }
  screen.events([turn(screen)({ stopReason: 'failed', error })])
  const shown = ['The turn failed. No credit left. (Ctrl-O shows all of it)']
  await reads(shown)
  press('\x0f')
  await reads([...shown, '── as the agent said it', raw])
})

it('Tab completes commands, and shows what a word could become until the next key', async () => {
  const { screen, press, paper } = atPaper()
  screen.turn(false)
  press('/mo\t')
  await vi.waitFor(() => expect(paper.below).toEqual(['/mode  /model  /more', '> /mo ']), 30_000)
  press('del\t')
  await vi.waitFor(() => expect(paper.below).toEqual(['> /model  ']), 30_000)
})

it('what is synced is shown as soon as the agent begins with a tool', async () => {
  const { screen, reads } = atPaper()
  screen.events([words('I build it.')])
  screen.events([file('a.txt')])
  screen.events([event('tool_call', { toolCallId: 't', title: 'Run `make`', status: 'in_progress' })])
  await reads(['I build it.', '← a.txt  deleted'])
})

const indented = (text: string) => `  ${text}`
