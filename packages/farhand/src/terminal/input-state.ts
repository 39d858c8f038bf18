import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { completion, type Names } from './complete/tab-completion.ts'
import type { Key } from './keys/key-reader.ts'
import { menuChoice } from './leave-menu.ts'
import { type Draft, draftWith, edited, emptyDraft } from './line-editor.ts'
import { type Panel, panelStep } from './question-panel.ts'
import { stepInHistory, type TypedHistory, withTyped } from './typed-history.ts'

/** What somebody at the keyboard is doing. */
export type Hands = {
  readonly draft: Draft
  readonly history: TypedHistory
  readonly panel: Panel | null
  /** Whether keys answer the question; null until they do, else they are still meant for the line. */
  readonly isArmed: boolean
  readonly askedAt: number
  readonly lastKeyAt: number
  readonly isMenuOpen: boolean
  /** What the line could become, where Tab found more than one thing. */
  readonly candidates: readonly string[]
  /** Whether the agent is at work. */
  readonly isUnderWay: boolean
}

/** Hands that have done nothing yet, of somebody who has typed this before. */
export const idleHands = (history: TypedHistory): Hands => ({
  draft: emptyDraft,
  history,
  panel: null,
  isArmed: false,
  askedAt: 0,
  lastKeyAt: 0,
  isMenuOpen: false,
  candidates: [],
  isUnderWay: false,
})

/** A line that somebody has ended, and the question it is meant for. */
export type Typed = { line: string; question: OpenQuestion | null }

export type HandsStep = {
  hands: Hands
  typed?: Typed
  /** Whether the line is to be remembered. */
  isMessage?: boolean
}

/** Nobody reads a question faster than this. */
const readMs = 200
/** Whoever is in the middle of a line goes on with it until they pause. */
const pauseMs = 700

/** Whether keys answer the question by now: whoever was typing when it came up must not answer it by accident. */
export function armed(hands: Hands, now: number): Hands {
  const { panel, isArmed, draft, askedAt, lastKeyAt } = hands
  if (!panel || isArmed || now - askedAt < readMs) return hands
  const isTyping = draft.text !== '' && now - lastKeyAt < pauseMs
  return isTyping ? hands : { ...hands, isArmed: true }
}

/** The question that is asked now, or none; the line that was being typed stays for later. */
export function asking(hands: Hands, panel: Panel | null, now: number): Hands {
  if (hands.panel?.asked.questionId === panel?.asked.questionId) return hands
  return { ...hands, panel, isArmed: false, askedAt: now }
}

/** What one more key does. */
export function handsStep(before: Hands, key: Key, now: number, names: Names = noNames): HandsStep {
  const hands = { ...armed(before, now), lastKeyAt: now, candidates: [] }
  if (hands.isMenuOpen) {
    const line = menuChoice(key, hands.isUnderWay)
    const closed = { ...hands, isMenuOpen: false }
    return line === null ? { hands: closed } : { hands: closed, typed: { line, question: null } }
  }
  if (key.is === 'interrupt') return { hands: interrupted(hands) }
  if (key.is === 'menu') return { hands: { ...hands, isMenuOpen: true } }
  const panel = hands.isArmed ? hands.panel : null
  if (key.is === 'end-of-input' && (panel?.draft ?? hands.draft).text === '')
    return { hands, typed: { line: '/detach', question: null } }
  const pressed: Key = key.is === 'end-of-input' ? { is: 'delete' } : key
  if (!panel && key.is === 'tab') return { hands: completed(hands, names) }
  if (!panel) return draftStep(hands, pressed)
  const step = panelStep(panel, pressed)
  if ('panel' in step) return { hands: { ...hands, panel: step.panel } }
  return {
    hands: { ...hands, panel: null, isArmed: false },
    typed: { line: step.line, question: panel.asked },
  }
}

/** A line that is begun goes first, unless the agent is at work: then that is what is to be stopped. */
function interrupted(hands: Hands): Hands {
  const typing = hands.isArmed ? hands.panel?.draft : null
  if (hands.panel && typing && typing.text !== '')
    return { ...hands, panel: { ...hands.panel, draft: emptyDraft } }
  if (!hands.isUnderWay && !hands.panel && hands.draft.text !== '')
    return { ...hands, draft: draftWith(hands.draft, '') }
  return { ...hands, isMenuOpen: true }
}

const noNames: Names = { commands: () => [], values: () => [], files: () => [] }

function completed(hands: Hands, names: Names): Hands {
  const done = completion(hands.draft, names)
  if (!done) return hands
  const { text, at, candidates } = done
  return { ...hands, draft: { ...hands.draft, text, at }, candidates }
}

function draftStep(hands: Hands, key: Key): HandsStep {
  const { draft, history } = hands
  if (key.is === 'enter') {
    const line = draft.text
    if (line.trim() === '') return { hands: { ...hands, draft: draftWith(draft, '') } }
    const next = { ...hands, draft: draftWith(draft, ''), history: withTyped(history, line) }
    return { hands: next, typed: { line, question: null }, isMessage: true }
  }
  const next = edited(draft, key)
  if (next) return { hands: { ...hands, draft: next } }
  if (key.is !== 'up' && key.is !== 'down') return { hands }
  const step = stepInHistory(history, key.is === 'up' ? 'older' : 'newer', draft.text)
  return step ? { hands: { ...hands, history: step.history, draft: draftWith(draft, step.text) } } : { hands }
}
