import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import { newId, QuestionId } from '@farhand/protocol/wire/ids'
import type { HubProcess } from '@farhand/testkit/hub-process'
import { onTestFinished } from 'vitest'
import type { CommandContext } from '../../context/command-context.ts'
import { testContext } from '../../context/command-context-under-test.ts'
import { textRunScreen } from '../run-screen/run-screen.ts'
import { converse } from './converse.ts'

const allow = { optionId: 'yes', name: 'Allow', kind: 'allow_once' }
const reject = { optionId: 'no', name: 'Reject', kind: 'reject_once' }

/** A user at a terminal, on a run in whose log others can write anything; at first its agent is at work, or idle. */
export async function talkUnderTest(
  hubProcess: HubProcess,
  first: 'at work' | 'idle' | 'warned, then at work' = 'at work',
  isTyping: CommandContext['isTyping'] = null,
) {
  const user: Hub = { url: hubProcess.url, token: hubProcess.token }
  const project = await createProject(user, { name: 'test' })
  const task = await createTask(user, project.id, { title: 'test' })
  const at = addressOf(await createRun(user, project.id, task.id, { sandbox: 'none', agent: 'a' }))
  const runner: Hub = { ...user, token: (await beginRunner(user, at)).token }
  const say = (hub: Hub, method: string, params: object) =>
    post(hub, at, { jsonrpc: '2.0', method, params: { ...params } })
  if (first.startsWith('warned')) await say(runner, '_posthog/console', { level: 'warn', message: 'Beware.' })
  if (first !== 'idle') await say(user, '_posthog/user_message', { content: 'begin' })

  let screen = ''
  let wake = () => {}
  const show = (text: string) => {
    screen += text
    wake()
  }
  /** What was typed and was not read yet, as a terminal keeps it. */
  const typed: string[] = []
  let entered = () => {}
  async function* lines(signal: AbortSignal) {
    while (!signal.aborted) {
      const line = typed.shift()
      if (line !== undefined) yield line
      else
        await new Promise<void>((resolve, reject) => {
          entered = resolve
          signal.addEventListener('abort', () => reject(signal.reason))
        })
    }
  }
  /** What they sent into the run, in the order of the log. */
  const sent: unknown[] = []
  /** What the hub was told of whether they look. */
  const looked: boolean[] = []
  let beforeItReturns = async (_messageId: number) => {}
  const recording: typeof fetch = async (url, init) => {
    const isPost = init?.method === 'POST' && typeof init.body === 'string'
    if (isPost) sent.push(JSON.parse(String(init.body)).params)
    if (String(url).endsWith('/looking')) looked.push(JSON.parse(String(init?.body)).isLooking)
    const response = await fetch(url, init)
    if (isPost) await beforeItReturns((await response.clone().json()).lastEventId)
    return response
  }
  const leave = new AbortController()
  const context = testContext({ out: show, note: show, terminal: true, lines, isTyping, stop: leave.signal })
  const there = { hub: { ...user, fetch: recording }, at, messageId: null, runnerEnded: null, lines }
  const talk = converse({ ...there, screen: textRunScreen(context, () => null) }, context)
  onTestFinished(async () => {
    leave.abort()
    await talk
  })

  return {
    sent,
    looked,
    talk,
    type: (line: string) => {
      typed.push(line)
      entered()
    },
    /** What happens when a line of theirs is in the log, before they hear of that. */
    beforeItReturns: (act: typeof beforeItReturns) => {
      beforeItReturns = act
    },
    /** Resolves when this has been shown since it was last asked for anything. */
    async sees(text: string): Promise<string> {
      while (!screen.includes(text))
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const end = screen.indexOf(text) + text.length
      const seen = screen.slice(0, end)
      screen = screen.slice(end)
      return seen
    },
    async asks(question: string, more: object = { kind: 'permission', options: [allow, reject] }) {
      const questionId = newId(QuestionId, 'qst')
      await say(runner, '_posthog/agent_question', { questionId, question, ...more })
      return questionId
    },
    answersElsewhere: async (questionId: QuestionId) => {
      await say(user, '_posthog/user_response', { questionId, answer: 'yes' })
      await say(runner, '_posthog/question_closed', { questionId, how: 'answered' })
    },
    saysElsewhere: (content: string) => say(user, '_posthog/user_message', { content }),
    /** What the runner of this run says. */
    runnerSays: (method: string, params: object) => say(runner, method, params),
  }
}
