import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { isSettled, waitForTask } from '@farhand/device/delegation/wait-for-task'
import { TaskAction, type TaskSnapshot } from '@farhand/protocol/delegated/delegated-tasks'
import type { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { askUser, canAskUser, capabilitiesOf, userAnswer } from './ask-user.ts'
import { progressNotes } from './progress-notes.ts'
import type { ReachHub } from './reach-hub.ts'
import { taskIdIn } from './task-id.ts'
import { frameInWords, listedInWords, taskInWords } from './task-in-words.ts'
import { answered, said } from './tool-answer.ts'

// Below the minute after which hosts that were not told otherwise give up on a call.
const usualWait = 45
const longestWait = 600

const task_id = z.string().describe('The id that cloud_agent returned.')
const wait_seconds = z
  .number()
  .int()
  .min(0)
  .max(longestWait)
  .default(usualWait)
  .describe('How long this call waits at most. The task goes on after it; 0 returns at once.')

/** Which agent works on the tasks, and in what kind of sandbox; without them the hub chooses. */
export type TaskDefaults = { agent?: string; sandbox?: string }

/** The tools with which an agent hands out a task, follows it and has a say in it. */
export function addDelegationTools(server: McpServer, reach: ReachHub, defaults: TaskDefaults): void {
  server.registerTool(
    'cloud_agent',
    {
      title: 'Delegate a task to a cloud agent',
      description:
        'Hands a whole task to another agent, which works in a sandbox elsewhere and goes on when this computer is off. ' +
        'For work that takes hours, needs a sandbox, or that the user wants to follow from a phone; not for what can be done here. ' +
        'It knows nothing of this conversation and has no files of this computer: say everything in task and context, but no secrets. ' +
        'Returns when the task is finished, has a question, or the time is up; then use cloud_agent_follow.',
      inputSchema: z.object({
        task: z
          .string()
          .min(1)
          .max(200_000)
          .describe('What to do, and what the result is; complete by itself.'),
        context: z.string().max(60_000).optional().describe('What it should know besides.'),
        conversation_id: z
          .string()
          .max(200)
          .optional()
          .describe('Tasks with the same one belong together, for example because of one conversation.'),
        wait_seconds,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    ({ task, context: more, conversation_id, wait_seconds }, ctx) =>
      answered(async () => {
        // Called again with the user's answer, it must not delegate a second time.
        const round = userAnswer(ctx)
        const id = round?.task ?? (await begin())
        return await goOn(id, wait_seconds, ctx)

        async function begin() {
          const { tasks } = await reach()
          const wanted = {
            ...defaults,
            task,
            context: more || null,
            conversation_id: conversation_id || null,
          }
          return (await tasks.create(wanted, { signal: ctx.mcpReq.signal })).task_id
        }
      }, reach),
  )

  server.registerTool(
    'cloud_agent_follow',
    {
      title: 'Wait for a cloud agent',
      description:
        'Says how a delegated task gets on. Returns when it is finished, has a question, or the time is up; call it again to wait on.',
      inputSchema: z.object({ task_id, wait_seconds }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ task_id, wait_seconds }, ctx) => answered(() => goOn(taskIdIn(task_id), wait_seconds, ctx), reach),
  )

  server.registerTool(
    'cloud_agent_answer',
    {
      title: 'Answer a cloud agent',
      description:
        'Answers the question of a delegated task, or tells its agent something more. Answer only what the user has decided; ' +
        'where the question has options, with one of them word for word. Then waits like cloud_agent_follow.',
      inputSchema: z.object({
        task_id,
        answer: z.string().min(1).max(60_000),
        question_id: z.string().optional().describe('Which question, if several are open.'),
        wait_seconds,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    ({ task_id, answer, question_id, wait_seconds }, ctx) =>
      answered(async () => {
        const id = taskIdIn(task_id)
        // In a later round of this call the answer is stored already.
        if (userAnswer(ctx) === null) await give(id, answer, question_id, ctx)
        return await goOn(id, wait_seconds, ctx)
      }, reach),
  )

  server.registerTool(
    'cloud_agent_control',
    {
      title: 'Pause, resume or cancel a cloud agent',
      description:
        'Pauses, resumes or cancels a delegated task. A canceled task does not come back; its files stay.',
      inputSchema: z.object({ task_id, action: TaskAction }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ task_id, action }, ctx) =>
      answered(async () => {
        const { tasks } = await reach()
        const task = await tasks.change(taskIdIn(task_id), action, { signal: ctx.mcpReq.signal })
        return said(taskInWords(task))
      }, reach),
  )

  server.registerTool(
    'cloud_agent_list',
    {
      title: 'List delegated tasks',
      description: 'Lists the tasks that were delegated last, newest first, with their states.',
      inputSchema: z.object({
        conversation_id: z.string().max(200).optional().describe('Only those of this conversation.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ conversation_id }, ctx) =>
      answered(async () => {
        const { tasks } = await reach()
        const only = conversation_id ? { conversation_id } : {}
        const { items } = await tasks.list(only, { signal: ctx.mcpReq.signal })
        return said(items.length === 0 ? 'No task has been delegated.' : items.map(listedInWords).join('\n'))
      }, reach),
  )

  /** Waits for the task; a question goes to the user if the host can show it, else to the agent. */
  async function goOn(id: DelegatedTaskId, waitSeconds: number, ctx: ServerContext) {
    const { hub, tasks } = await reach()
    const round = userAnswer(ctx)
    if (round?.answer != null)
      await give(round.task, round.answer, round.question, ctx).catch((error: unknown) => {
        // Another answer was first, from the web app for example; or the task shows the question again.
        if (!(error instanceof Refusal) || error.remedy !== 'fix-request') throw error
      })
    const { note, stop } = progressNotes(ctx)
    try {
      const task = await waitForTask(tasks, id, {
        waitMs: waitSeconds * 1_000,
        signal: ctx.mcpReq.signal,
        onFrame(frame) {
          const words = frameInWords(frame)
          if (words !== null) note(words)
        },
      })
      const [question] = task.input_needed
      // Asked once and not answered, the user is not asked again by the same call.
      const isOpen = question !== undefined && question.question_id !== round?.question
      const canAsk = isOpen && isSettled(task) && canAskUser(capabilitiesOf(server, ctx))
      return canAsk ? askUser(id, question) : said(`${taskInWords(task)}${nearNote(hub, task)}`)
    } finally {
      stop()
    }
  }

  async function give(id: DelegatedTaskId, answer: string, question: string | undefined, ctx: ServerContext) {
    const { tasks } = await reach()
    await tasks.input(id, answer, { ...(question && { questionId: question }), signal: ctx.mcpReq.signal })
  }
}

/** A hub on this computer cannot give the first reason to delegate; the user should hear that while it matters. */
const nearNote = ({ url }: Hub, { ended_seq }: TaskSnapshot) =>
  ended_seq === null && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
    ? '\nThe hub seems to run on this computer: the task stops while it is off.'
    : ''
