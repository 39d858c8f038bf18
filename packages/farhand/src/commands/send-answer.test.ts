import type { Trouble } from '@farhand/device/trouble/trouble'
import { hangUp, json, type Reply, scriptedHub, someRun } from '@farhand/testkit/scripted-hub'
import { expect, it, onTestFinished } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'

it('farhand send says under which key a message whose answer was lost can be sent again, and counts once', async () => {
  let reply: Reply = hangUp
  const hub = await scriptedHub((response, request) => reply(response, request))
  onTestFinished(() => hub.close())
  const run = `${someRun.project}/${someRun.task}/${someRun.run}`
  const where = ['--hub', hub.url, '--token', 'some', '--state', await temporaryFolder()]
  const lost = (await runHere(['send', run, 'do it', ...where]).catch((error: unknown) => error)) as Trouble
  expect(lost.message).toContain('may have arrived')
  const key = /--key (\S+)/.exec(lost.nextStep)?.[1]
  reply = json(202, { lastEventId: 1, ids: [1] })
  expect(await runHere(['send', run, 'do it', '--key', key!, ...where])).toMatchObject({ code: 0 })
  const keys = new Set(hub.requests.map(({ headers }) => headers['idempotency-key']))
  expect([...keys]).toEqual([key])
  expect(new Set(hub.requests.map(({ body }) => body.toString())).size).toBe(1)
})

it('farhand send - says what is piped in', async () => {
  const hub = await scriptedHub(json(202, { lastEventId: 1, ids: [1] }))
  onTestFinished(() => hub.close())
  const run = `${someRun.project}/${someRun.task}/${someRun.run}`
  const where = ['--hub', hub.url, '--token', 'some', '--state', await temporaryFolder()]
  const input = async function* () {
    yield Buffer.from('from a file\n')
  }
  await runHere(['send', run, '-', ...where], { input })
  expect(JSON.parse(hub.requests[0]!.body.toString())).toMatchObject({ params: { content: 'from a file' } })
})

it('W30 farhand answer refuses an answer that fits no option before it is sent, and says which ones do', async () => {
  const pending = {
    ...{ questionId: 'qst_00000001', question: 'Which?', kind: 'question', options: ['red', 'green'] },
    ...{ timeout: null, default: null, toolCallId: null, replaces: null, form: null, url: null },
    ...{ isPlan: false, eventId: 3, askedAt: '2026-01-01T00:00:00Z' },
  }
  const status = { status: 'active', sandboxHealthy: true, lastEventId: 3, agentStatus: 'waiting' }
  const rest = {
    pendingQuestion: pending,
    pendingQuestions: [pending],
    lastCommit: null,
    mode: 'interactive',
  }
  const hub = await scriptedHub(json(200, { ...status, ...rest, ids: [4] }))
  onTestFinished(() => hub.close())
  const run = `${someRun.project}/${someRun.task}/${someRun.run}`
  const where = ['--hub', hub.url, '--token', 'some', '--state', await temporaryFolder()]
  for (const answer of ['9', 'purple'])
    await expect(runHere(['answer', run, answer, ...where])).rejects.toMatchObject({
      exit: 'usage',
      nextStep: 'Answer with one of: 1. red, 2. green.',
    })
  const posts = () => hub.requests.filter(({ method }) => method === 'POST')
  expect(posts()).toEqual([])
  expect(await runHere(['answer', run, '2', ...where])).toMatchObject({ code: 0, notes: 'Answered.\n' })
  expect(posts()).toHaveLength(1)
})
