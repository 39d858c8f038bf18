export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'kill-word'
  | 'kill-next-word'
  | 'kill-to-end'
  | 'kill-to-start'
  | 'yank'
  | 'interrupt'
  /** Ctrl-C that had to end a paste first: it opens the menu, and the pasted text is kept. */
  | 'menu'
  | 'end-of-input'
  | 'suspend'
  | 'redraw'
  | 'expand'

/** One input: typed characters, a whole paste, or a key with a meaning. */
export type Key = { is: 'text' | 'paste'; text: string } | { is: KeyName }

const controls: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x08': 'backspace',
  '\x0b': 'kill-to-end',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x0f': 'expand',
  '\x10': 'up',
  '\x15': 'kill-to-start',
  '\x17': 'kill-word',
  '\x19': 'yank',
  '\x1a': 'suspend',
  '\x7f': 'backspace',
}

const withAlt: Readonly<Record<string, KeyName>> = {
  '\r': 'newline',
  '\n': 'newline',
  '\x7f': 'kill-word',
  '\x08': 'kill-word',
  b: 'word-left',
  f: 'word-right',
  d: 'kill-next-word',
}

const finals: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
}

const numbered: Readonly<Record<string, KeyName>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '7': 'home',
  '8': 'end',
}

const pasteBegins = '\x1b[200~'
const pasteEnds = '\x1b[201~'
const [nul, esc, lastControl] = [0, 0x1b, 0x1f].map((code) => String.fromCharCode(code))
const sequence = new RegExp(`^${esc}\\[([\\x30-\\x3f]*)[\\x20-\\x2f]*([\\x40-\\x7e])`)
const beginning = new RegExp(`^${esc}\\[[\\x20-\\x3f]*$`)
/** A possible beginning of the paste's end sequence, or half of a line end. */
const heldBack = new RegExp(`(?:\\r|${esc}(?:\\[(?:2(?:0(?:1)?)?)?)?)$`)
const interruptByte = 3
const characters = new RegExp(`^[^${nul}-${lastControl}\\x7f]+`)

/** Decodes the bytes of a terminal into keys, no matter in which pieces they arrive. */
export class KeyReader {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #pasted: string | null = null
  /** Whether the end of a paste did not arrive in time. */
  #isQuiet = false

  /** What the next bytes could complete: a key that begins like Escape, or a paste. */
  get waitsFor(): 'key' | 'paste' | null {
    if (this.#pasted !== null) return this.#isQuiet ? null : 'paste'
    return this.#rest === '' ? null : 'key'
  }

  take(bytes: Uint8Array): Key[] {
    const keys: Key[] = []
    const isPressed = this.#pasted !== null && this.#isQuiet && bytes[0] === interruptByte
    this.#isQuiet = false
    if (isPressed) keys.push(...this.#endPaste(), { is: 'menu' })
    this.#rest += this.#decoder.decode(isPressed ? bytes.subarray(1) : bytes, { stream: true })
    for (let key = this.#next(); key !== null; key = this.#next()) if (key !== 'nothing') keys.push(key)
    return keys
  }

  /**
   * Called after a pause: an incomplete key is taken as it is. An incomplete paste delivers what came so far; further
   * bytes still belong to it, or half of it would act as typed keys, except Ctrl-C, which the user has pressed.
   */
  waited(): Key[] {
    if (this.#pasted !== null) {
      this.#isQuiet = true
      const text = plainText(this.#pasted)
      this.#pasted = ''
      return text === '' ? [] : [{ is: 'paste', text }]
    }
    const isEscape = this.#rest === '\x1b'
    this.#rest = ''
    return isEscape ? [{ is: 'escape' }] : []
  }

  #next(): Key | 'nothing' | null {
    if (this.#pasted !== null) return this.#pasteEnd()
    const text = characters.exec(this.#rest)?.[0]
    if (text !== undefined) return this.#used(text.length, { is: 'text', text })
    const first = this.#rest[0]
    if (first === undefined) return null
    if (first !== '\x1b') return this.#used(1, named(controls[first]))
    return this.#escape()
  }

  #escape(): Key | 'nothing' | null {
    const second = this.#rest[1]
    if (second === undefined) return null
    if (second === '\x1b') return this.#used(1, { is: 'escape' })
    if (second === 'O') {
      const third = this.#rest[2]
      return third === undefined ? null : this.#used(3, named(finals[third]))
    }
    if (second !== '[') return this.#used(2, named(withAlt[second]))
    if (this.#rest.startsWith(pasteBegins)) {
      this.#rest = this.#rest.slice(pasteBegins.length)
      this.#pasted = ''
      return this.#pasteEnd()
    }
    const [all, params = '', final = ''] = sequence.exec(this.#rest) ?? []
    if (all !== undefined) return this.#used(all.length, named(ofSequence(params, final)))
    if (beginning.test(this.#rest)) return null
    return this.#used(2, 'nothing')
  }

  #pasteEnd(): Key | 'nothing' | null {
    const end = this.#rest.indexOf(pasteEnds)
    if (end === -1) {
      // Part of its end sequence may have arrived, or the first half of a line end.
      const kept = heldBack.exec(this.#rest)?.index ?? this.#rest.length
      this.#pasted += this.#rest.slice(0, kept)
      this.#rest = this.#rest.slice(kept)
      return null
    }
    const text = plainText(this.#pasted + this.#rest.slice(0, end))
    this.#rest = this.#rest.slice(end + pasteEnds.length)
    this.#pasted = null
    return text === '' ? 'nothing' : { is: 'paste', text }
  }

  #endPaste(): Key[] {
    const text = plainText(this.#pasted + this.#rest)
    this.#rest = ''
    this.#pasted = null
    return text === '' ? [] : [{ is: 'paste', text }]
  }

  #used<Of>(length: number, key: Of): Of {
    this.#rest = this.#rest.slice(length)
    return key
  }
}

const named = (name: KeyName | undefined): Key | 'nothing' => (name === undefined ? 'nothing' : { is: name })

function ofSequence(params: string, final: string): KeyName | undefined {
  const [first = '', modifier = '1', third = ''] = params.split(';')
  // Shift-Enter or Alt-Enter, on terminals that report modifiers.
  if (final === 'u' && first === '13') return modifier === '1' ? 'enter' : 'newline'
  if (final === '~' && first === '27' && third === '13') return 'newline'
  if (final === '~') return numbered[first]
  const key = finals[final]
  if (modifier === '1' || (key !== 'left' && key !== 'right')) return key
  return key === 'left' ? 'word-left' : 'word-right'
}

/** Pasted text without control characters: nothing in it may act as a key. */
const plainText = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replace(/(?!\n)\p{Cc}/gu, '')
