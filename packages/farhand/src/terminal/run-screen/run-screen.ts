import { lineInWords } from '@farhand/device/wording/path-in-words'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { CommandContext } from '../../context/command-context.ts'
import { FoldedParts, foldedOutput, moreInWords } from '../output/folded-output.ts'
import { HeldLines } from '../output/held-lines.ts'
import { paint } from '../printing/paint.ts'
import { shownText } from '../printing/shown-text.ts'
import { questionInWords } from '../questions/question-in-words.ts'

import type { Piece } from './piece.ts'
import { recentEvents } from './recent-events.ts'
import { StoryReader } from './story-reader.ts'

/** A line that the user has typed, and the question it answers; null if it is a message. */
export type Typed = { line: string; question: OpenQuestion | null }

/** Shows a run to the user, or to a program. */
export interface RunScreen {
  /** New events of the run. */
  events(events: readonly SeenEvent[]): void
  /** An event from before the user came; `isIdle`: no turn is under way at it. */
  past(event: SeenEvent, isIdle: boolean): void
  /** All past events were given: shows what the user has not seen of them. */
  present(): void
  /** The user is about to send this message: it is not shown again when it comes back from the log. */
  saying(content: string): void
  question(asked: OpenQuestion): void
  /** The question that is open now, which was shown; null if there is none. */
  asks(question: OpenQuestion | null): void
  /** The user is about to send this answer: it is not shown again when it comes back from the log. */
  answering(questionId: string, answer: unknown): void
  /** A line for the user. */
  say(line: string): void
  /** A line for the user that can wait: it is never printed inside the agent's text or a question. */
  sayBetween(line: string): void
  /** What the run waits for; only shown on a terminal. */
  status(text: string): void
  /** What blocks the run, or null when nothing does any more; shown also without a terminal. */
  waits(line: string | null): void
  /** Whether the agent is working. */
  turn(isUnderWay: boolean): void
  /** Shows the prompt: the user can type. */
  prompt(): void
  /** The user has ended their line with Enter. */
  typed(): void
  /** The lines typed at the screen itself, each with the question that it answers; only keyed screens have this. */
  typedHere?(signal: AbortSignal): AsyncIterable<Typed>
  /** Ctrl-C came as a signal; only together with `typedHere`. */
  interrupted?(): void
  /** Shows the whole output that was folded last; called again, the one before it. */
  expand(): void
  close(): void
}

/** The events of the log, one line of JSON each. */
export function jsonRunScreen(context: CommandContext, lookedAt: number | null = null): RunScreen {
  const recent = recentEvents(lookedAt)
  const events = (events: readonly SeenEvent[]) => {
    for (const event of events) context.out(`${JSON.stringify({ event: 'log', ...event })}\n`)
  }
  return {
    events,
    past: recent.take,
    present: () => events(recent.kept()),
    saying() {},
    question() {},
    asks() {},
    answering() {},
    say() {},
    sayBetween() {},
    status() {},
    waits() {},
    turn() {},
    prompt() {},
    typed() {},
    expand() {},
    close() {},
  }
}

/**
 * Prints text. Only the agent's words go to standard output, so that they can be piped; everything else goes to standard
 * error. With `isFar` the agent works in a sandbox: then its changes of files arrive here.
 */
export function textRunScreen(
  context: CommandContext,
  hint: (questionId: string) => string | null,
  isFar = false,
  lookedAt: number | null = null,
): RunScreen {
  const reader = new StoryReader(isFar, lookedAt)
  const folded = new FoldedParts<{ name: string; lines: readonly string[] }>()
  const held = new HeldLines((text) => line(text))
  const { dim, yellow, bold } = paint(context.color && context.terminal)
  // If another program prints the agent's words, clearing a line could remove them.
  const isWatched = context.terminal && !context.isPiped
  // The words go to that program in whole lines, so that messages do not end up inside them.
  const isByLine = context.terminal && context.isPiped
  let unended = ''
  const out = (text: string) => {
    unended += text
    const end = isByLine ? unended.lastIndexOf('\n') + 1 : unended.length
    if (end > 0) context.out(unended.slice(0, end))
    unended = unended.slice(end)
  }
  /** What is before the cursor: words or thoughts that may go on, a line that can be cleared, the prompt, or nothing. */
  let at: 'words' | 'thought' | 'wipeable' | 'prompt' | 'begin' = 'begin'
  /** Whether this screen has ended the words with a line end: then empty lines at the start of the next words are dropped. */
  let isCut = false

  const toBegin = () => {
    if (at === 'words') {
      out('\n')
      isCut = true
    }
    if (at === 'thought') context.note('\n')
    if (at === 'wipeable' || at === 'prompt') context.note('\r\x1b[K')
    at = 'begin'
  }
  const line = (text: string) => {
    // Piped words are not on this terminal: a line end here would break them.
    if (!(context.isPiped && at === 'words')) {
      toBegin()
      held.speaking(false)
    }
    context.note(`${text}\n`)
  }
  const stream = (kind: 'words' | 'thought', text: string) => {
    if (at !== kind) toBegin()
    held.speaking(true)
    const rest = isCut && kind === 'words' ? text.replace(/^\n+/, '') : text
    if (rest === '') return
    if (kind === 'words') {
      out(rest)
      isCut = false
    } else context.note(dim(rest))
    at = text.endsWith('\n') ? 'begin' : kind
  }
  const wipeable = (text: string) => {
    // It would be written into the line of the words.
    if (!isWatched || at === 'words' || at === 'thought') return
    toBegin()
    context.note(text)
    at = 'wipeable'
  }
  const prompt = () => {
    // The user may be typing after a prompt: printing it again would clear their text.
    if (!context.terminal || at === 'prompt') return
    toBegin()
    context.note('> ')
    at = 'prompt'
  }
  // Without wrapping: of a wrapped line only the last row could be cleared.
  const status = (text: string) => wipeable(`\x1b[?7l${dim(`… ${lineInWords(text)}`)}\x1b[?7h`)
  const tools = new Set<number>()
  const tool = ({ id, name, state, kind, output }: Extract<Piece, { as: 'tool' }>) => {
    if (!tools.has(id)) endWords()
    if (state === 'begun') {
      tools.add(id)
      return status(name)
    }
    tools.delete(id)
    const shown = foldedOutput(output, kind)
    if (shown.isCut) folded.add({ name, lines: output })
    const color = state === 'failed' ? yellow : dim
    const beside = [shown.beside, shown.more > 0 && shown.last.length === 0 ? moreInWords(shown) : '']
    line(color([state === 'failed' ? `✗ ${name}` : `✓ ${name}`, ...beside.filter(Boolean)].join('  ')))
    if (shown.more > 0 && shown.last.length > 0) line(dim(`  ${moreInWords(shown)}${howToExpand}`))
    for (const text of shown.last) line(color(`  ${text}`))
  }
  const howToExpand = context.lines !== null && hint('') === null ? ' (/more shows them)' : ''
  /** The agent's text has ended: prints the lines that waited for that. */
  const endWords = () => {
    if (at === 'words' || at === 'thought') toBegin()
    held.speaking(false)
  }
  const show = (piece: Piece) => {
    switch (piece.as) {
      case 'words':
      case 'thought':
        return stream(piece.as, piece.text)
      case 'end':
        return endWords()
      case 'line':
        return line(piece.text)
      case 'tool':
        return tool(piece)
      case 'faint':
        return held.take(dim(piece.text))
      case 'warning':
        if (piece.raw !== undefined) folded.add({ name: piece.text, lines: piece.raw.split('\n') })
        return line(yellow(piece.text) + (piece.raw !== undefined ? dim(howToExpand) : ''))
      case 'status':
        return status(piece.text)
    }
  }
  return {
    events(events) {
      for (const piece of reader.take(events)) show(piece)
    },
    past: (event, isIdle) => reader.past(event, isIdle),
    present() {
      const { reminder, pieces } = reader.present()
      for (const text of reminder) line(dim(text))
      for (const piece of pieces) show(piece)
    },
    saying: (content) => reader.saying(content),
    question(asked) {
      endWords()
      const how = hint(asked.questionId)
      const [first = '', ...rest] = questionInWords(asked, how === null)
      for (const text of [bold(first), ...rest]) line(text)
      reader.asked(asked.questionId)
      if (how !== null) line(dim(how))
    },
    asks: (question) => held.asking(question !== null),
    answering: (questionId, answer) => reader.answering(questionId, answer),
    say: (text) => line(shownText(text)),
    sayBetween: (text) => held.take(shownText(text)),
    status,
    turn() {},
    waits(text) {
      if (text === null) return
      if (isWatched && at !== 'prompt') {
        toBegin()
        return status(text)
      }
      const isPrompted = at === 'prompt'
      line(yellow(shownText(text)))
      if (isPrompted) prompt()
    },
    prompt,
    typed() {
      // The user's Enter has ended the line on the terminal.
      if (unended === '') at = 'begin'
    },
    expand() {
      const part = folded.next()
      if (!part) return line('There is nothing more to show.')
      line(`${part.name}, all ${part.lines.length.toLocaleString('en')} lines:`)
      for (const text of part.lines) line(`  ${text}`)
    },
    close() {
      endWords()
      toBegin()
      held.asking(false)
    },
  }
}
