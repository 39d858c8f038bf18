import { rm } from 'node:fs/promises'
import type { Hub } from '@farhand/client/hub'
import { post } from '@farhand/client/post'
import { addressOf, beginRunner, createProject, createRun, createTask } from '@farhand/client/resources'
import { newId, QuestionId } from '@farhand/protocol/ids'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { converse } from './converse.ts'
import { textRunScreen } from './run-screen.ts'
import type { World } from './world.ts'
import { worldOf } from './world-under-test.ts'

let hubProcess: HubProcess
beforeAll(async () => {
  hubProcess = await HubProcess.start()
})
afterAll(async () => {
  await hubProcess.kill()
  await rm(hubProcess.data, { recursive: true, force: true })
})

const allow = { optionId: 'yes', name: 'Allow', kind: 'allow_once' }
const reject = { optionId: 'no', name: 'Reject', kind: 'reject_once' }

/** Somebody at a terminal, on a run in whose log others can say anything; at first its agent is at work, or idle. */
async function atTerminal(first: 'at work' | 'idle' = 'at work', isTyping: World['isTyping'] = null) {
  const user: Hub = { url: hubProcess.url, token: hubProcess.token }
  const project = await createProject(user, { name: 'test' })
  const task = await createTask(user, project.id, { title: 'test' })
  const at = addressOf(await createRun(user, project.id, task.id, { sandbox: 'none', agent: 'a' }))
  const runner: Hub = { ...user, token: (await beginRunner(user, at)).token }
  const say = (hub: Hub, method: string, params: object) =>
    post(hub, at, { jsonrpc: '2.0', method, params: { ...params } })
  if (first === 'at work') await say(user, '_posthog/user_message', { content: 'begin' })

  let screen = ''
  let wake = () => {}
  const show = (text: string) => {
    screen += text
    wake()
  }
  let enter = (_: string) => {}
  async function* lines(signal: AbortSignal) {
    while (!signal.aborted) {
      yield await new Promise<string>((resolve, reject) => {
        enter = resolve
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
  }
  /** What they sent into the run, in the order of the log. */
  const sent: unknown[] = []
  const recording: typeof fetch = (url, init) => {
    if (init?.method === 'POST' && typeof init.body === 'string') sent.push(JSON.parse(init.body).params)
    return fetch(url, init)
  }
  const leave = new AbortController()
  const world = worldOf({ out: show, note: show, terminal: true, lines, isTyping, stop: leave.signal })
  const there = { hub: { ...user, fetch: recording }, at, messageId: null, runnerEnded: null, lines }
  const talk = converse({ ...there, screen: textRunScreen(world, () => null) }, world)
  onTestFinished(async () => {
    leave.abort()
    await talk
  })

  return {
    sent,
    type: (line: string) => enter(line),
    /** Resolves when this has been shown since it was last asked for anything. */
    async sees(text: string): Promise<void> {
      while (!screen.includes(text))
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      screen = screen.slice(screen.indexOf(text) + text.length)
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
  }
}

describe('a line that somebody types', { timeout: 30_000 }, () => {
  it('answers no question but the one they saw: another that took its place is asked again', async () => {
    const me = await atTerminal()
    const first = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    await me.answersElsewhere(first)
    const second = await me.asks('Run `rm -rf .`?')
    await me.sees('? Run `rm -rf .`?')
    me.type('1')
    await me.sees('was not used')
    await me.sees('? Run `rm -rf .`?')
    expect(me.sent).toEqual([])
    me.type('1')
    await me.asks('And this?')
    await me.sees('? And this?')
    expect(me.sent).toEqual([{ questionId: second, answer: 'yes' }])
  })

  it('is no message either when the question it would answer is over; what is no answer to it is one', async () => {
    const me = await atTerminal()
    const question = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    await me.answersElsewhere(question)
    await me.saysElsewhere('I did')
    await me.sees('I did')
    me.type('y')
    await me.sees('was not used')
    const other = await me.asks('Run `ls -l`?')
    await me.sees('? Run `ls -l`?')
    await me.answersElsewhere(other)
    await me.saysElsewhere('I did again')
    await me.sees('I did again')
    me.type('say hello')
    await me.sees('It comes next')
    expect(me.sent).toEqual([{ content: 'say hello' }])
  })

  it('and that was begun as a message does not answer what came up meanwhile', async () => {
    const me = await atTerminal('idle')
    await me.sees('> ')
    await me.saysElsewhere('what is your name')
    const question = await me.asks('What is yours?', {})
    await me.sees('? What is yours?')
    me.type('delete the old branch')
    await me.sees('was not used')
    expect(me.sent).toEqual([])
    me.type('Ann')
    await me.asks('Really?')
    await me.sees('? Really?')
    expect(me.sent).toEqual([{ questionId: question, answer: 'Ann' }])
  })

  it('and that was not begun when a question came up answers it, whoever the agent asks it for', async () => {
    const me = await atTerminal('idle', async () => false)
    await me.sees('> ')
    await me.saysElsewhere('list the files')
    const question = await me.asks('Run `ls`?')
    await me.sees('? Run `ls`?')
    me.type('1')
    await me.asks('And this?')
    await me.sees('? And this?')
    expect(me.sent).toEqual([{ questionId: question, answer: 'yes' }])
  })

  it('and that was not begun when a question was over is a message', async () => {
    const me = await atTerminal('idle', async () => false)
    await me.sees('> ')
    const question = await me.asks('What is your name?', {})
    await me.sees('? What is your name?')
    await me.answersElsewhere(question)
    await me.sees('> ')
    me.type('delete the old branch')
    await me.asks('Really?')
    await me.sees('? Really?')
    expect(me.sent).toEqual([{ content: 'delete the old branch' }])
  })

  it('is for the one question that is shown: the next is shown when that is over', async () => {
    const me = await atTerminal()
    const first = await me.asks('One?')
    const second = await me.asks('Two?')
    await me.sees('? One?')
    me.type('1')
    await me.sees('? Two?')
    me.type('2')
    await me.saysElsewhere('I saw it')
    await me.sees('I saw it')
    expect(me.sent).toEqual([
      { questionId: first, answer: 'yes' },
      { questionId: second, answer: 'no' },
    ])
  })
})
