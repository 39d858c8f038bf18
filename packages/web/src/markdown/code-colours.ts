import { common, createLowlight } from 'lowlight'

const lowlight = createLowlight(common)
type Node = ReturnType<typeof lowlight.highlight>['children'][number]

export type Colour = 'word' | 'text' | 'number' | 'name' | 'comment'
/** A coloured part of a line: from this letter to before that one. */
export type Coloured = { from: number; to: number; colour: Colour }

/** Maps the highlighter's classes to our five colours. */
const colours: Readonly<Record<string, Colour>> = {
  keyword: 'word',
  'selector-tag': 'word',
  'template-tag': 'word',
  tag: 'word',
  string: 'text',
  regexp: 'text',
  symbol: 'text',
  addition: 'text',
  number: 'number',
  literal: 'number',
  attr: 'number',
  attribute: 'number',
  property: 'number',
  deletion: 'number',
  title: 'name',
  type: 'name',
  name: 'name',
  built_in: 'name',
  section: 'name',
  variable: 'name',
  meta: 'comment',
  comment: 'comment',
  quote: 'comment',
}

/** A longer run of plain letters is no code, and some grammars take quadratic time on it. */
const mostPlain = 2000

/**
 * The colours of each line, in order and without overlaps; null for an unknown language and for text that would
 * block the page. It never throws.
 */
export function codeColours(text: string, lang: string): Coloured[][] | null {
  if (!lowlight.registered(lang) || hasLongPlain(text)) return null
  try {
    return coloursOf(text, lang)
  } catch {
    // Nested too deep for the stack: show the code without colours.
    return null
  }
}

function hasLongPlain(text: string): boolean {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    length = isPlain(text.charCodeAt(at)) ? length + 1 : 0
    if (length > mostPlain) return true
  }
  return false
}

/** ASCII letters, digits, blanks, dot, underscore and opening bracket. */
const isPlain = (code: number) =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code <= 0x20 ||
  code === 0x2e ||
  code === 0x5f ||
  code === 0x5b

function coloursOf(text: string, lang: string): Coloured[][] {
  const lines: Coloured[][] = [[]]
  let at = 0
  const put = (value: string, colour: Colour | null) => {
    for (const [nth, part] of value.split('\n').entries()) {
      if (nth > 0) {
        lines.push([])
        at = 0
      }
      const last = lines.at(-1)!.at(-1)
      if (colour && part !== '') {
        if (last?.to === at && last.colour === colour) last.to += part.length
        else lines.at(-1)!.push({ from: at, to: at + part.length, colour })
      }
      at += part.length
    }
  }
  const walk = (nodes: readonly Node[], around: Colour | null) => {
    for (const node of nodes)
      if (node.type === 'text') put(node.value, around)
      else if (node.type === 'element') walk(node.children, colourOf(node.properties.className) ?? around)
  }
  walk(lowlight.highlight(lang, text).children, null)
  return lines
}

function colourOf(names: unknown): Colour | null {
  const kind = Array.isArray(names) ? String(names[0]).replace(/^hljs-/, '') : ''
  return Object.hasOwn(colours, kind) ? colours[kind]! : null
}
