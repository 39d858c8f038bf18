import { createHash } from 'node:crypto'
import {
  actionOf,
  type DelegatedTask,
  type InputTaken,
  inputOf,
  TaskInput,
  TaskStateChange,
} from '@farhand/protocol/delegated/delegated-tasks'
import { allowedActions } from '@farhand/protocol/delegated/task-machine'
import { event } from '@farhand/protocol/events/event-names'
import { pendingQuestions } from '@farhand/protocol/runs/sync-status'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { type InputMeaning, inputMeaning } from '@farhand/story/delegated/input-needed'
import { changesFor, refusedFor, stateKey } from '../../collab/change-task.ts'
import { findDelegated } from '../../collab/delegated-tasks.ts'
import { taskSnapshot } from '../../collab/task-snapshot.ts'
import type { Batch, EventLog } from '../../log/event-log.ts'
import { decodeLine } from '../../log/stored-line.ts'
import { admitted } from '../../runs/inbox.ts'
import { storeBatch } from '../../runs/store-batch.ts'
import { readJson } from '../exchange/body.ts'
import { answerJson, type Exchange, parse } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { checkWritable, readKey } from '../sync-body/read-notifications.ts'
import { mostTaskBytes, storyOf, taskOf } from './delegated-task.ts'

/** After so many tries that something else overtook, the state that was read last counts. */
const mostTries = 20

/** `PATCH /acp/tasks/{id}/state` (W83). */
export const patchDelegatedState = async (parts: HubParts, exchange: Exchange): Promise<void> =>
  change(parts, exchange, await taskOf(parts, exchange))

/** `PUT /api/runs/{run}/delegated`: the same for pages, whose cookie is sent only below `/api`. */
export async function putRunDelegated(parts: HubParts, exchange: Exchange): Promise<void> {
  const run = await parts.directory.anyRun(exchange)
  const task = await findDelegated(parts.db, run.owner, { run: run.id })
  if (!task) throw new Fault('task.unknown', 'no task was delegated with this run')
  await change(parts, exchange, task)
}

async function change(parts: HubParts, { req, res, who }: Exchange, task: DelegatedTask): Promise<void> {
  const said = parse(TaskStateChange, await readJson(req, parts.config.bodyTimeoutMs, mostTaskBytes))
  const action = actionOf(said)
  if (action === null) throw malformed('action', 'expected one of pause, resume, cancel')
  const { allowClose } = parts.config
  const run = await parts.directory.anyRun({ who, params: { run: task.session_id }, needs: 'work' })
  for (let tries = 1; ; tries += 1) {
    const { view, task: state } = await parts.taskFolds.story(run.id)
    if (!allowedActions(state.status).includes(action)) throw refusedFor(state.status, action)
    let isStale = false
    const append = () =>
      parts.log.append(run.id, (head) => {
        // What was decided holds only for the state that it was decided for.
        isStale = tries < mostTries && stateKey(head.view) !== stateKey(view)
        const notifications = isStale ? [] : changesFor(action, head.view, allowClose)
        return admitted({ by: who!.author, notifications }, head)
      })
    await (action === 'cancel' && allowClose ? parts.closer.close(run, append) : append())
    if (!isStale) break
  }
  answerJson(res, 200, taskSnapshot(task, await storyOf(parts, task)))
}

/** `POST /acp/tasks/{id}/input` (W82). */
export async function postDelegatedInput(parts: HubParts, exchange: Exchange): Promise<void> {
  const { req, res, who } = exchange
  const task = await taskOf(parts, exchange)
  const body = parse(TaskInput, await readJson(req, parts.config.bodyTimeoutMs, mostTaskBytes))
  checkWritable(body)
  const input = inputOf(body)
  if (input === undefined) throw malformed('input', 'expected an answer, or a text for the agent')
  const run = await parts.directory.anyRun({ who, params: { run: task.session_id }, needs: 'work' })
  const { view, task: state, agent } = await parts.taskFolds.story(run.id)
  const meaning = inputMeaning(pendingQuestions(view), input, body.question_id ?? null)
  const refusal = state.ended ? refusedFor(state.status, 'input') : refusalOf(meaning)
  const key = readKey(req)
  // The key goes with what was sent: when it comes again, the question may be answered and the task over.
  if (refusal && key === undefined) throw refusal
  const batch: Batch = {
    by: who!.author,
    notifications: [saidTo(meaning, view.openTurns.length > 0 && agent.hearsSteering === true)],
    ...(refusal && { refusal }),
    ...(key !== undefined && { key: { key, body: digest(body) } }),
  }
  const { ids } = await storeBatch(parts, run, batch)
  const seq = ids[0]!
  const answered = await questionAnswered(parts.log, run.id, seq)
  answerJson(res, 202, { task_id: task.task_id, seq, answered } satisfies InputTaken)
}

const digest = (body: unknown) => createHash('sha256').update(JSON.stringify(body)).digest('base64url')

const refusalOf = (meaning: InputMeaning): Fault | null =>
  meaning.is === 'refused' ? malformed(meaning.field, meaning.why) : null

/** An agent that takes no messages in its turn would have to end the turn for one. */
function saidTo(meaning: InputMeaning, canSteer: boolean): Notification {
  if (meaning.is === 'answer') {
    const { question, answer } = meaning
    return event('user_response', { questionId: question.questionId, answer })
  }
  const content = meaning.is === 'message' ? meaning.text : 'refused'
  return event('user_message', { content, when: canSteer ? 'steer' : 'queue' })
}

/** The question that the event answered; null if it is a message. A repeated request gets the event of the first one. */
async function questionAnswered(log: EventLog, run: RunId, seq: number): Promise<InputTaken['answered']> {
  const chunk = await log.read(run, seq - 1, 1)
  const event = chunk && decodeLine(chunk.bytes.toString().split('\n')[0]!)
  return (event?.notification.params?.questionId as InputTaken['answered']) ?? null
}
