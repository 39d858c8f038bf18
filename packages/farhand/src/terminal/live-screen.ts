import { stripVTControlCharacters } from 'node:util'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Unfolding } from '../output/folded-output.ts'
import { HeldLines } from '../output/held-lines.ts'
import { shownText } from '../printing/shown-text.ts'
import { answerInWords, questionInWords } from '../questions/question-in-words.ts'
import { EventsInWords, endsTurn } from '../run-screen/event-in-words.ts'
import type { Piece } from '../run-screen/piece.ts'
import type { RunScreen, Typed } from '../run-screen/run-screen.ts'
import { completionNames } from './complete/completion-names.ts'
import type { HistoryFile } from './history-file.ts'
import { InputQueue } from './input-queue.ts'
import { armed, asking, emptyInput, type InputState, inputStep } from './input-state.ts'
import type { Key } from './keys/key-reader.ts'
import { Keyboard } from './keys/keyboard.ts'
import type { KeyedTerminal, TerminalHandlers } from './keys/keyed-terminal.ts'
import { diffInLines } from './lines/diff-in-lines.ts'
import { foldedInLines, unfolded } from './lines/folded-in-lines.ts'
import { type ColorDepth, painted } from './lines/palette.ts'
import { StreamingMarkdown } from './lines/streaming-markdown.ts'
import { cellsOf, type Line, span, spansOf } from './lines/styled-line.ts'
import { wrapCells } from './lines/wrap-cells.ts'
import { type Doing, liveFrame } from './live-frame.ts'
import { type Frame, frameUpdate, noFrame } from './live-region.ts'
import { questionInLines } from './question-in-lines.ts'
import { panelFor } from './question-panel.ts'
import { historyOf } from './typed-history.ts'

type Parts = {
  terminal: KeyedTerminal
  depth: ColorDepth
  history: HistoryFile
  /** Whether the agent is far away: then what it writes comes in here. */
  isFar: boolean
  /** The folder here that has the files of the run; null if none has. */
  workspace: string | null
}

/** Nobody sees more than this, and a spinner turns ten times a second. */
const drawMs = 16
const tickMs = 100

const styles = { line: '', faint: 'dim', warning: 'warning' } as const

/** A run at a terminal: what happens scrolls by, and below it somebody types, answers with a key, or leaves. */
export class LiveScreen implements RunScreen {
  readonly #parts: Parts
  readonly #words: EventsInWords
  readonly #keys = new Keyboard((key) => this.#take(key))
  readonly #inputs = new InputQueue<Typed>()
  readonly #tools = new Map<string, Doing>()
  readonly #held = new HeldLines<Line>((line) => this.#line(line))
  readonly #folded = new Unfolding<(width: number) => Line[]>()
  /** What is asked, by its id: its answer is told in its own words. */
  #asked: OpenQuestion | null = null
  /** What the agent is saying; `waiting` is what came since it was drawn. */
  #stream: { kind: 'words' | 'thought'; text: StreamingMarkdown; waiting: string } | null = null
  #status: Doing | null = null
  #trouble: string | null = null
  #input: InputState
  #frame: Frame = noFrame
  #columns: number
  /** For which window the frame was drawn; empty if that may have changed, and be as before again. */
  #drawnSize = ''
  #above: string[] = []
  #isAfterBlank = true
  #release: (() => void) | null = null
  #drawing: NodeJS.Timeout | null = null
  #ticking: NodeJS.Timeout | null = null
  #drawnAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#words = new EventsInWords(parts.isFar)
    this.#columns = parts.terminal.size.columns
    this.#input = emptyInput(historyOf(parts.history.read()))
  }

  /** What somebody types from now on, each with the question it is meant for. */
  async *typedHere(signal: AbortSignal): AsyncGenerator<Typed> {
    const handlers: TerminalHandlers = {
      keys: (bytes) => this.#keys.pressed(bytes),
      resized: () => this.#resized(),
      suspending: () => this.#wipe(),
      resumed: () => {
        this.#frame = noFrame
        this.#draw()
      },
      ended: () => this.#inputs.end(),
      says: (text) => this.#saidByOthers(text),
    }
    this.#release = this.#parts.terminal.open(handlers)
    this.#tick()
    this.#draw()
    yield* this.#inputs.items(signal)
  }

  /** Ctrl-C from elsewhere, as a signal. */
  interrupted(): void {
    this.#take({ is: 'interrupt' })
  }

  event(event: SeenEvent): void {
    for (const piece of this.#words.take(event)) this.#show(piece)
    if (endsTurn(event)) this.#endStream()
  }

  passed(event: SeenEvent): void {
    for (const piece of this.#words.take(event)) {
      if (piece.as === 'tool' && piece.state === 'begun') this.#tool(piece)
      else if (piece.as === 'tool') this.#tools.delete(piece.id)
      else if (piece.as === 'status') this.status(piece.text)
    }
  }

  recalls(line: string): void {
    this.#line([span(line, 'dim')])
  }

  saying(content: string): void {
    this.#words.saying(content)
  }

  question(asked: OpenQuestion): void {
    this.#endStream()
    this.#addQuestion(asked)
    if (asked.toolCallId !== null)
      this.#changes(questionInWords(asked)[0]!, this.#words.changesOf(asked.toolCallId), [])
    this.#words.questions.shown(asked.questionId)
  }

  #addQuestion(asked: OpenQuestion): void {
    const { depth, terminal } = this.#parts
    this.#add(questionInLines(asked, { ...terminal.size, keepsMarks: depth === 0 }))
  }

  /** Where its answers still stand, but what is asked may be out of sight. */
  #askAgain(): void {
    if (this.#input.panel) this.#addQuestion(this.#input.panel.asked)
  }

  asks(question: OpenQuestion | null): void {
    this.#asked = question ?? this.#asked
    this.#input = asking(this.#input, question && panelFor(question), Date.now())
    this.#held.asking(question !== null)
    this.#draw()
  }

  answering(questionId: string, answer: unknown): void {
    this.#words.questions.answering(questionId, answer)
    if (this.#asked?.questionId === questionId)
      this.#line([span('  → ', 'dim'), span(answerInWords(this.#asked, answer), 'mine')])
  }

  say(text: string): void {
    for (const line of shownText(text).split('\n')) this.#line([span(line)])
  }

  sayBetween(text: string): void {
    for (const line of shownText(text).split('\n')) this.#held.take([span(line)])
  }

  status(text: string): void {
    this.#status = { text, since: this.#status?.since ?? Date.now() }
    this.#draw()
  }

  waits(line: string | null): void {
    this.#trouble = line
    this.#draw()
  }

  turn(isUnderWay: boolean): void {
    if (this.#input.isUnderWay !== isUnderWay) this.#input = { ...this.#input, isUnderWay }
    if (isUnderWay) this.#status ??= { text: 'working', since: Date.now() }
    else {
      this.#status = null
      this.#tools.clear()
      this.#endStream()
    }
    this.#draw()
  }

  prompt(): void {}

  typed(): void {}

  close(): void {
    this.#endStream()
    this.#held.asking(false)
    this.#wipe()
    for (const timer of [this.#drawing, this.#ticking]) if (timer) clearTimeout(timer)
    this.#keys.close()
    this.#inputs.end()
    const isOpen = this.#release !== null
    this.#release?.()
    this.#release = null
    if (!isOpen) this.#flush()
  }

  /** Others write for a plain terminal: they colour their lines, and wipe away what we do not show. */
  #saidByOthers(text: string): void {
    const words = stripVTControlCharacters(text).replaceAll('\r', '').trimEnd()
    if (words !== '') this.sayBetween(words)
  }

  /** The last column stays free: some terminals go on in the next line as soon as one is full. */
  get #room(): number {
    return Math.max(8, this.#columns - 1)
  }

  #show(piece: Piece): void {
    if (piece.as === 'words' || piece.as === 'thought') this.#streamed(piece.as, piece.text)
    else if (piece.as === 'tool') this.#tool(piece)
    else if (piece.as === 'status') this.status(piece.text)
    else if (piece.as === 'faint') this.#held.take([span(piece.text, styles.faint)])
    else if (piece.as === 'warning' && piece.raw !== undefined) this.#warning(piece.text, piece.raw)
    else this.#line([span(piece.text, styles[piece.as])])
  }

  /** A sentence for people; what it was made of is shown to those who want to see it. */
  #warning(text: string, raw: string): void {
    this.#line([span(text, styles.warning), span(' (Ctrl-O shows all of it)', 'dim')])
    this.#folded.add((width) => unfolded('as the agent said it', raw.split('\n'), [], width))
  }

  #tool({ id, name, state, kind, output, content }: Extract<Piece, { as: 'tool' }>): void {
    if (state === 'begun') {
      // Not each time it tells more of itself: the agent may be saying something meanwhile.
      if (!this.#tools.has(id)) this.#endStream()
      this.#tools.set(id, { text: name, since: this.#tools.get(id)?.since ?? Date.now() })
      this.#draw()
      return
    }
    this.#tools.delete(id)
    const isFailed = state === 'failed'
    const sign = isFailed ? span('✗ ', 'removed') : span('✓ ', 'added')
    const style = isFailed ? 'warning' : 'dim'
    const shown = foldedInLines(output, kind, this.#room, style)
    this.#line([sign, span(name, isFailed ? style : ''), span(shown.beside, style)])
    this.#add(shown.below)
    this.#changes(name, content, shown.isCut ? output : [])
  }

  /** Shows what a tool changes, and remembers all there is of it if not all is shown. */
  #changes(name: string, content: readonly unknown[], output: readonly string[]): void {
    const lines = diffInLines(content, this.#room)
    const isWhole = lines.length === diffInLines(content, this.#room, Number.POSITIVE_INFINITY).length
    this.#add(lines)
    if (isWhole && output.length === 0) return
    this.#folded.add((width) => unfolded(name, output, content, width))
  }

  /** Shows all of what was folded last. */
  expand(): void {
    const part = this.#folded.next()
    if (part) this.#endStream()
    this.#add(part ? part(this.#room) : [[span('There is nothing more to show.', 'dim')]])
    if (part) this.#askAgain()
  }

  #streamed(kind: 'words' | 'thought', text: string): void {
    if (this.#stream?.kind !== kind) {
      this.#endStream()
      const how = { style: kind === 'thought' ? 'dim italic' : null, isCut: this.#isAfterBlank }
      this.#stream = { kind, text: new StreamingMarkdown(this.#parts.depth === 0, how), waiting: '' }
      this.#held.speaking(true)
    }
    // Not read at once: words come faster than anybody looks, and each time a line is read as a whole.
    this.#stream.waiting += text
    this.#draw()
  }

  #readStream(): void {
    const stream = this.#stream
    if (!stream || stream.waiting === '') return
    const text = stream.waiting
    stream.waiting = ''
    this.#add(stream.text.take(text, this.#room))
  }

  #endStream(): void {
    this.#readStream()
    const stream = this.#stream
    this.#stream = null
    if (stream) this.#add(stream.text.end(this.#room))
    this.#held.speaking(false)
  }

  /** A line of its own, broken where it must be. */
  #line(line: Line): void {
    this.#endStream()
    const cells = line.flatMap(({ text, style }) => cellsOf(text.replace(/[\n\t]/g, ' '), style))
    this.#add(wrapCells(cells, this.#room).map(({ cells }) => spansOf(cells)))
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines) this.#above.push(painted(line, this.#parts.depth))
    if (lines.length > 0) this.#isAfterBlank = lines.at(-1)!.length === 0
    this.#draw()
  }

  #take(key: Key): void {
    const { terminal } = this.#parts
    if (key.is === 'suspend') {
      terminal.suspend()
      return
    }
    if (key.is === 'expand') {
      this.expand()
      return
    }
    if (key.is === 'redraw') {
      // Some keep what is cleared, to scroll back to: only what was said belongs there.
      this.#wipe()
      terminal.write('\x1b[2J\x1b[H')
      this.#askAgain()
    }
    const { input, typed, isMessage } = inputStep(
      this.#input,
      key,
      Date.now(),
      completionNames(this.#words.offers, this.#parts.workspace),
    )
    const isNew = isMessage && input.history.entries !== this.#input.history.entries
    this.#input = input
    if (typed && isMessage) this.#echo(typed.line)
    if (typed && isNew) this.#parts.history.add(typed.line)
    if (typed) this.#inputs.add(typed)
    this.#draw()
  }

  /** What was typed stays readable above. */
  #echo(line: string): void {
    this.#endStream()
    if (!this.#isAfterBlank) this.#add([[]])
    for (const [at, one] of line.split('\n').entries())
      this.#line([span(at === 0 ? '> ' : '  ', 'dim'), span(shownText(one), 'mine')])
  }

  #resized(): void {
    this.#drawnSize = ''
    this.#draw()
  }

  /** Soon, and with everything else that comes up until then. */
  #draw(): void {
    if (this.#release === null || this.#drawing) return
    const wait = Math.max(0, this.#drawnAt + drawMs - Date.now())
    this.#drawing = setTimeout(() => {
      this.#drawing = null
      this.#drawNow()
    }, wait)
  }

  #drawNow(): void {
    const now = Date.now()
    this.#drawnAt = now
    const { terminal, depth } = this.#parts
    const { size } = terminal
    this.#columns = size.columns
    this.#readStream()
    this.#input = armed(this.#input, now)
    const scene = {
      open: this.#stream?.text.open(this.#room) ?? [],
      tools: [...this.#tools.values()],
      status: this.#status,
      trouble: this.#trouble,
      input: this.#input,
    }
    this.#update(liveFrame(scene, { ...size, depth, now }), `${size.columns}x${size.rows}`)
  }

  #update(next: Frame, size = this.#drawnSize): void {
    const text = frameUpdate(this.#frame, next, this.#above, size !== this.#drawnSize)
    this.#above = []
    this.#frame = next
    this.#drawnSize = size
    if (text !== '') this.#parts.terminal.write(text)
  }

  #wipe(): void {
    if (this.#release !== null) this.#update(noFrame)
  }

  /** Nobody has begun to type: what there is to say is said as it is. */
  #flush(): void {
    for (const line of this.#above) this.#parts.terminal.write(`${line}\n`)
    this.#above = []
  }

  /** While something turns, or a question waits for its reader. */
  #tick(): void {
    this.#ticking = setTimeout(() => {
      const { panel, isArmed } = this.#input
      if (this.#status || this.#tools.size > 0 || (panel && !isArmed)) this.#draw()
      this.#tick()
    }, tickMs)
  }
}
