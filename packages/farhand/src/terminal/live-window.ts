import type { KeyedTerminal, TerminalHandlers } from './keys/keyed-terminal.ts'
import { type ColorDepth, painted } from './lines/palette.ts'
import { cellsOf, type Line, spansOf } from './lines/styled-line.ts'
import { wrapCells } from './lines/wrap-cells.ts'
import { type Frame, frameUpdate, noFrame } from './live-region.ts'

export type View = { columns: number; rows: number; depth: ColorDepth; now: number }

/** The user sees no more frames than this, and a spinner turns ten times a second. */
const drawMs = 16

/** Lines that scroll by, and below them a frame that is drawn again whenever something changes. */
export class LiveWindow {
  readonly #terminal: KeyedTerminal
  readonly #depth: ColorDepth
  readonly #frameNow: (view: View) => Frame
  #frame: Frame = noFrame
  #columns: number
  /** The window size that the frame was drawn for; empty after a resize, also one that was undone at once. */
  #drawnSize = ''
  #above: string[] = []
  #release: (() => void) | null = null
  #drawing: NodeJS.Timeout | null = null
  #drawnAt = 0
  isAfterBlank = true

  constructor(terminal: KeyedTerminal, depth: ColorDepth, frameNow: (view: View) => Frame) {
    this.#terminal = terminal
    this.#depth = depth
    this.#frameNow = frameNow
    this.#columns = terminal.size.columns
  }

  /** The last column stays free: some terminals go on in the next line as soon as one is full. */
  get room(): number {
    return Math.max(8, this.#columns - 1)
  }

  /** Takes the terminal and begins to draw. Before that, and if it never happens, lines only pile up. */
  open(handlers: Pick<TerminalHandlers, 'keys' | 'ended' | 'says'>): void {
    this.#release = this.#terminal.open({
      ...handlers,
      resized: () => {
        this.#drawnSize = ''
        this.draw()
      },
      suspending: () => this.#wipe(),
      resumed: () => {
        this.#frame = noFrame
        this.draw()
      },
    })
    this.draw()
  }

  add(lines: readonly Line[]): void {
    for (const line of lines) this.#above.push(painted(line, this.#depth))
    if (lines.length > 0) this.isAfterBlank = lines.at(-1)!.length === 0
    this.draw()
  }

  /** One line, wrapped where it is too long. */
  line(line: Line): void {
    const cells = line.flatMap(({ text, style }) => cellsOf(text.replace(/[\n\t]/g, ' '), style))
    this.add(wrapCells(cells, this.room).map(({ cells }) => spansOf(cells)))
  }

  /** Draws soon, together with everything else that changes until then. */
  draw(): void {
    if (this.#release === null || this.#drawing) return
    const wait = Math.max(0, this.#drawnAt + drawMs - Date.now())
    this.#drawing = setTimeout(() => {
      this.#drawing = null
      this.#drawNow()
    }, wait)
  }

  /** Empties the window. The frame goes first: some terminals keep what is cleared in their scroll-back. */
  clear(): void {
    this.#wipe()
    this.#terminal.write('\x1b[2J\x1b[H')
  }

  /** Gives the terminal back, without the frame. */
  close(): void {
    this.#wipe()
    if (this.#drawing) clearTimeout(this.#drawing)
    if (this.#release) this.#release()
    // Never opened: the lines are printed as they are.
    else for (const line of this.#above.splice(0)) this.#terminal.write(`${line}\n`)
    this.#release = null
  }

  #drawNow(): void {
    const now = Date.now()
    this.#drawnAt = now
    const { size } = this.#terminal
    this.#columns = size.columns
    this.#update(this.#frameNow({ ...size, depth: this.#depth, now }), `${size.columns}x${size.rows}`)
  }

  #update(next: Frame, size = this.#drawnSize): void {
    const text = frameUpdate(this.#frame, next, this.#above, size !== this.#drawnSize)
    this.#above = []
    this.#frame = next
    this.#drawnSize = size
    if (text !== '') this.#terminal.write(text)
  }

  #wipe(): void {
    if (this.#release !== null) this.#update(noFrame)
  }
}
