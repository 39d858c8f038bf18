import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { CommandContext } from '../context/command-context.ts'
import { foldedOutput, moreInWords, Unfolding } from '../output/folded-output.ts'
import { HeldLines } from '../output/held-lines.ts'
import { paint } from '../printing/paint.ts'
import { lineInWords } from '../printing/path-in-words.ts'
import { shownText } from '../printing/shown-text.ts'
import { questionInWords } from '../questions/question-in-words.ts'

import { EventsInWords, endsTurn } from './event-in-words.ts'
import type { Piece } from './piece.ts'

/** A line that the user has typed, and the question it answers; null if it is a message. */
export type Typed = { line: string; question: OpenQuestion | null }

/** What someone who watches a run gets to see. */
export interface RunScreen {
  event(event: SeenEvent): void
  /** An event that was shown another time: what comes later may be about it. */
  passed(event: SeenEvent): void
  /** A line of what was shown another time. */
  recalls(line: string): void
  /** A message is about to be sent from here, and need not be shown again. */
  saying(content: string): void
  question(asked: OpenQuestion): void
  /** What is asked now: nothing, or the question that was shown. */
  asks(question: OpenQuestion | null): void
  /** An answer is about to be sent from here, and need not be shown again. */
  answering(questionId: string, answer: unknown): void
  /** A line for people. */
  say(line: string): void
  /** A line for people that can wait: it comes after a sentence or a question, never inside. */
  sayBetween(line: string): void
  /** What is waited for, where somebody is watching. */
  status(text: string): void
  /** What holds everything up, or null when nothing does any more: seen also by those who do not watch. */
  waits(line: string | null): void
  /** Whether the agent is at work on something. */
  turn(isUnderWay: boolean): void
  /** Shows that it is a person's turn to type. */
  prompt(): void
  /** Somebody has ended their line with Enter. */
  typed(): void
  /** What somebody types at the screen itself, each line with the question it is meant for; not all screens have that. */
  typedHere?(signal: AbortSignal): AsyncIterable<Typed>
  /** Ctrl-C that came as a signal; only with the above. */
  interrupted?(): void
  /** Shows all of what was folded last, then of what was folded before that. */
  expand(): void
  close(): void
}

/** The events of the log, one line of JSON each. */
export const jsonRunScreen = (context: CommandContext): RunScreen => ({
  event: (event) => context.out(`${JSON.stringify({ event: 'log', ...event })}\n`),
  // A program remembers what it wants to, or nothing.
  passed: (event) => context.out(`${JSON.stringify({ event: 'log', ...event })}\n`),
  recalls() {},
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
})

/**
 * For people. The agent's words alone are on standard output, so that they can be piped; everything around them is on
 * standard error. If the agent is far away, what it writes comes in here, and goes out otherwise.
 */
export function textRunScreen(
  context: CommandContext,
  hint: (questionId: string) => string | null,
  isFar = false,
): RunScreen {
  const words = new EventsInWords(isFar)
  const folded = new Unfolding<{ name: string; lines: readonly string[] }>()
  const held = new HeldLines((text) => line(text))
  const { dim, yellow, bold } = paint(context.color && context.terminal)
  // Words that come by way of another program stand wherever that puts them: wiping could take them away.
  const isWatched = context.terminal && !context.isPiped
  // And lines of ours would come into the middle of theirs: they go there line by line.
  const isByLine = context.terminal && context.isPiped
  let unended = ''
  const out = (text: string) => {
    unended += text
    const end = isByLine ? unended.lastIndexOf('\n') + 1 : unended.length
    if (end > 0) context.out(unended.slice(0, end))
    unended = unended.slice(end)
  }
  /** What the cursor stands behind: words or thoughts that may go on, a line that can be wiped away, or nothing. */
  let at: 'words' | 'thought' | 'wipeable' | 'prompt' | 'begin' = 'begin'
  /** Whether words were ended by us: an empty line of their own would be one too many. */
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
    // Words that are piped on are in no line of this window: to end it would put a break into them.
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
    // Over words it would be written into their line.
    if (!isWatched || at === 'words' || at === 'thought') return
    toBegin()
    context.note(text)
    at = 'wipeable'
  }
  const prompt = () => {
    // Where it stands already, somebody may be typing behind it: that would be wiped away.
    if (!context.terminal || at === 'prompt') return
    toBegin()
    context.note('> ')
    at = 'prompt'
  }
  // Cut at the edge of the window, for of a line that goes on in the next one only the end could be wiped away.
  const status = (text: string) => wipeable(`\x1b[?7l${dim(`… ${lineInWords(text)}`)}\x1b[?7h`)
  const tools = new Set<string>()
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
  /** What the agent was saying is over: what waited for that is shown. */
  const endWords = () => {
    if (at === 'words' || at === 'thought') toBegin()
    held.speaking(false)
  }
  const show = (piece: Piece) => {
    switch (piece.as) {
      case 'words':
      case 'thought':
        return stream(piece.as, piece.text)
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
    event(event) {
      for (const piece of words.take(event)) show(piece)
      if (endsTurn(event)) endWords()
    },
    passed: (event) => void words.take(event),
    recalls: (text) => line(dim(shownText(text))),
    saying: (content) => words.saying(content),
    question(asked) {
      endWords()
      const how = hint(asked.questionId)
      const [first = '', ...rest] = questionInWords(asked, how === null)
      for (const text of [bold(first), ...rest]) line(text)
      words.questions.shown(asked.questionId)
      if (how !== null) line(dim(how))
    },
    asks: (question) => held.asking(question !== null),
    answering: (questionId, answer) => words.questions.answering(questionId, answer),
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
      // The terminal has ended the line itself; words that wait for their own end are in none of its lines.
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
