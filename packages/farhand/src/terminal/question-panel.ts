import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { draftInLines } from './draft-in-lines.ts'
import type { Key } from './keys/key-reader.ts'
import { type Draft, draftWith, edited, emptyDraft } from './line-editor.ts'
import { type Line, span } from './lines/styled-line.ts'
import { cutToWidth } from './lines/text-width.ts'
import { firstLine } from './printing/shown-text.ts'
import { formExample } from './questions/form-example.ts'
import { type Asked, answerInWords } from './questions/question-in-words.ts'

/** An open question, and the user's answer so far. */
export type Panel = {
  readonly asked: OpenQuestion
  readonly chosen: number | null
  /** The answer being typed, if it is not an option. */
  readonly draft: Draft | null
}

/** The result of a key: a new state of the panel, or the answer. */
export type PanelStep = { panel: Panel } | { line: string }

// Without n, t and y, which have a meaning of their own.
const letters = '123456789abcdefghijklmopqrsuvwxz'

/** The key of an option. */
export const optionKey = (at: number): string => letters[at] ?? ' '

export function panelFor(asked: OpenQuestion): Panel {
  const options = asked.options ?? []
  const fallback = options.findIndex((option) => idOf(option) === asked.default)
  return {
    asked,
    chosen: fallback === -1 ? null : fallback,
    draft: options.length === 0 ? emptyDraft : null,
  }
}

export function panelStep(panel: Panel, key: Key): PanelStep {
  const { asked, chosen, draft } = panel
  const options = asked.options ?? []
  if (draft) return typedStep(panel, draft, key)
  if (key.is === 'enter') {
    if (chosen !== null) return { line: String(chosen + 1) }
    return hasDefault(asked) ? { line: '' } : { panel }
  }
  if (key.is === 'up' || key.is === 'down' || key.is === 'tab') {
    const by = key.is === 'up' ? -1 : 1
    const from = chosen ?? (by === 1 ? -1 : options.length)
    return { panel: { ...panel, chosen: (from + by + options.length) % options.length } }
  }
  if (key.is !== 'text') return { panel }
  const pressed = key.text.toLowerCase()
  const at = letters.indexOf(pressed)
  if (pressed.length === 1 && at !== -1 && at < options.length) return { line: String(at + 1) }
  if (asked.kind === 'permission') return /^[yn]$/.test(pressed) ? { line: pressed } : { panel }
  // On a slow connection several keys can arrive together.
  return pressed[0] === 't'
    ? { panel: { ...panel, draft: draftWith(emptyDraft, key.text.slice(1)) } }
    : { panel }
}

function typedStep(panel: Panel, draft: Draft, key: Key): PanelStep {
  const { asked } = panel
  if (key.is === 'enter') {
    const line = draft.text.trim()
    return line !== '' || hasDefault(asked) ? { line } : { panel }
  }
  if (key.is === 'escape') return { panel: { ...panel, draft: asked.options?.length ? null : draft } }
  return { panel: { ...panel, draft: edited(draft, key) ?? draft } }
}

/** The options with their keys, or the answer being typed; the key hint is shown once keys count. */
export function panelInLines(panel: Panel, isArmed: boolean, columns: number, mostRows: number): Line[] {
  const { asked, chosen, draft } = panel
  const room = columns - 1
  const hint: Line[] = isArmed ? [[span(cutToWidth(hintFor(panel), room), 'dim')]] : []
  if (draft) return [...hint, ...draftInLines(draft, columns, Math.max(1, mostRows - hint.length))]
  const all = (asked.options ?? []).map((option, at): Line => {
    const mark = at === chosen ? '›' : ' '
    const text = `${mark} ${optionKey(at)}  ${firstLine(typeof option === 'string' ? option : option.name, 500)}`
    return [span(cutToWidth(text, room), at === chosen ? 'chosen' : '')]
  })
  const most = Math.max(1, mostRows - hint.length)
  const from = Math.min(Math.max(0, (chosen ?? 0) - most + 1), Math.max(0, all.length - most))
  return [...all.slice(from, from + most), ...hint]
}

function hintFor({ asked, draft }: Panel): string {
  const example = formExample(asked.form)
  const fallback = hasDefault(asked) ? `Enter: ${answerInWords(asked, asked.default)}` : ''
  if (draft) {
    const typed = example === null ? 'Type an answer' : `Answer like ${example}`
    return `${typed}, then Enter${fallback && ` (${fallback})`}`
  }
  const count = Math.min(asked.options?.length ?? 0, letters.length)
  const keys = count > 1 ? `1-${letters[count - 1]}` : '1'
  const more = asked.kind === 'permission' ? ', y or n' : ', t: type it'
  return `Press ${keys}${more}${fallback ? `, ${fallback}` : ', or ↑↓ and Enter'}`
}

const hasDefault = (asked: Asked) => asked.default !== undefined && asked.default !== null
const idOf = (option: NonNullable<OpenQuestion['options']>[number]) =>
  typeof option === 'string' ? option : option.optionId
