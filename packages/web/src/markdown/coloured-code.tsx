import { common, createLowlight } from 'lowlight'
import { Fragment, type ReactNode } from 'react'
import css from './coloured-code.module.css'

const lowlight = createLowlight(common)
type Node = ReturnType<typeof lowlight.highlight>['children'][number]

/** Which of our five colours a kind of word has. */
const colours: Readonly<Record<string, string>> = {
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

/** Code in colours; null for a language that is not known. */
export function colouredCode(text: string, lang: string): ReactNode | null {
  return lowlight.registered(lang) ? nodes(lowlight.highlight(lang, text).children) : null
}

function nodes(children: readonly Node[]): ReactNode {
  return children.map((node, at) => {
    if (node.type === 'text') return node.value
    if (node.type !== 'element') return null
    const names = node.properties.className
    const kind = Array.isArray(names) ? String(names[0]).replace(/^hljs-/, '') : ''
    const inside = nodes(node.children)
    const colour = Object.hasOwn(colours, kind) ? colours[kind] : undefined
    const key = `${at} ${kind}`
    if (!colour) return <Fragment key={key}>{inside}</Fragment>
    return (
      <span key={key} className={css[colour]}>
        {inside}
      </span>
    )
  })
}
