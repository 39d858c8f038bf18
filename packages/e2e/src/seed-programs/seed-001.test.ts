import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Message } from './event-stream.ts'
import { SecondClient, SessionExpiredError } from './seed-001-client.ts'
import { SecondSandbox } from './seed-001-sandbox.ts'
import { documentStage, workspaceOf } from './seed-stage.ts'

const is = (method: string) => (message: Message) => message.method === method

async function bothSides(settings: Parameters<typeof documentStage>[0] = {}) {
  const stage = await documentStage(settings)
  const access = await stage.client()
  const client = new SecondClient(access)
  const sandbox = new SecondSandbox(await stage.sandbox())
  onTestFinished(() => client.disconnect())
  onTestFinished(() => sandbox.stop())
  await sandbox.start()
  const local = (path: string) => join(access.folder, path)
  const status = async () => (await (await client.get('status')).json()) as Record<string, unknown>
  return { stage, client, sandbox, local, status }
}

describe('seed 001: a client and a sandbox program written from it', () => {
  it('001 the first POST without a Session-Id is answered 200 with the header', async () => {
    const { client, stage } = await bothSides()
    const answer = await client.init()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('session-id')).toBe(stage.at.run)
  })

  it('001 a message is answered with the stream of its turn: its ack first, then the words of the agent', async () => {
    const { client, sandbox } = await bothSides()
    const turn = client.converse('Please fix the bug in auth.py')
    const first = turn.next()
    await sandbox.next('_posthog/user_message')
    await sandbox.emit('_posthog/ack', { for: 'user_message' })
    expect((await first).value).toMatchObject({ method: '_posthog/ack', params: { for: 'user_message' } })
    await sandbox.emit('agent_message_chunk', { text: "I'll look into that..." })
    expect((await turn.next()).value).toMatchObject({ params: { text: "I'll look into that..." } })
    await sandbox.emitEvent({ type: 'agent_status', status: 'idle' })
    const rest: string[] = []
    for await (const { method } of turn) rest.push(method)
    expect(rest.at(-1)).toBe('_posthog/turn_complete')
  })

  it('001 the agent server of the older mode tells its status, and the status endpoint says the same', async () => {
    const { client, sandbox, status } = await bothSides()
    await client.connect()
    await client.sendEvent('_posthog/user_message', { content: 'go' })
    await sandbox.next('_posthog/user_message')
    await sandbox.emitEvent({ type: 'agent_status', status: 'thinking' })
    expect(await status()).toMatchObject({ status: 'active', agentStatus: 'thinking', pendingQuestion: null })
    await sandbox.emitEvent({ type: 'agent_message', content: 'done it' })
    await sandbox.emitEvent({ type: 'agent_status', status: 'idle' })
    await client.until(is('_posthog/turn_complete'))
    expect(client.messages).toEqual(['done it'])
    expect(await status()).toMatchObject({ agentStatus: 'idle' })
  })

  it('001 a file of the sandbox is fetched by its hash from a presigned URL', async () => {
    const { client, sandbox, local } = await bothSides()
    await client.connect()
    await sandbox.fileChanged('src/auth.py', 'fixed')
    await client.until(is('_posthog/file_change'))
    expect(await readFile(local('src/auth.py'), 'utf8')).toBe('fixed')
  })

  it('001 a local change goes up under its bare hash, with a body without a content type', async () => {
    const { client, sandbox, local, stage } = await bothSides()
    await writeFile(local('notes.md'), 'mine')
    await client.handleLocalChange('notes.md')
    const { params } = await sandbox.next('_posthog/file_sync')
    const hex = createHash('sha256').update('mine').digest('hex')
    expect(params).toMatchObject({ path: 'notes.md', action: 'modified', hash: `sha256_${hex}` })
    expect(await workspaceOf(stage)).toEqual({ 'notes.md': 'mine' })
  })

  it('001 file_sync with the content in it needs no upload before', async () => {
    const { client, sandbox, stage } = await bothSides()
    const hash = createHash('sha256').update('inline').digest('hex')
    await client.sendEvent('_posthog/file_sync', { files: [{ path: 'a.txt', content: 'inline', hash }] })
    const { params } = await sandbox.next('_posthog/file_sync')
    expect(params).toMatchObject({ path: 'a.txt', hash: `sha256_${hash}` })
    expect(params).not.toHaveProperty('content')
    expect(await workspaceOf(stage)).toEqual({ 'a.txt': 'inline' })
  })

  it('001 a question with plain options has no id of its own, and the response names the one it was told', async () => {
    const { client, sandbox, status } = await bothSides()
    await client.connect()
    const options = ['Yes', 'No', 'Skip for now']
    const question = 'Should I also update the unit tests?'
    await sandbox.emit('_posthog/agent_question', { question, options, default: 'No' })
    await client.until(is('_posthog/agent_question'))
    expect(client.pendingQuestion).toMatchObject({ question, options, questionId: expect.any(String) })
    expect(await status()).toMatchObject({ agentStatus: 'waiting', pendingQuestion: { question, options } })
    await client.sendEvent('_posthog/user_response', {
      questionId: client.pendingQuestion!.questionId,
      answer: 'Yes',
    })
    expect((await sandbox.next('_posthog/user_response')).params).toMatchObject({ answer: 'Yes' })
    expect(await status()).toMatchObject({ pendingQuestion: null })
  })

  it('001 a question id of the sandbox program’s own making stays as it is', async () => {
    const { client, sandbox, status } = await bothSides()
    await client.connect()
    await sandbox.emit('_posthog/agent_question', { questionId: 'q1', question: 'Which?' })
    await client.until(is('_posthog/agent_question'))
    await client.sendEvent('_posthog/user_response', { questionId: 'q1', answer: 'this one' })
    expect((await sandbox.next('_posthog/user_response')).params).toMatchObject({ questionId: 'q1' })
    expect(await status()).toMatchObject({ pendingQuestion: null, agentStatus: 'idle' })
  })

  it('001 the status has the last commit and the branch it is on', async () => {
    const { sandbox, status } = await bothSides()
    await sandbox.emit('_posthog/git_commit', {
      sha: 'abc123',
      branch: 'posthog/task-123',
      message: 'WIP checkpoint',
    })
    expect(await status()).toMatchObject({
      status: 'active',
      sandboxHealthy: true,
      lastCommit: { sha: 'abc123', branch: 'posthog/task-123' },
    })
  })

  it('001 a client resumes with the event id that the status showed, prefix or not', async () => {
    const { client, sandbox, status } = await bothSides()
    await sandbox.emit('agent_message_chunk', { text: 'before' })
    client.lastEventId = `evt_${(await status()).lastEventId}`
    await client.connect('*/*')
    await sandbox.emit('agent_message_chunk', { text: 'after' })
    await client.until(is('agent_message_chunk'))
    expect(client.messages).toEqual(['after'])
  })

  it('001 a JSON-RPC request is answered with a JSON-RPC response', async () => {
    const { client } = await bothSides()
    const request = { jsonrpc: '2.0', id: 7, method: '_posthog/cancel', params: {} }
    const answer = await client.post(request)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { ids: [expect.any(Number)] },
    })
    const wrong = await client.post({ ...request, id: 'eight', method: '_posthog/user_message' })
    expect(wrong.status).toBe(400)
    expect(await wrong.json()).toMatchObject({ jsonrpc: '2.0', id: 'eight', error: { code: -32602 } })
  })

  it('001 a session that has expired is 404 until the client initializes again', async () => {
    const { client, stage } = await bothSides({ sessionExpiryMinutes: 0.001 })
    await expect
      .poll(
        () =>
          client.connect().then(
            () => client.disconnect(),
            (error) => error,
          ),
        { timeout: 120_000 },
      )
      .toBeInstanceOf(SessionExpiredError)
    expect((await client.post({ jsonrpc: '2.0', method: '_posthog/cancel' })).status).toBe(404)
    const again = await client.init()
    expect(again.status).toBe(200)
    expect(again.headers.get('session-id')).toBe(stage.at.run)
  })

  it('001 DELETE closes the session: 202', async () => {
    const { client } = await bothSides()
    expect((await client.close()).status).toBe(202)
  })

  it('001 callbacks that were registered are called when the agent asks', async () => {
    const bodies: Record<string, unknown>[] = []
    const server = createServer((req, res) => {
      let text = ''
      req.on('data', (piece) => (text += piece))
      req.on('end', () => {
        bodies.push(JSON.parse(text))
        res.end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { client, sandbox } = await bothSides({ allowPrivateCalls: true })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const answer = await client.post({
      type: 'register_callback',
      callbacks: [{ url, events: ['agent_message', 'question', 'done', 'error'] }],
    })
    expect(answer.status).toBe(200)
    await sandbox.emit('_posthog/agent_question', { question: 'Really?' })
    await expect
      .poll(() => bodies, { timeout: 120_000 })
      .toContainEqual(expect.objectContaining({ event: 'question' }))
  })

  it('001 every event of its lists is taken from the sandbox program, and reaches the client as it was sent', async () => {
    const { client, sandbox } = await bothSides()
    await client.connect()
    const sessionId = 'of-the-agent'
    const told: [string, Record<string, unknown>][] = [
      ['user_message_chunk', { text: 'hello' }],
      ['tool_call', { title: 'grep' }],
      ['session/update', { sessionId, update: { sessionUpdate: 'plan', entries: [] } }],
      ['_posthog/phase_start', { sessionId, phase: 'research' }],
      ['_posthog/phase_complete', { sessionId, phase: 'research' }],
      ['_posthog/artifact', { sessionId, kind: 'plan', content: '1. look' }],
      ['_posthog/console', { sessionId, level: 'info', message: 'installing' }],
      ['_posthog/sandbox_output', { sessionId, stdout: 'ok', stderr: '', exitCode: 0 }],
      ['_posthog/pr_created', { sessionId, prUrl: 'https://example.org/pull/1' }],
      ['_posthog/error', { sessionId, message: 'no', error: { code: 1 } }],
      ['_posthog/file_content', { path: 'a.txt', content: 'text' }],
      ['_posthog/session_checkpoint', { checkpointId: 'abc' }],
      ['_posthog/session_restored', { fromCheckpoint: 'abc' }],
      ['_posthog/ack', { for: 'file_sync' }],
    ]
    await sandbox.emit('_posthog/session_start', { sandboxId: 'box' })
    for (const [method, params] of told) await sandbox.emit(method, params)
    await client.until(is('_posthog/ack'))
    expect(client.seen.slice(-told.length)).toMatchObject(
      told.map(([method, params]) => ({ method, params })),
    )
  })
})
