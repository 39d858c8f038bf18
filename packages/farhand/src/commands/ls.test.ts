import { createServer } from 'node:http'
import { post } from '@farhand/client/post/post'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { RunUnderTest } from './run/run-under-test.ts'

describe('farhand ls', { timeout: 120_000 }, () => {
  it('lists runs newest first, with ids short enough to type and long enough to tell them apart', async () => {
    const { hub, state } = await RunUnderTest.begin()
    const access = ['--hub', hub.url, '--token', hub.token, '--state', state]
    expect((await runHere(['ls', ...access])).out).toMatch(/There is no run yet\. Begin one: /)
    const made: string[] = []
    for (const name of ['one', 'two']) {
      const project = await createProject(hub, { name })
      for (const title of ['a', 'b']) {
        const task = await createTask(hub, project.id, { title: `${name} ${title}` })
        made.push((await createRun(hub, project.id, task.id, { sandbox: 'none', agent: 'claude' })).id)
      }
    }
    const { out } = await runHere(['ls', ...access])
    const ids = out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]!)
    expect(ids).toEqual(made.toReversed().map((id) => id.slice(0, ids[0]!.length)))
    expect(out).toMatch(/queued +claude .* one a\n$/)
    for (const [at, id] of ids.entries()) {
      const { out: found } = await runHere(['status', id, '--json', ...access])
      expect(JSON.parse(found)).toMatchObject({ run: made.toReversed()[at], status: 'queued' })
    }
  })

  it('asks the hub once for what it shows, and says that there are older ones', async () => {
    const { hub, state } = await RunUnderTest.begin()
    const project = await createProject(hub, { name: 'p' })
    const task = await createTask(hub, project.id, { title: 't' })
    const made: string[] = []
    for (let n = 0; n < 51; n++)
      made.push((await createRun(hub, project.id, task.id, { sandbox: 'none' })).id)
    const proxy = await countingProxy(hub.url)
    const access = ['--hub', proxy.url, '--token', hub.token, '--state', state]
    const { out } = await runHere(['ls', ...access])
    expect(proxy.asked).toEqual(['/api/runs'])
    expect(out.trim().split('\n')).toHaveLength(21)
    expect(out).toMatch(/and older ones: --all shows them\n$/)
    const { out: all } = await runHere(['ls', '--all', '--json', ...access])
    const listed = all.trim().split('\n')
    expect(listed.map((line) => JSON.parse(line).run)).toEqual(made.toReversed())
    expect(JSON.parse(listed[0]!)).toMatchObject({
      projectName: 'p',
      title: 't',
      status: 'queued',
      questions: 0,
    })
  })

  it('W23 says of a turn whose runner is gone that no runner works on it, and what goes on', async () => {
    const { hub, state } = await RunUnderTest.begin()
    const access = ['--hub', hub.url, '--token', hub.token, '--state', state]
    const project = await createProject(hub, { name: 'p' })
    const task = await createTask(hub, project.id, { title: 't' })
    const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    const say = (method: string, params: Record<string, unknown>, token = hub.token) =>
      post({ ...hub, token }, at, { jsonrpc: '2.0', method, params })
    const { token } = await beginRunner(hub, at, {})
    await say('_posthog/user_message', { content: 'hi' })
    await say('_posthog/ack', { for: '_posthog/user_message', id: 2 }, token)
    expect((await runHere(['ls', ...access])).out).toMatch(/ no runner /)
    const { out } = await runHere(['status', at.run, ...access])
    expect(out).toMatch(/no runner, interactive\n.*No runner works on it.*run --run run_/)
    const listed = JSON.parse((await runHere(['ls', '--json', ...access])).out)
    expect(listed).toMatchObject({ agentStatus: 'thinking', sandboxHealthy: false, pid: null })
  })

  it('says of a beginning that none or several runs have it', async () => {
    const { hub, state } = await RunUnderTest.begin()
    const access = ['--hub', hub.url, '--token', hub.token, '--state', state]
    const project = await createProject(hub, { name: 'p' })
    const task = await createTask(hub, project.id, { title: 't' })
    const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
    await createRun(hub, project.id, task.id, { sandbox: 'none' })
    await expect(runHere(['cancel', 'run_', ...access])).rejects.toThrow('names no run')
    const never = at.run.endsWith('0') ? '1' : '0'
    const wrong = `${at.run.slice(0, -1)}${never}`
    await expect(runHere(['cancel', wrong, ...access])).rejects.toThrow(`No run begins with ${wrong}`)
    // The last letter may be left out, and `run_` too.
    await post(hub, at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: 'hi' } })
    const { notes } = await runHere(['cancel', at.run.slice('run_'.length, -1), ...access])
    expect(notes).toContain('told to stop')
    // As it is listed, it can be named everywhere.
    const listed = runInWords(at.run)
    const { out } = await runHere(['undo', '--run', listed, '--dry-run', ...access])
    expect(out).toMatch(/nothing/i)
    const other = `${listed.slice(0, -1)}${listed.endsWith('0') ? '1' : '0'}`
    await expect(runHere(['undo', '--run', other, ...access])).rejects.toThrow(`No run begins with ${other}`)
  })
})

/** Passes on what is asked, and notes it. */
async function countingProxy(to: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer(async (req, res) => {
    asked.push(req.url!)
    const answer = await fetch(to + req.url, { headers: { authorization: req.headers.authorization! } })
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  const { url, close } = await onLoopback(server)
  onTestFinished(close)
  return { url, asked }
}
