import { emptyDraft } from '../composer/drafts.ts'
import { drafts } from '../composer/use-draft.ts'

/** What somebody has begun to answer, as it was left: the list shows only what is in sight, and forgets the rest. */
export const answerDraft = (questionId: string): string => drafts.of(questionId).text

export function saveAnswerDraft(questionId: string, text: string): void {
  drafts.keep(questionId, text === '' ? emptyDraft : { text, attachments: [] })
}

/** What was filled into a form; empty if that cannot be read. */
export function formDraft(questionId: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(answerDraft(questionId) || '{}') }
  } catch {
    return {}
  }
}
