export type Style = { bold: boolean; dim: boolean; italic: boolean; underline: boolean; color: string | null }
export type Span = Style & { text: string }

const plain: Style = { bold: false, dim: false, italic: false, underline: false, color: null }

// The sixteen that a terminal has a name for, as a quiet theme on a dark ground shows them.
const named = [
  ...['#5c6370', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#abb2bf'],
  ...['#7f848e', '#ff7b86', '#b5e890', '#ffd68a', '#7cc4ff', '#dc8cf5', '#6fd3df', '#ffffff'],
] as const

const esc = String.fromCharCode(27)
const styleChange = new RegExp(`(${esc}\\[[0-9;]*m)`)

/** What a terminal shows, line by line: runs of text that look alike. It knows styles and colours of text, no more. */
export function styledLines(captured: string): Span[][] {
  let style = plain
  return captured.split('\n').map((line) => {
    const spans: Span[] = []
    for (const part of line.split(styleChange)) {
      const codes = part.startsWith(esc) ? part.slice(2, -1) : undefined
      if (codes !== undefined) style = styleAfter(style, codes.split(';').map(Number))
      else if (part !== '') spans.push({ ...style, text: part })
    }
    return spans
  })
}

function styleAfter(before: Style, codes: readonly number[]): Style {
  let style = before
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!
    if (code === 38 && codes[at + 1] === 5) {
      style = { ...style, color: ofPalette(codes[at + 2] ?? 0) }
      at += 2
    } else if (code === 38 && codes[at + 1] === 2) {
      const [red = 0, green = 0, blue = 0] = codes.slice(at + 2, at + 5)
      style = { ...style, color: hex(red, green, blue) }
      at += 4
    } else style = { ...style, ...changeBy(code) }
  }
  return style
}

function changeBy(code: number): Partial<Style> {
  if (code === 0) return plain
  if (code === 1) return { bold: true }
  if (code === 2) return { dim: true }
  if (code === 3) return { italic: true }
  if (code === 4) return { underline: true }
  if (code === 22) return { bold: false, dim: false }
  if (code === 23) return { italic: false }
  if (code === 24) return { underline: false }
  if (code === 39) return { color: null }
  if (code >= 30 && code <= 37) return { color: named[code - 30]! }
  if (code >= 90 && code <= 97) return { color: named[code - 90 + 8]! }
  return {}
}

function ofPalette(index: number): string {
  if (index < 16) return named[index]!
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return hex(grey, grey, grey)
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const at = index - 16
  return hex(level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6))
}

const hex = (...parts: number[]) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
