import { common, createLowlight } from 'lowlight'

const lowlight = createLowlight(common)
type Node = ReturnType<typeof lowlight.highlight>['children'][number]

export type Colour = 'word' | 'text' | 'number' | 'name' | 'comment'
/** A stretch of a line that has a colour: from this letter to before that one. */
export type Coloured = { from: number; to: number; colour: Colour }

/** Which of our five colours a kind of word has. */
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

/** The colours of each line of a code, without overlaps and in order; null for a language that is not known. */
export function codeColours(text: string, lang: string): Coloured[][] | null {
  if (!lowlight.registered(lang)) return null
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
