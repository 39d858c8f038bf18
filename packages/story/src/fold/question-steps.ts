import type { AgentQuestion, QuestionClosed, UserResponse } from '@farhand/protocol/methods/questions'
import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { directText, noCuts } from '../items/cut-text.ts'
import type { QuestionItem } from '../items/story.ts'
import type { Steps } from './step.ts'
import type { StoryDraft } from './story-draft.ts'
import { startWaiting, stopWaiting, toolName } from './tool-steps.ts'

const nameOf = (questionId: string) => `question ${questionId}`
const isEnded = ({ state }: QuestionItem) => state !== 'open' && state !== 'given'

function ask(draft: StoryDraft, { questionId }: AgentQuestion, event: SeenEvent, view: RunView): void {
  const asked = view.openQuestions.find((open) => open.questionId === questionId)
  // If an id is used twice, the first question counts.
  if (asked?.eventId !== event.id) return
  const said = directText(event.notification.params ?? {}, 'question')
  const item: QuestionItem = {
    kind: 'question',
    id: event.id,
    at: event.timestamp,
    ...(said ?? { text: asked.question, cuts: noCuts }),
    asked,
    state: 'open',
    answer: null,
    answeredBy: null,
    why: null,
  }
  draft.endWords()
  const tool = asked.toolCallId === null ? null : draft.find('tool', toolName(asked.toolCallId))
  if (tool && (tool.question === null || isEnded(tool.question))) {
    draft.replace(toolName(tool.call), startWaiting({ ...tool, question: item }, event.timestamp))
    draft.questionsInTools.set(questionId, tool.call)
  } else draft.add(item, nameOf(questionId))
}

/** Changes a question, in its own item or in the card of a tool. */
function change(
  draft: StoryDraft,
  questionId: string,
  at: string,
  to: (question: QuestionItem) => QuestionItem,
): void {
  const own = draft.find('question', nameOf(questionId))
  if (own) draft.replace(nameOf(questionId), to(own))
  const call = draft.questionsInTools.get(questionId)
  const tool = call === undefined ? null : draft.find('tool', toolName(call))
  if (tool?.question?.asked.questionId === questionId)
    draft.replace(toolName(tool.call), stopWaiting({ ...tool, question: to(tool.question) }, at))
}

function answer(
  draft: StoryDraft,
  said: UserResponse,
  { id, by, timestamp }: SeenEvent,
  view: RunView,
): void {
  const open = view.openQuestions.find(({ questionId }) => questionId === said.questionId)
  // Only the first answer counts, and only while the agent that asked is running (W30).
  if (open?.given?.eventId !== id) return
  change(draft, said.questionId, timestamp, (question) => ({
    ...question,
    asked: open,
    state: 'given',
    answer: said.answer,
    answeredBy: said.by || by,
  }))
}

function close(draft: StoryDraft, closed: QuestionClosed, { timestamp }: SeenEvent): void {
  change(draft, closed.questionId, timestamp, (question) => {
    if (isEnded(question) && question.state !== 'gone') return question
    return {
      ...question,
      state: closed.how,
      answer: closed.answer ?? question.answer,
      answeredBy: closed.answer === undefined ? question.answeredBy : (closed.by ?? question.answeredBy),
      why: closed.why ?? null,
    }
  })
  draft.questionsInTools.delete(closed.questionId)
}

/** The agent that asked these questions is gone: an answer would not reach it, even before an event says so (W30). */
export function markQuestionsGone(draft: StoryDraft, before: RunView, after: RunView, at: string): void {
  for (const open of before.openQuestions) {
    const isStill = after.openQuestions.some(({ questionId }) => questionId === open.questionId)
    if (isStill && open.generation >= after.generation) continue
    change(draft, open.questionId, at, (one) => (one.state === 'open' ? { ...one, state: 'gone' } : one))
  }
}

export const questionSteps: Steps = {
  agent_question: ask,
  user_response: answer,
  question_closed: close,
}
