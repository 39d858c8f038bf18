import { completion, type Names } from './complete/tab-completion.ts'
import type { Key } from './keys/key-reader.ts'
import { menuChoice } from './leave-menu.ts'
import { type Draft, draftWith, edited, emptyDraft } from './line-editor.ts'
import { type Panel, panelStep } from './question-panel.ts'
import type { Typed } from './run-screen/run-screen.ts'
import { stepInHistory, type TypedHistory, withTyped } from './typed-history.ts'

/** Everything the user has typed and not sent yet. */
export type InputState = {
  readonly draft: Draft
  readonly history: TypedHistory
  readonly panel: Panel | null
  /** Whether keys answer the question already; before that they still go to the line. */
  readonly isArmed: boolean
  readonly askedAt: number
  readonly lastKeyAt: number
  readonly isMenuOpen: boolean
  /** The candidates that Tab found, if there are several. */
  readonly candidates: readonly string[]
  /** Whether a turn is under way. */
  readonly isUnderWay: boolean
}

export const emptyInput = (history: TypedHistory): InputState => ({
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

export type InputStep = {
  input: InputState
  typed?: Typed
  /** Whether the line is to be remembered. */
  isMessage?: boolean
}

/** The user cannot read a question faster than this. */
const readMs = 200
/** A user in the middle of a line goes on typing until they pause this long. */
const pauseMs = 700

/**
 * Lets keys answer the question once the user has had time to see it: keys that they were typing must not answer it by
 * accident.
 */
export function armQuestion(input: InputState, now: number): InputState {
  const { panel, isArmed, draft, askedAt, lastKeyAt } = input
  if (!panel || isArmed || now - askedAt < readMs) return input
  const isTyping = draft.text !== '' && now - lastKeyAt < pauseMs
  return isTyping ? input : { ...input, isArmed: true }
}

/** Opens or closes a question; the line being typed is kept. */
export function asking(input: InputState, panel: Panel | null, now: number): InputState {
  if (input.panel?.asked.questionId === panel?.asked.questionId) return input
  return { ...input, panel, isArmed: false, askedAt: now }
}

export function inputStep(before: InputState, key: Key, now: number, names: Names = noNames): InputStep {
  const input = { ...armQuestion(before, now), lastKeyAt: now, candidates: [] }
  if (input.isMenuOpen) {
    const line = menuChoice(key, input.isUnderWay)
    const closed = { ...input, isMenuOpen: false }
    return line === null ? { input: closed } : { input: closed, typed: { line, question: null } }
  }
  if (key.is === 'interrupt') return { input: interrupted(input) }
  if (key.is === 'menu') return { input: { ...input, isMenuOpen: true } }
  const panel = input.isArmed ? input.panel : null
  if (key.is === 'end-of-input' && (panel?.draft ?? input.draft).text === '')
    return { input, typed: { line: '/detach', question: null } }
  const pressed: Key = key.is === 'end-of-input' ? { is: 'delete' } : key
  if (!panel && key.is === 'tab') return { input: completed(input, names) }
  if (!panel) return draftStep(input, pressed)
  const step = panelStep(panel, pressed)
  if ('panel' in step) return { input: { ...input, panel: step.panel } }
  return {
    input: { ...input, panel: null, isArmed: false },
    typed: { line: step.line, question: panel.asked },
  }
}

/** Ctrl-C first clears the line, unless the agent is working: then it opens the menu. */
function interrupted(input: InputState): InputState {
  const typing = input.isArmed ? input.panel?.draft : null
  if (input.panel && typing && typing.text !== '')
    return { ...input, panel: { ...input.panel, draft: emptyDraft } }
  if (!input.isUnderWay && !input.panel && input.draft.text !== '')
    return { ...input, draft: draftWith(input.draft, '') }
  return { ...input, isMenuOpen: true }
}

const noNames: Names = { commands: () => [], values: () => [], files: () => [] }

function completed(input: InputState, names: Names): InputState {
  const done = completion(input.draft, names)
  if (!done) return input
  const { text, at, candidates } = done
  return { ...input, draft: { ...input.draft, text, at }, candidates }
}

function draftStep(input: InputState, key: Key): InputStep {
  const { draft, history } = input
  if (key.is === 'enter') {
    const line = draft.text
    if (line.trim() === '') return { input: { ...input, draft: draftWith(draft, '') } }
    const next = { ...input, draft: draftWith(draft, ''), history: withTyped(history, line) }
    return { input: next, typed: { line, question: null }, isMessage: true }
  }
  const next = edited(draft, key)
  if (next) return { input: { ...input, draft: next } }
  if (key.is !== 'up' && key.is !== 'down') return { input }
  const step = stepInHistory(history, key.is === 'up' ? 'older' : 'newer', draft.text)
  return step ? { input: { ...input, history: step.history, draft: draftWith(draft, step.text) } } : { input }
}
