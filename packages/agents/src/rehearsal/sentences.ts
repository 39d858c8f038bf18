import { phrases } from './phrases.ts'
import type { Step } from './step.ts'

/** The steps of a prompt, in order. Never fails: a sentence it does not understand becomes an `unknown` step. */
export function sentences(prompt: string): Step[] {
  const [told, wanted] = recordAndRest(prompt)
  return [...learned(told), ...stepsIn(wanted)]
}

const stepsIn = (text: string) => blocksQuoted(text).split('\n').flatMap(split).map(stepOf)

const record = /^You (?:take over work that was begun|were started again)/
const endOfRecord =
  /\nThis is the end of the record\.[^\n]*(?:\nFind out what is done already[^\n]*)?(?:\n|$)/

function recordAndRest(prompt: string): [record: string, rest: string] {
  const end = record.test(prompt) ? endOfRecord.exec(prompt) : null
  const at = end ? end.index + end[0].length : 0
  return [prompt.slice(0, at), prompt.slice(at)]
}

/** Briefings quote old orders: these are not executed again, but what was to be remembered is learned. */
function learned(told: string): Step[] {
  if (told === '') return []
  const quoted = told.split('\n').flatMap((line) => (line.startsWith('> ') ? stepsIn(line.slice(2)) : []))
  const known = quoted.filter((step) => step.do === 'remember')
  return [{ do: 'say', text: 'I have read what happened before.' }, ...known]
}

/** The step of one sentence. */
export function stepOf(sentence: string): Step {
  const words = plain(sentence)
  // A quoted text keeps its exclamation mark; an order loses it.
  return (
    understood(words) ?? understood(words.replace(/!+$/, '')) ?? fromHost(words) ?? { do: 'unknown', words }
  )
}

// Texts of the runner, which no user has written.
function fromHost(words: string): Step | null {
  if (/^You were interrupted while you worked/.test(words))
    return { do: 'say', text: 'I was interrupted, and do it all once more.' }
  if (/^You were stopped at a limit/.test(words))
    return { do: 'say', text: 'I may go on, but I do not know with what: say it again.' }
  return null
}

function understood(words: string): Step | null {
  for (const { reads, means } of phrases) {
    const said = reads.exec(words)
    const step = said && means(said.groups ?? {}, stepOf)
    if (step) return step
  }
  return null
}

// A code block below a sentence belongs to it: it is handled as one quoted text.
function blocksQuoted(prompt: string): string {
  return prompt
    .replaceAll('\r\n', '\n')
    .replaceAll(
      /(?<!\s)\s*^```[^\n]*\n(.*?)^```[ \t]*$/gms,
      (_, block: string) => ` ${JSON.stringify(block)}`,
    )
}

const verbs = [...new Set(phrases.map(({ name }) => name)), 'create', 'remove', 'move', 'show', 'execute']
const end = String.raw`(?:[.!]\s+|(?<=[.!?]["”])\s+|(?:,|(?<!\s))\s+(?:and\s+)?then,?\s+)`
const next = String.raw`(?=(?:(?:please|now|then|finally),?\s+)*(?:${verbs.join('|')})\b)`
const seam = new RegExp(end + next, 'gi')

// A full stop ends a sentence only before a word that begins one: texts and commands contain full stops.
function split(line: string): string[] {
  const whole = line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')
  const masked = whole.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`|“[^”]*”/g, mask)
  const found: string[] = []
  let from = 0
  for (const { index, 0: between } of masked.matchAll(seam)) {
    found.push(whole.slice(from, index))
    from = index + between.length
  }
  return [...found, whole.slice(from)].filter((sentence) => /[^\s.!]/.test(sentence))
}

// Keeps the end of a quotation, as some users put the full stop inside.
const mask = (words: string) => '_'.repeat(words.length - 2) + words.slice(-2)

function plain(sentence: string): string {
  return sentence
    .trim()
    .replace(/^\/(?=[a-z])/i, '')
    .replace(/^(?:(?:please|now|first|next|then|and|finally)[,:]?\s+)+/i, '')
    .replace(/(?<=[^\s./])\.$/, '')
}
