import { z } from 'zod'
import { Answer } from '../methods/questions.ts'
import { DelegatedTaskId, DeviceId, ProjectId, QuestionId, RunId, TaskId } from '../wire/ids.ts'
import { within } from '../wire/json-within.ts'

const Time = z.iso.datetime()

export const DelegatedStatus = z.enum(['submitted', 'working', 'paused', 'completed', 'failed', 'canceled'])
export type DelegatedStatus = z.infer<typeof DelegatedStatus>

export const TaskAction = z.enum(['pause', 'resume', 'cancel'])
export type TaskAction = z.infer<typeof TaskAction>

/** What the agent should know besides the task: a text, or an object that it gets as JSON. */
export const TaskContext = within(z.union([z.string(), z.record(z.string(), z.unknown())]), 65_536)
export type TaskContext = z.infer<typeof TaskContext>

/** `agent` and `sandbox` are of this hub; without them the hub chooses (W80). */
export const NewDelegatedTask = z.object({
  task: z.string().trim().min(1).max(100_000),
  context: TaskContext.nullish(),
  conversation_id: z.string().trim().min(1).max(200).nullish(),
  agent: z.string().min(1).max(100).optional(),
  sandbox: z.string().min(1).max(100).optional(),
})
export type NewDelegatedTask = z.infer<typeof NewDelegatedTask>

/** A task that a program has given to the hub. It is a run; `session_id` is the id of that run. */
export const DelegatedTask = z.object({
  task_id: DelegatedTaskId,
  status: DelegatedStatus,
  task: z.string(),
  context: TaskContext.nullable(),
  conversation_id: z.string().nullable(),
  session_id: RunId,
  /** The address of the run at this hub. */
  run: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  device_id: DeviceId.nullable(),
  agent: z.string().nullable(),
  /** Once it is over: the last words of the agent, or why it failed. */
  result_summary: z.string().nullable(),
  created_at: Time,
  completed_at: Time.nullable(),
})
export type DelegatedTask = z.infer<typeof DelegatedTask>

/** How far the work is, as a plan of the agent or its tools tell; `total` is 0 without a plan. */
export const TaskProgress = z.object({
  phase: z.string(),
  completed: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  current: z.string().nullable(),
})
export type TaskProgress = z.infer<typeof TaskProgress>

/** A question that waits for an answer. Any of the `options`, if there are some, is an answer. */
export const InputNeeded = z.object({
  question_id: QuestionId,
  kind: z.enum(['question', 'permission']),
  prompt: z.string(),
  options: z.array(z.string()),
})
export type InputNeeded = z.infer<typeof InputNeeded>

/** A step of the work, for a card that shows progress. */
export const CardStep = z.object({
  text: z.string(),
  state: z.enum(['pending', 'running', 'done', 'failed']),
})
export type CardStep = z.infer<typeof CardStep>

/** A task with everything that a card shows of it, as of the event `last_seq`. */
export const TaskSnapshot = DelegatedTask.extend({
  last_seq: z.number().int().nonnegative(),
  /** The event that ended the task; null: it is not over. */
  ended_seq: z.number().int().positive().nullable(),
  /** Since when the agent has worked on it; null: it has not begun. */
  started_at: Time.nullable(),
  /** What may be done with it now. */
  allowed: z.array(TaskAction),
  progress: TaskProgress,
  steps: z.array(CardStep),
  input_needed: z.array(InputNeeded),
  /** The end of what the agent said last. */
  text: z.string(),
})
export type TaskSnapshot = z.infer<typeof TaskSnapshot>

const words = {
  pause: 'pause',
  paused: 'pause',
  resume: 'resume',
  resumed: 'resume',
  working: 'resume',
} as const
const actionWords = { ...words, cancel: 'cancel', canceled: 'cancel', cancelled: 'cancel' } as const
const ActionWord = z.enum(Object.keys(actionWords) as [keyof typeof actionWords])

/** `{"action":"pause"}`. The state to reach is understood too: `{"state":"paused"}`. */
export const TaskStateChange = z.object({
  action: ActionWord.optional(),
  state: ActionWord.optional(),
  status: ActionWord.optional(),
})
export type TaskStateChange = z.infer<typeof TaskStateChange>

/** What is to be done; null if the request does not say it, or says two things. */
export function actionOf({ action, state, status }: TaskStateChange): TaskAction | null {
  const said = new Set([action, state, status].flatMap((word) => (word ? [actionWords[word]] : [])))
  const [only = null] = said
  return said.size === 1 ? only : null
}

/** `{"input":"..."}`: an answer to the open question, or a message to the agent. The other names are understood too. */
export const TaskInput = z.object({
  input: Answer.optional(),
  question_id: QuestionId.nullish(),
  answer: Answer.optional(),
  response: Answer.optional(),
  message: Answer.optional(),
  text: Answer.optional(),
  value: Answer.optional(),
})
export type TaskInput = z.infer<typeof TaskInput>

/** The input itself; undefined if the request has none. */
export const inputOf = ({ input, answer, response, message, text, value }: TaskInput): unknown =>
  input ?? answer ?? response ?? message ?? text ?? value

/** `answered`: the question that the input answered; null: it went to the agent as a message. `seq` is its event. */
export const InputTaken = z.object({
  task_id: DelegatedTaskId,
  seq: z.number().int().positive(),
  answered: QuestionId.nullable(),
})
export type InputTaken = z.infer<typeof InputTaken>

const Seq = z.number().int().nonnegative()

/** The events of a task (W84). A reader ignores types that it does not know. */
export const TaskFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('acp_task_status'),
    seq: Seq,
    data: z.object({ task_id: DelegatedTaskId, status: DelegatedStatus }),
  }),
  z.object({ type: z.literal('acp_thinking'), seq: Seq, data: z.object({ text: z.string() }) }),
  z.object({ type: z.literal('acp_text_delta'), seq: Seq, data: z.object({ delta: z.string() }) }),
  z.object({
    type: z.literal('acp_tool_start'),
    seq: Seq,
    data: z.object({ tool: z.string(), input_summary: z.string(), call_id: z.string() }),
  }),
  z.object({
    type: z.literal('acp_tool_end'),
    seq: Seq,
    data: z.object({
      tool: z.string(),
      summary: z.string(),
      duration_ms: z.number().int().nonnegative(),
      call_id: z.string(),
      failed: z.boolean(),
    }),
  }),
  z.object({ type: z.literal('acp_progress'), seq: Seq, data: TaskProgress }),
  z.object({ type: z.literal('acp_input_needed'), seq: Seq, data: InputNeeded }),
  z.object({
    type: z.literal('acp_task_completed'),
    seq: Seq,
    data: z.object({ task_id: DelegatedTaskId, result_summary: z.string() }),
  }),
  z.object({ type: z.literal('acp_gap'), seq: Seq, data: z.object({ after: Seq, snapshot: TaskSnapshot }) }),
])
export type TaskFrame = z.infer<typeof TaskFrame>
