import { emptyDraft } from '../composer/drafts.ts'
import { drafts } from '../composer/use-draft.ts'

/** The unsent free-text answer to a question. The virtual list removes rows out of sight, so it is kept here. */
export const answerDraft = (questionId: string): string => drafts.of(questionId).text

export function saveAnswerDraft(questionId: string, text: string): void {
  drafts.keep(questionId, text === '' ? emptyDraft : { text, attachments: [] })
}

/** The unsent form values; empty if unreadable. */
export function formDraft(questionId: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(answerDraft(questionId) || '{}') }
  } catch {
    return {}
  }
}
