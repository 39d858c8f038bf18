import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { endHub } from '@farhand/testkit/end-hub'
import { HubProcess } from '@farhand/testkit/hub-process'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { farhandBin, ownEnv, temporaryFolder } from '../../farhand-under-test.ts'

let hub: HubProcess

beforeAll(async () => {
  hub = await HubProcess.start()
})
afterAll(() => endHub(hub))

/** An agent's host on a user's computer: it starts the server and calls its tools. */
async function host(options: ClientOptions = {}, { isSignedIn = true } = {}) {
  const [state, cwd, home] = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()])
  const access = isSignedIn ? ['--hub', hub.url, '--token', hub.token] : []
  const words = [
    farhandBin,
    'mcp',
    ...access,
    '--state',
    state,
    '--agent',
    'rehearsal',
    '--sandbox',
    'process',
  ]
  const env = { ...ownEnv(), HOME: home } as Record<string, string>
  const client = new Client({ name: 'host', version: '1' }, options)
  const errors: Error[] = []
  client.onerror = (error) => void errors.push(error)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: words, env, cwd, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  const progress: string[] = []
  const call = async (name: string, given: Record<string, unknown>) => {
    const answer = await client.callTool(
      { name, arguments: given },
      { timeout: 110_000, onprogress: ({ message }) => void progress.push(message ?? '') },
    )
    const [first] = answer.content as { text: string }[]
    return { text: first?.text ?? '', failed: answer.isError === true }
  }
  return { client, call, cwd, progress, errors }
}

const idIn = (text: string) => /^task_id: (\S+)/.exec(text)![1]!

it('a local agent delegates a task, sees how it gets on, and gets its result and its files', async () => {
  const { call, cwd, progress, errors } = await host()
  const done = await call('cloud_agent', {
    task: 'plan: look around; write it. write out/report.md with "all is well". say That was all',
    wait_seconds: 100,
  })
  expect(done.text).toContain('status: completed')
  expect(done.text).toContain('That was all')
  expect(progress.join('\n')).toContain('report.md')
  const task_id = idIn(done.text)
  expect((await call('cloud_agent_files', { task_id })).text).toContain('out/report.md')
  expect((await call('cloud_agent_read', { task_id, path: 'out/report.md' })).text).toContain('all is well')
  expect(readdirSync(cwd)).toEqual([])
  const downloaded = await call('cloud_agent_download', { task_id, into: 'result' })
  expect(downloaded.text).toContain('1 files are in')
  expect(readFileSync(path.join(cwd, 'result/out/report.md'), 'utf8')).toContain('all is well')
  expect((await call('cloud_agent_list', {})).text).toContain(task_id)
  expect(errors).toEqual([])
})

describe.each(['legacy', 'auto'] as const)('a host that speaks the %s revision and has forms', (mode) => {
  it('has its user answer a question of the task, in the same call', async () => {
    const { client, call } = await host({
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
    })
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { answer: 'green' } }
    })
    const done = await call('cloud_agent', {
      task: 'ask "Which color?" with options red, green',
      wait_seconds: 100,
    })
    expect(asked).toEqual([expect.stringContaining('Which color?')])
    expect(done.text).toContain('status: completed')
    expect(done.text).toContain('green')
    const listed = (await call('cloud_agent_list', {})).text
    expect(listed.split('\n').filter((line) => line.startsWith(idIn(done.text)))).toHaveLength(1)
  })
})

it('a user who does not answer leaves the question open, and it is asked once in a call', async () => {
  const { client, call } = await host({ capabilities: { elicitation: {} } })
  let asked = 0
  client.setRequestHandler('elicitation/create', () => {
    asked += 1
    return { action: 'decline' }
  })
  const open = await call('cloud_agent', { task: 'ask "Why?"', wait_seconds: 100 })
  expect(open.text).toContain('waits for an answer')
  expect(asked).toBe(1)
  await call('cloud_agent_control', { task_id: idIn(open.text), action: 'cancel' })
})

it('a task outlives the program that delegated it and the hub, and is answered and finished later', async () => {
  const evening = await host()
  const begun = await evening.call('cloud_agent', {
    task: 'ask "Ready?". say Finished at last',
    wait_seconds: 100,
  })
  expect(begun.text).toContain('Ready?')
  const task_id = idIn(begun.text)
  await evening.client.close()
  await hub.restart()
  const morning = await host()
  expect((await morning.call('cloud_agent_follow', { task_id, wait_seconds: 0 })).text).toContain('Ready?')
  const done = await morning.call('cloud_agent_answer', { task_id, answer: 'yes', wait_seconds: 100 })
  expect(done.text).toContain('status: completed')
  expect(done.text).toContain('Finished at last')
})

it('a call ends when its time is up and the task goes on, until it is cancelled', async () => {
  const { call } = await host()
  const begun = await call('cloud_agent', { task: 'wait for go.txt to exist', wait_seconds: 1 })
  expect(begun.text).toContain('goes on by itself')
  expect(begun.text).toContain('seems to run on this computer')
  const task_id = idIn(begun.text)
  expect((await call('cloud_agent_control', { task_id, action: 'cancel' })).failed).toBe(false)
  const over = await call('cloud_agent_follow', { task_id, wait_seconds: 100 })
  expect(over.text).toContain('status: canceled')
  expect((await call('cloud_agent_control', { task_id, action: 'resume' })).failed).toBe(true)
})

it('files of a task are put nowhere but into a folder of their own in the roots of the host', async () => {
  const outside = await temporaryFolder()
  const root = await temporaryFolder()
  const { client, call, cwd } = await host({ capabilities: { roots: {} } })
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file://${root}` }] }))
  const done = await call('cloud_agent', { task: 'write .mcp.json with "{}"', wait_seconds: 100 })
  const task_id = idIn(done.text)
  for (const into of [outside, '..', '.', cwd])
    expect(await call('cloud_agent_download', { task_id, into }), into).toMatchObject({ failed: true })
  expect([readdirSync(outside), readdirSync(root), readdirSync(cwd)]).toEqual([[], [], []])
  const without = await call('cloud_agent_download', { task_id })
  expect(without).toMatchObject({ failed: false, text: expect.stringContaining('1 are left out') })
  expect(without.text).toMatch(/<from_cloud_agent[^>]*>\n\.mcp\.json: is left out\n<\/from_cloud_agent>$/)
  expect(existsSync(path.join(root, 'cloud-agent', task_id, '.mcp.json'))).toBe(false)
  expect((await call('cloud_agent_download', { task_id, paths: ['.mcp.json'] })).failed).toBe(false)
  expect(existsSync(path.join(root, 'cloud-agent', task_id, '.mcp.json'))).toBe(true)
  for (const path of ['../../etc/passwd', '/etc/passwd', 'nosuch'])
    expect(await call('cloud_agent_read', { task_id, path }), path).toMatchObject({ failed: true })
})

it('without a hub the tools say what to do, and a task of another user or none is not found', async () => {
  const lost = await host({}, { isSignedIn: false })
  const refused = await lost.call('cloud_agent', { task: 'say hello' })
  expect(refused.failed).toBe(true)
  expect(refused.text).toContain('--hub')
  expect(lost.errors).toEqual([])
  const { call } = await host()
  expect(await call('cloud_agent_follow', { task_id: 'acp_0000000000000000' })).toMatchObject({
    failed: true,
  })
  expect(await call('cloud_agent_follow', { task_id: '../../runs' })).toMatchObject({ failed: true })
})
