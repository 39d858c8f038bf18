import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Message } from './event-stream.ts'
import { FirstClient } from './seed-000-client.ts'
import { FirstSandbox, recover } from './seed-000-sandbox.ts'
import { documentStage, workspaceOf } from './seed-stage.ts'

const is =
  (method: string, params: Record<string, unknown> = {}) =>
  (message: Message) =>
    message.method === method &&
    Object.entries(params).every(([name, value]) => message.params?.[name] === value)

async function bothSides(settings: Parameters<typeof documentStage>[0] = {}) {
  const stage = await documentStage(settings)
  const [clientAccess, sandboxAccess] = [await stage.client(), await stage.sandbox()]
  const client = new FirstClient(clientAccess)
  const sandbox = new FirstSandbox(sandboxAccess)
  onTestFinished(() => client.disconnect())
  onTestFinished(() => sandbox.stop())
  await client.connect()
  await sandbox.start()
  const local = (path: string) => join(clientAccess.folder, path)
  const remote = (path: string) => join(sandboxAccess.folder, path)
  const text = (file: string) => readFile(file, 'utf8')
  return { stage, client, sandbox, clientAccess, sandboxAccess, local, remote, text }
}

describe('seed 000: a client and a sandbox program written from it', () => {
  it('000 a message reaches the sandbox program on its own stream, and its words come back', async () => {
    const { client, sandbox } = await bothSides()
    await client.prompt('Please fix the auth bug')
    expect(await sandbox.nextCommand()).toMatchObject({
      jsonrpc: '2.0',
      method: '_posthog/user_message',
      params: { content: 'Please fix the auth bug' },
    })
    await sandbox.emit('_posthog/ack', { for: 'user_message' })
    await sandbox.emit('tool_call', { toolCallId: '1', title: 'grep' })
    await sandbox.emit('tool_result', { toolCallId: '1', status: 'completed' })
    await sandbox.emit('agent_message_chunk', { text: 'I found the issue...' })
    await client.until(is('agent_message_chunk'))
    expect(client.messages).toEqual(['I found the issue...'])
  })

  it('000 a file that the agent writes, changes and deletes is so in the local folder', async () => {
    const { client, sandbox, local, text } = await bothSides()
    await sandbox.writes('src/auth.py', 'first', 'created')
    await client.until(is('_posthog/file_change', { path: 'src/auth.py' }))
    expect(await text(local('src/auth.py'))).toBe('first')
    await sandbox.writes('src/auth.py', 'second', 'modified')
    await client.until(is('_posthog/file_change', { path: 'src/auth.py' }))
    expect(await text(local('src/auth.py'))).toBe('second')
    await sandbox.deletes('src/auth.py')
    await client.until(is('_posthog/file_change', { action: 'deleted' }))
    await expect(text(local('src/auth.py'))).rejects.toThrow('ENOENT')
  })

  it('000 a file_change that names no action is a file that was written', async () => {
    const { client, sandbox, local, text } = await bothSides()
    await sandbox.writes('src/foo.py', 'no action')
    await client.until(is('_posthog/file_change', { path: 'src/foo.py' }))
    expect(await text(local('src/foo.py'))).toBe('no action')
  })

  it('000 a local edit overwrites what the agent wrote, in the sandbox and in the workspace of the run', async () => {
    const { client, sandbox, local, remote, text, stage } = await bothSides()
    await sandbox.writes('src/auth.py', 'of the agent', 'created')
    await client.until(is('_posthog/file_change'))
    await writeFile(local('src/auth.py'), 'of the user')
    await client.savedLocally('src/auth.py')
    await sandbox.nextCommand()
    expect(await text(remote('src/auth.py'))).toBe('of the user')
    expect(await workspaceOf(stage)).toEqual({ 'src/auth.py': 'of the user' })
  })

  it('000 W61 after the user edited a file, what the agent then writes to it counts in the order of arrival', async () => {
    const { client, sandbox, local, stage } = await bothSides()
    await writeFile(local('notes.md'), 'of the user')
    await client.savedLocally('notes.md')
    await sandbox.nextCommand()
    await sandbox.writes('notes.md', 'of the agent, later', 'modified')
    await client.until(is('_posthog/file_change', { path: 'notes.md' }))
    expect(await workspaceOf(stage)).toEqual({ 'notes.md': 'of the agent, later' })
  })

  it('000 W60 a change of several files that a runner of ours tells at once comes as one path each', async () => {
    const { client, sandbox, sandboxAccess, local, text } = await bothSides()
    const hashes: string[] = []
    for (const content of ['one', 'two', 'three']) {
      await sandbox.writes(`${content}.txt`, content, 'created')
      await client.until(is('_posthog/file_change'))
      hashes.push(String(client.seen.at(-1)!.message.params!.hash))
    }
    const files = hashes.map((hash, n) => ({
      path: `copy-${n}.txt`,
      action: 'created',
      hash,
      mode: '100644',
    }))
    await sandbox.emit('_posthog/file_change', { files })
    await client.until(is('_posthog/file_change', { path: 'copy-2.txt' }))
    const copies = client.seen.slice(-3)
    expect(copies.map(({ message }) => message.params?.path)).toEqual(files.map(({ path }) => path))
    expect(copies.map(({ id }) => id !== null)).toEqual([false, false, true])
    expect(await text(local('copy-1.txt'))).toBe('two')
    // A cut in between repeats the whole event and skips none of it.
    const late = new FirstClient({ ...sandboxAccess, folder: sandboxAccess.folder })
    late.lastEventId = String(Number(copies[2]!.id) - 1)
    onTestFinished(() => late.disconnect())
    await late.connect()
    await late.until(is('_posthog/file_change', { path: 'copy-2.txt' }))
    expect(late.seen).toHaveLength(3)
  })

  it('000 W62 user_message is the response to the one question that is open', async () => {
    const { client, sandbox } = await bothSides()
    await sandbox.emit('_posthog/agent_question', { question: 'Should I also update the tests?' })
    await client.until(is('_posthog/agent_question'))
    await client.prompt('Yes, and the docs')
    const { method, params } = await sandbox.nextCommand()
    expect(method).toBe('_posthog/user_response')
    expect(params).toMatchObject({
      questionId: client.questions[0]!.questionId,
      answer: 'Yes, and the docs',
      content: 'Yes, and the docs',
    })
  })

  it('000 a client that was away gets what it missed after its Last-Event-ID, then what is new', async () => {
    const { client, sandbox } = await bothSides()
    await sandbox.emit('agent_message_chunk', { text: 'seen' })
    await client.until(is('agent_message_chunk'))
    client.disconnect()
    await sandbox.emit('agent_message_chunk', { text: 'missed' })
    await client.connect()
    await client.until(is('agent_message_chunk'))
    await sandbox.emit('agent_message_chunk', { text: 'live' })
    await client.until(is('agent_message_chunk'))
    expect(client.messages).toEqual(['seen', 'missed', 'live'])
  })

  it('000 cancel and close reach the sandbox program', async () => {
    const { client, sandbox } = await bothSides({ closeGraceMs: 200 })
    await client.cancel()
    expect((await sandbox.nextCommand()).method).toBe('_posthog/cancel')
    await client.send('_posthog/close')
    expect((await sandbox.nextCommand()).method).toBe('_posthog/close')
    await client.until(is('_posthog/session_close'))
  })

  it('000 a sandbox that died is rebuilt from the log alone: the newest commit and the files after it', async () => {
    const { sandbox, stage, text } = await bothSides()
    await sandbox.writes('src/foo.py', 'committed', 'created')
    await sandbox.emit('_posthog/git_commit', { sha: 'abc123' })
    await sandbox.writes('src/foo.py', 'after the commit', 'modified')
    await sandbox.writes('src/baz.py', 'new', 'created')
    await sandbox.emit('_posthog/file_change', { path: 'src/gone.py', action: 'deleted' })
    const fresh = await stage.sandbox()
    const status = await stage.hub.ask('GET', paths.status(stage.at))
    expect(await recover(fresh, status.body.lastEventId)).toEqual({ commit: 'abc123' })
    expect(await text(join(fresh.folder, 'src/foo.py'))).toBe('after the commit')
    expect(await text(join(fresh.folder, 'src/baz.py'))).toBe('new')
  })

  it('000 the sandbox program says that its session began, which the hub has said before', async () => {
    const { client, sandbox, stage } = await bothSides()
    await sandbox.emit('_posthog/session_start', { sandboxId: 'box-1' })
    await sandbox.emit('agent_message_chunk', { text: 'here' })
    await client.until(is('agent_message_chunk'))
    expect(await stage.hub.ask('GET', paths.status(stage.at))).toMatchObject({
      body: { status: 'active', runner: { generation: 1 } },
    })
  })
})
