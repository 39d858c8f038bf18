import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinHere, builtinProcess, folder } from './builtin-under-test.ts'
import { modelUnderTest } from './model-under-test.ts'

describe('a session', () => {
  it('is replayed when it is loaded after a kill in the middle of a call, and can go on', async () => {
    const model = await modelUnderTest([
      { says: ['Let me see.'], calls: [{ name: 'list', input: {} }] },
      { calls: [{ name: 'write', input: { path: 'a', text: 'x' } }] },
      { says: ['On it.'] },
    ])
    const home = folder()
    const env = { FARHAND_MODEL_URL: model.url, FARHAND_AGENT_HOME: home }
    const first = await builtinProcess(env, { answers: () => new Promise<string>(() => {}) })
    first.prompt('go').catch(() => {})
    await first.until(() => first.asked.length === 1)
    first.child.kill('SIGKILL')
    await first.exited

    const { sessionId, cwd } = first
    const second = await builtinHere(env, { session: 'none' })
    const { modes } = await second.agent.request('session/load', { sessionId, cwd, mcpServers: [] })
    second.sessionId = sessionId
    expect(modes?.currentModeId).toBe('ask')
    expect(second.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'user_message_chunk',
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'tool_call',
      'tool_call_update',
    ])
    expect(second.ends).toEqual({ call_0: 'completed', 'call_0-2': 'failed' })
    await second.prompt('and now?')
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'system',
      ...['user', 'assistant', 'tool', 'assistant', 'tool', 'user'],
    ])
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('ended before this was done')
  })

  it('remembers its mode, repeats nothing when it is resumed, and can be read by no other user', async () => {
    const model = await modelUnderTest([{ says: ['Hello.'] }, { says: ['Again.'] }])
    const home = folder()
    const env = { FARHAND_MODEL_URL: model.url, FARHAND_AGENT_HOME: home }
    const first = await builtinHere(env, { mode: 'edits' })
    await first.prompt('hello')
    const [name = ''] = readdirSync(path.join(home, 'sessions'))
    const file = path.join(home, 'sessions', name)
    expect(statSync(file).mode & 0o077).toBe(0)
    // As a kill in the middle of a line leaves it.
    appendFileSync(file, '{"message":{"role":"us')

    const { sessionId, cwd } = first
    const second = await builtinHere(env, { session: 'none' })
    const { modes } = await second.agent.request('session/resume', { sessionId, cwd, mcpServers: [] })
    second.sessionId = sessionId
    expect(modes?.currentModeId).toBe('edits')
    expect(second.updates).toEqual([])
    await second.prompt('more')
    expect(model.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
      'hello',
      'Hello.',
      'more',
    ])
    const lines = readFileSync(file, 'utf8').split('\n')
    expect(lines.filter((line) => line.includes('"more"'))).not.toEqual([])
  })

  it('that does not exist cannot be loaded, not even by a path', async () => {
    const env = { FARHAND_MODEL_URL: 'http://127.0.0.1:1/v1', FARHAND_AGENT_HOME: folder() }
    const { agent } = await builtinHere(env, { session: 'none' })
    for (const sessionId of ['none', '../../etc/passwd', '']) {
      const load = agent.request('session/load', { sessionId, cwd: folder(), mcpServers: [] })
      await expect(load).rejects.toMatchObject({ code: -32002 })
    }
  })
})
