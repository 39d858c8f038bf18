import { stripVTControlCharacters } from 'node:util'
import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { completionNames } from './complete/completion-names.ts'
import { FoldedTools } from './folded-tools.ts'
import type { HistoryFile } from './history-file.ts'
import { InputQueue } from './input-queue.ts'
import { armQuestion, asking, emptyInput, type InputState, inputStep } from './input-state.ts'
import type { Key } from './keys/key-reader.ts'
import { Keyboard } from './keys/keyboard.ts'
import type { KeyedTerminal } from './keys/keyed-terminal.ts'
import type { ColorDepth } from './lines/palette.ts'
import { StreamingMarkdown } from './lines/streaming-markdown.ts'
import { type Line, span } from './lines/styled-line.ts'
import { type Activity, liveFrame } from './live-frame.ts'
import { LiveWindow, type View } from './live-window.ts'
import { HeldLines } from './output/held-lines.ts'
import { shownText } from './printing/shown-text.ts'
import { panelFor } from './question-panel.ts'
import { questionInWords } from './questions/question-in-words.ts'
import type { Piece } from './run-screen/piece.ts'
import type { RunScreen, Typed } from './run-screen/run-screen.ts'
import { StoryReader } from './run-screen/story-reader.ts'
import { ShownQuestion } from './shown-question.ts'
import { historyOf } from './typed-history.ts'

type Parts = {
  terminal: KeyedTerminal
  depth: ColorDepth
  history: HistoryFile
  /** Whether the agent works in a sandbox: then its files arrive here. */
  isFar: boolean
  /** The folder here that has the files of the run; null if none has. */
  workspace: string | null
  /** The last event that the user has been shown before; null if none. */
  lookedAt: number | null
}

const tickMs = 100

const styles = { line: '', faint: 'dim', warning: 'warning' } as const

/** A run at a terminal: events scroll by, and below them the user types, answers with a key, or leaves. */
export class LiveScreen implements RunScreen {
  readonly #parts: Parts
  readonly #reader: StoryReader
  readonly #keys = new Keyboard((key) => this.#take(key))
  readonly #inputs = new InputQueue<Typed>()
  readonly #tools = new Map<number, Activity>()
  readonly #held = new HeldLines<Line>((line) => this.#line(line))
  readonly #folded = new FoldedTools()
  readonly #window: LiveWindow
  readonly #question: ShownQuestion
  /** The agent's current message; `waiting` is the text that is not drawn yet. */
  #stream: { kind: 'words' | 'thought'; text: StreamingMarkdown; waiting: string } | null = null
  #status: Activity | null = null
  #trouble: string | null = null
  #input: InputState
  #ticking: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.#reader = new StoryReader(parts.isFar, parts.lookedAt)
    const { terminal, depth } = parts
    this.#window = new LiveWindow(terminal, depth, (view) => this.#frame(view))
    this.#question = new ShownQuestion(terminal, depth)
    this.#input = emptyInput(historyOf(parts.history.read()))
  }

  /** The lines that the user types from now on, each with the question that it answers. */
  async *typedHere(signal: AbortSignal): AsyncGenerator<Typed> {
    this.#window.open({
      keys: (bytes) => this.#keys.pressed(bytes),
      ended: () => this.#inputs.end(),
      says: (text) => this.#saidByOthers(text),
    })
    this.#tick()
    yield* this.#inputs.items(signal)
  }

  interrupted(): void {
    this.#take({ is: 'interrupt' })
  }

  events(events: readonly SeenEvent[]): void {
    for (const piece of this.#reader.take(events)) this.#show(piece)
  }

  past(event: SeenEvent, isIdle: boolean): void {
    this.#reader.past(event, isIdle)
  }

  present(): void {
    const { reminder, pieces } = this.#reader.present()
    for (const text of reminder) this.#line([span(text, 'dim')])
    for (const piece of pieces) this.#show(piece)
  }

  saying(content: string): void {
    this.#reader.saying(content)
  }

  question(asked: OpenQuestion): void {
    this.#endStream()
    this.#window.add(this.#question.lines(asked))
    if (asked.toolCallId !== null)
      this.#window.add(
        this.#folded.changes(
          questionInWords(asked)[0]!,
          this.#reader.changesOf(asked.toolCallId),
          this.#window.room,
        ),
      )
    this.#reader.asked(asked.questionId)
  }

  asks(question: OpenQuestion | null): void {
    this.#question.opens(question)
    this.#input = asking(this.#input, question && panelFor(question), Date.now())
    this.#held.asking(question !== null)
    this.#window.draw()
  }

  answering(questionId: string, answer: unknown): void {
    this.#reader.answering(questionId, answer)
    const line = this.#question.answered(questionId, answer)
    if (line) this.#line(line)
  }

  say(text: string): void {
    for (const line of shownText(text).split('\n')) this.#line([span(line)])
  }

  sayBetween(text: string): void {
    for (const line of shownText(text).split('\n')) this.#held.take([span(line)])
  }

  status(text: string): void {
    this.#status = { text, since: this.#status?.since ?? Date.now() }
    this.#window.draw()
  }

  waits(line: string | null): void {
    this.#trouble = line
    this.#window.draw()
  }

  turn(isUnderWay: boolean): void {
    if (this.#input.isUnderWay !== isUnderWay) this.#input = { ...this.#input, isUnderWay }
    if (isUnderWay) this.#status ??= { text: 'working', since: Date.now() }
    else {
      this.#status = null
      this.#tools.clear()
      this.#endStream()
    }
    this.#window.draw()
  }

  prompt(): void {}

  typed(): void {}

  close(): void {
    this.#endStream()
    this.#held.asking(false)
    if (this.#ticking) clearTimeout(this.#ticking)
    this.#keys.close()
    this.#inputs.end()
    this.#window.close()
  }

  /** Other parts of the program write for a plain terminal, with colours and control characters. */
  #saidByOthers(text: string): void {
    const words = stripVTControlCharacters(text).replaceAll('\r', '').trimEnd()
    if (words !== '') this.sayBetween(words)
  }

  #show(piece: Piece): void {
    if (piece.as === 'words' || piece.as === 'thought') this.#streamed(piece.as, piece.text)
    else if (piece.as === 'end') this.#endStream()
    else if (piece.as === 'tool') this.#tool(piece)
    else if (piece.as === 'status') this.status(piece.text)
    else if (piece.as === 'faint') this.#held.take([span(piece.text, styles.faint)])
    else if (piece.as === 'warning' && piece.raw !== undefined)
      this.#line(this.#folded.warning(piece.text, piece.raw))
    else this.#line([span(piece.text, styles[piece.as])])
  }

  #tool(piece: Extract<Piece, { as: 'tool' }>): void {
    const { id, name, state } = piece
    if (state === 'begun') {
      // Only at its first update: the agent may be writing a message meanwhile.
      if (!this.#tools.has(id)) this.#endStream()
      this.#tools.set(id, { text: name, since: this.#tools.get(id)?.since ?? Date.now() })
      this.#window.draw()
      return
    }
    this.#tools.delete(id)
    const { line, below } = this.#folded.ended(piece, this.#window.room)
    this.#line(line)
    this.#window.add(below)
  }

  expand(): void {
    const part = this.#folded.next(this.#window.room)
    if (part) this.#endStream()
    this.#window.add(part ?? [[span('There is nothing more to show.', 'dim')]])
    if (part) this.#window.add(this.#question.again(this.#input.panel))
  }

  #streamed(kind: 'words' | 'thought', text: string): void {
    if (this.#stream?.kind !== kind) {
      this.#endStream()
      const how = { style: kind === 'thought' ? 'dim italic' : null, isCut: this.#window.isAfterBlank }
      this.#stream = { kind, text: new StreamingMarkdown(this.#parts.depth === 0, how), waiting: '' }
      this.#held.speaking(true)
    }
    // Parsed only when drawn: each time the whole line is parsed, and text arrives faster than frames.
    this.#stream.waiting += text
    this.#window.draw()
  }

  #readStream(): void {
    const stream = this.#stream
    if (!stream || stream.waiting === '') return
    const text = stream.waiting
    stream.waiting = ''
    this.#window.add(stream.text.take(text, this.#window.room))
  }

  #endStream(): void {
    this.#readStream()
    const stream = this.#stream
    this.#stream = null
    if (stream) this.#window.add(stream.text.end(this.#window.room))
    this.#held.speaking(false)
  }

  #line(line: Line): void {
    this.#endStream()
    this.#window.line(line)
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
      this.#window.clear()
      this.#window.add(this.#question.again(this.#input.panel))
    }
    const { input, typed, isMessage } = inputStep(
      this.#input,
      key,
      Date.now(),
      completionNames(this.#reader.offers, this.#parts.workspace),
    )
    const isNew = isMessage && input.history.entries !== this.#input.history.entries
    this.#input = input
    if (typed && isMessage) this.#echo(typed.line)
    if (typed && isNew) this.#parts.history.add(typed.line)
    if (typed) this.#inputs.add(typed)
    this.#window.draw()
  }

  /** Prints the sent message above the input. */
  #echo(line: string): void {
    this.#endStream()
    if (!this.#window.isAfterBlank) this.#window.add([[]])
    for (const [at, one] of line.split('\n').entries())
      this.#line([span(at === 0 ? '> ' : '  ', 'dim'), span(shownText(one), 'mine')])
  }

  /** The bottom of the window as it is now. */
  #frame(view: View) {
    this.#readStream()
    this.#input = armQuestion(this.#input, view.now)
    const scene = {
      open: this.#stream?.text.open(this.#window.room) ?? [],
      tools: [...this.#tools.values()],
      status: this.#status,
      trouble: this.#trouble,
      input: this.#input,
    }
    return liveFrame(scene, view)
  }

  /** Redraws while a spinner turns, or until keys answer a new question. */
  #tick(): void {
    this.#ticking = setTimeout(() => {
      const { panel, isArmed } = this.#input
      if (this.#status || this.#tools.size > 0 || (panel && !isArmed)) this.#window.draw()
      this.#tick()
    }, tickMs)
  }
}
