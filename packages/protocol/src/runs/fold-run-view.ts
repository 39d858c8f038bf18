import { type EventHandlers, handledBy, unparsed } from '../events/event-handlers.ts'
import type { ModeChange } from '../methods/control.ts'
import type { Ack, MessageEdit, TurnComplete, UserMessage } from '../methods/conversation.ts'
import type { GitCommit } from '../methods/git.ts'
import type { Moved, RestAnswer, RestRequest } from '../methods/lifecycle.ts'
import type { AgentQuestion, QuestionClosed, UserResponse } from '../methods/questions.ts'
import type { SessionStart, StatusChange } from '../methods/session.ts'
import { isObject } from '../wire/is-object.ts'
import type { RunStatus } from '../wire/run-status.ts'
import type { SeenEvent } from '../wire/seen-event.ts'
import { hasId, withId, withoutId } from './id-list.ts'
import { isActivity } from './is-activity.ts'
import { isAnswerable, type OpenQuestion } from './open-question.ts'
import { rewindsTo } from './rewinds-to.ts'
import { emptyRunView, type OpenAsk, type RunView } from './run-view.ts'

const ofSandbox = new Set<RunStatus>(['provisioning', 'active', 'asleep'])

/** Only a user resumes a paused run: until then a status of the sandbox becomes the one to go back to. */
const withSandboxStatus = (view: RunView, status: RunStatus): RunView =>
  view.status === 'paused' && ofSandbox.has(status)
    ? { ...view, pausedFrom: status }
    : withStatus(view, status)

/** The reason that the hub gives for a status when a user has opened the run again (W12). */
export const openedAgain = 'opened again'

/** To open a run again is activity of the user: the idle time counts from there (W64). */
function changeStatus(
  view: RunView,
  { status, reason }: StatusChange,
  { by, timestamp }: SeenEvent,
): RunView {
  const next = withSandboxStatus(view, status)
  const isOpening = by.kind === 'hub' && reason === openedAgain
  return isOpening ? { ...next, lastActivityAt: timestamp } : next
}

function withStatus(view: RunView, status: RunStatus): RunView {
  // A run is queued again only when a user opened it again, which takes back a close that is not done yet.
  const closing = view.closing && status !== 'closed' && status !== 'queued'
  if (status === view.status) return closing === view.closing ? view : { ...view, closing }
  return { ...view, status, closing, pausedFrom: status === 'paused' ? view.status : null }
}

function begin(view: RunView, { generation, sandbox }: SessionStart): RunView {
  if (generation <= view.generation) return view
  const next = { ...view, generation, rest: null }
  if (sandbox !== undefined) return move(next, { sandbox })
  if (view.status === 'closed' || view.status === 'provisioning') return next
  return withSandboxStatus(next, 'active')
}

const close = (view: RunView): RunView =>
  view.closing || view.status === 'closed' ? view : { ...view, closing: true }

const pause = (view: RunView) => (view.status === 'closed' ? view : withStatus(view, 'paused'))

const resume = (view: RunView) =>
  view.status === 'paused' ? withStatus(view, view.pausedFrom ?? 'active') : view

const changeMode = (view: RunView, { mode, policy }: ModeChange): RunView => ({
  ...view,
  mode,
  policy: policy === undefined ? view.policy : policy,
})

const queue = (view: RunView, _: UserMessage, { id }: SeenEvent): RunView => ({
  ...view,
  unacked: withId(view.unacked, id),
})

function unqueue(view: RunView, messageId: number): RunView {
  const unacked = withoutId(view.unacked, messageId)
  return unacked === view.unacked ? view : { ...view, unacked }
}

const edit = (view: RunView, { messageId, content }: MessageEdit) =>
  content === null ? unqueue(view, messageId) : view

// A late ack must not open the turn of a message that was withdrawn, or whose turn is over.
function openTurn(view: RunView, { id: messageId, into }: Ack, { timestamp }: SeenEvent): RunView {
  const before = view.openTurns.find((turn) => turn.messageId === messageId)
  if (!before && !hasId(view.unacked, messageId)) return view
  const turn = { messageId, acks: 1 + (before?.acks ?? 0), generation: view.generation }
  return {
    ...unqueue(view, messageId),
    openTurns: [...view.openTurns.filter((other) => other !== before), turn],
    turnSince: view.turnSince ?? timestamp,
    plan: into === undefined ? null : view.plan,
  }
}

function endTurn(view: RunView, { messageId, stopReason }: TurnComplete, { id }: SeenEvent): RunView {
  const next = unqueue(view, messageId)
  if (!view.openTurns.some((turn) => turn.messageId === messageId)) return next
  const openTurns = view.openTurns.filter((turn) => turn.messageId !== messageId)
  const turnSince = openTurns.length === 0 ? null : view.turnSince
  return { ...withEnd(next, id, stopReason), openTurns, turnSince, turns: view.turns + 1 }
}

/** Most turns end like the one before, so few runs have this many changes. A rewind to before them finds no ended turn. */
const mostEnds = 200

/** Stores only changes of the stop reason, so that a rewind over many turns still finds the one to go back to. */
function withEnd(view: RunView, eventId: number, stopReason: string | null): RunView {
  if (stopReason === view.stopReason) return view
  return { ...view, stopReason, ends: [...view.ends, { eventId, stopReason }].slice(-mostEnds) }
}

/** Sets the stop reason back to what it was at that event. The rewind can be undone, because it is a change of its own. */
function rewind(view: RunView, event: SeenEvent): RunView {
  const to = rewindsTo(event)
  if (to === null) return view
  return withEnd(view, event.id, view.ends.findLast(({ eventId }) => eventId <= to)?.stopReason ?? null)
}

function ask(view: RunView, asked: AgentQuestion, { id, by, timestamp }: SeenEvent): RunView {
  if (view.openQuestions.some((open) => open.questionId === asked.questionId)) return view
  const question: OpenQuestion = {
    questionId: asked.questionId,
    question: asked.question,
    kind: asked.kind ?? 'question',
    options: asked.options ?? null,
    timeout: asked.timeout ?? null,
    default: asked.default ?? null,
    toolCallId: asked.toolCallId ?? null,
    replaces: asked.replaces ?? null,
    form: asked.form ?? null,
    url: asked.url ?? null,
    isPlan: asked.isPlan ?? false,
    eventId: id,
    askedAt: timestamp,
    generation: by.kind === 'runner' ? by.generation : view.generation,
    given: null,
  }
  return { ...view, openQuestions: [...view.openQuestions, question] }
}

function answer(view: RunView, { questionId, answer }: UserResponse, { id }: SeenEvent): RunView {
  const counts = (question: OpenQuestion) =>
    question.questionId === questionId && isAnswerable(question, view.generation)
  if (!view.openQuestions.some(counts)) return view
  const given = { answer, eventId: id }
  return { ...view, openQuestions: view.openQuestions.map((one) => (counts(one) ? { ...one, given } : one)) }
}

function closeQuestion(view: RunView, { questionId }: QuestionClosed): RunView {
  if (!view.openQuestions.some((open) => open.questionId === questionId)) return view
  return { ...view, openQuestions: view.openQuestions.filter((open) => open.questionId !== questionId) }
}

/** A runner that comes answers all that it finds in the log; one of them is enough for one to come. */
const mostAsks = 100

function want(view: RunView, what: OpenAsk['what'], name: string, eventId: number): RunView {
  const openAsks = [...without(view.openAsks, what, name), { what, name, eventId }]
  return { ...view, openAsks: openAsks.slice(-mostAsks) }
}

function given(view: RunView, what: OpenAsk['what'], name: string): RunView {
  const openAsks = without(view.openAsks, what, name)
  return openAsks.length === view.openAsks.length ? view : { ...view, openAsks }
}

const without = (asks: readonly OpenAsk[], what: OpenAsk['what'], name: string) =>
  asks.filter((ask) => ask.what !== what || ask.name !== name)

const askRest = (view: RunView, _: RestRequest, { id, timestamp }: SeenEvent): RunView => ({
  ...view,
  rest: { request: id, askedAt: timestamp, rests: null, answeredAt: null },
})

function answerRest(view: RunView, said: RestAnswer, { timestamp }: SeenEvent): RunView {
  if (view.rest?.request !== said.for || view.rest.rests !== null) return view
  return { ...view, rest: { ...view.rest, rests: said.rests, answeredAt: timestamp } }
}

/** A device needs no provisioning: a run that is moved there is active at once. */
function move(view: RunView, { sandbox }: Moved): RunView {
  const next = view.place === sandbox ? view : { ...view, place: sandbox }
  return sandbox === 'none' && view.status !== 'closed' ? withSandboxStatus(next, 'active') : next
}

/** A fork begins idle: open turns, questions and messages belong to the other run (W39). */
const fork = ({ mode, policy, generation, lastCommit, lastCheckpoint }: RunView): RunView => ({
  ...emptyRunView,
  mode,
  policy,
  generation,
  lastCommit,
  lastCheckpoint,
})

/** A checkpoint is a commit on no branch: for it, and for a base, `head` is the commit of the branch (W64). */
function commit(view: RunView, { kind = 'commit', sha, head, branch = null }: GitCommit): RunView {
  if (kind === 'history') return view
  const isOnBranch = kind === 'commit' || (kind === 'base' && head === undefined)
  const at = isOnBranch ? sha : head
  const lastCheckpoint = kind === 'checkpoint' ? { sha } : view.lastCheckpoint
  if (at === undefined) return lastCheckpoint === view.lastCheckpoint ? view : { ...view, lastCheckpoint }
  return { ...view, lastCheckpoint, lastCommit: at === null ? null : { sha: at, branch } }
}

/** Agents may report a plan in another form than ACP's: then it is none. */
function countPlan(view: RunView, update: unknown): RunView {
  if (!isObject(update) || update.sessionUpdate !== 'plan' || !Array.isArray(update.entries)) return view
  const entries = update.entries.filter(isObject)
  const completed = entries.filter(({ status }) => status === 'completed').length
  const total = entries.length
  if (view.plan?.completed === completed && view.plan.total === total) return view
  return { ...view, plan: total === 0 ? null : { completed, total } }
}

/** How each event changes the view; other events do not. */
export const handlers: EventHandlers<RunView, [SeenEvent], RunView> = {
  session_start: begin,
  status: changeStatus,
  session_close: (view) => withStatus(view, 'closed'),
  close,
  pause,
  resume,
  mode_change: changeMode,
  user_message: queue,
  message_edit: edit,
  ack: openTurn,
  turn_complete: endTurn,
  agent_question: ask,
  user_response: answer,
  question_closed: closeQuestion,
  git_commit: commit,
  forked: fork,
  rewind: unparsed((view, _, event) => rewind(view, event)),
  moved: move,
  shell: (view, { id: name }, { id }) => want(view, 'shell', name, id),
  sandbox_output: (view, { id = '', exitCode }) => (exitCode === undefined ? view : given(view, 'shell', id)),
  file_request: (view, { path }, { id }) => want(view, 'file', path, id),
  file_content: (view, { path }) => given(view, 'file', path),
  rest_request: askRest,
  rest_answer: answerRest,
  'session/update': unparsed((view, { update }) => countPlan(view, update)),
}

const step = handledBy(handlers)

/** The view after one more event. Returns the same object when nothing changed, never changes the one given. */
export function foldRunView(view: RunView, event: SeenEvent): RunView {
  const next = step(view, event.notification, event) ?? view
  if (!isActivity(event, view.openTurns.length + next.openTurns.length > 0)) return next
  return { ...next, lastActivityAt: event.timestamp }
}
