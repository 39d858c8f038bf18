import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinHere, folder } from './builtin-under-test.ts'
import { modelUnderTest, type Reply } from './model-under-test.ts'

const call = (name: string, input: unknown, id?: string) => ({ calls: [{ name, input, ...(id && { id }) }] })
const local = async (...replies: Reply[]) => {
  const model = await modelUnderTest(replies)
  return { model, env: { FARHAND_MODEL_URL: model.url } }
}

describe('the built-in agent', () => {
  it('says which variables to set when there is no model, and has no session then', async () => {
    const { agent } = await builtinHere({}, { session: 'none' })
    await expect(agent.request('session/new', { cwd: folder(), mcpServers: [] })).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/ANTHROPIC_API_KEY.*OPENAI_API_KEY.*GEMINI_API_KEY.*FARHAND_MODEL_URL/),
    })
  })

  it('streams what the model thinks and says, and counts the tokens', async () => {
    const { env } = await local({ thinks: 'Hm.', says: ['Hello', ' you'] })
    const builtin = await builtinHere(env)
    const { stopReason, usage } = await builtin.prompt('hello')
    expect(stopReason).toBe('end_turn')
    expect(builtin.words).toBe('Hello you')
    expect(builtin.of('agent_message_chunk')).toHaveLength(2)
    expect(builtin.of('agent_thought_chunk')[0]?.content).toEqual({ type: 'text', text: 'Hm.' })
    expect(builtin.of('usage_update')[0]).toMatchObject({ used: 1020, size: 32_000 })
    expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 20, totalTokens: 1020 })
  })

  it('writes a file only after it has asked, and shows what will be in it', async () => {
    const { env, model } = await local(call('write', { path: 'a/b.txt', text: 'hi\n' }), { says: ['Done.'] })
    const builtin = await builtinHere(env)
    await builtin.prompt('write it')
    const file = path.join(builtin.cwd, 'a/b.txt')
    expect(readFileSync(file, 'utf8')).toBe('hi\n')
    const diff = { type: 'diff', path: file, oldText: null, newText: 'hi\n' }
    expect(builtin.asked).toHaveLength(1)
    expect(builtin.asked[0]).toMatchObject({
      toolCall: { title: 'Write a/b.txt', kind: 'edit', locations: [{ path: file }], content: [diff] },
      options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
    })
    expect(builtin.of('tool_call')[0]).toMatchObject({ status: 'pending', kind: 'edit' })
    expect(builtin.ends).toEqual({ call_0: 'completed' })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Created a/b.txt.' })
  })

  it('does not write a refused file, and tells the model so', async () => {
    const { env, model } = await local(call('write', { path: 'a.txt', text: 'hi' }), { says: ['Then not.'] })
    const builtin = await builtinHere(env, { answers: () => 'reject' })
    expect((await builtin.prompt('write it')).stopReason).toBe('end_turn')
    expect(() => readFileSync(path.join(builtin.cwd, 'a.txt'))).toThrow('ENOENT')
    expect(builtin.ends).toEqual({ call_0: 'failed' })
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch('did not allow')
  })

  it('asks once for a kind that the user always allows, and still for commands', async () => {
    const { env } = await local(
      call('write', { path: 'a', text: '1' }),
      call('write', { path: 'b', text: '2' }),
      call('shell', { command: 'cat a b' }),
      { says: ['Done.'] },
    )
    const builtin = await builtinHere(env, { answers: () => 'allow-always' })
    await builtin.prompt('go')
    expect(builtin.asked.map(({ toolCall }) => toolCall.title)).toEqual(['Write a', 'cat a b'])
    // The server gives the same id in every answer; to the host they are three calls.
    expect(builtin.ends).toEqual({ call_0: 'completed', 'call_0-2': 'completed', 'call_0-3': 'completed' })
  })

  it('runs a command without the keys of the model in its environment', async () => {
    const { env, model } = await local(call('shell', { command: 'echo "[$FARHAND_MODEL_KEY]"; exit 3' }), {})
    const builtin = await builtinHere({ ...env, FARHAND_MODEL_KEY: 'secret' }, { mode: 'all' })
    await builtin.prompt('run it')
    expect(builtin.asked).toEqual([])
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('[]\n(exit code 3)')
    expect(builtin.ends).toEqual({ call_0: 'failed' })
  })

  it('changes nothing in plan mode until the user approves the plan, even if the model calls tools that write', async () => {
    const { env, model } = await local(
      call('write', { path: 'a', text: '1' }),
      call('propose_plan', { plan: '1. Write a' }),
      call('write', { path: 'a', text: '2' }),
      { says: ['Done.'] },
    )
    const builtin = await builtinHere(env, { mode: 'plan', answers: () => 'approve-edits' })
    await builtin.prompt('plan it')
    const names = model.requests[0]?.tools.map((tool) => tool.function.name)
    expect(names).toEqual(['read', 'list', 'search', 'plan', 'propose_plan'])
    expect(builtin.asked).toHaveLength(1)
    expect(builtin.asked[0]).toMatchObject({
      toolCall: { kind: 'switch_mode', content: [{ content: { text: '1. Write a' } }] },
    })
    expect(builtin.of('current_mode_update')).toMatchObject([{ currentModeId: 'edits' }])
    expect(readFileSync(path.join(builtin.cwd, 'a'), 'utf8')).toBe('2')
    expect(Object.values(builtin.ends)).toEqual(['failed', 'completed', 'completed'])
  })

  it('shows its steps as a plan and not as a tool call', async () => {
    const { env } = await local(call('plan', { entries: [{ content: 'Look', status: 'in_progress' }] }), {})
    const builtin = await builtinHere(env)
    await builtin.prompt('go')
    expect(builtin.of('plan')).toMatchObject([
      { entries: [{ content: 'Look', status: 'in_progress', priority: 'medium' }] },
    ])
    expect(builtin.of('tool_call')).toEqual([])
  })

  it('asks before it writes into .git, as before a command: git runs hooks', async () => {
    const { env } = await local(
      call('write', { path: 'code/hooks/pre-commit', text: 'x' }),
      call('write', { path: '.GIT/config', text: 'x' }),
      call('write', { path: 'a', text: '1' }),
      { says: ['Done.'] },
    )
    const builtin = await builtinHere(env, { mode: 'edits', answers: () => 'reject' })
    mkdirSync(path.join(builtin.cwd, '.git'))
    symlinkSync('.git', path.join(builtin.cwd, 'code'))
    await builtin.prompt('go')
    expect(builtin.asked.map(({ toolCall }) => toolCall.title)).toEqual([
      'Write code/hooks/pre-commit',
      'Write .GIT/config',
    ])
    expect(readdirSync(path.join(builtin.cwd, '.git'))).toEqual([])
    expect(Object.values(builtin.ends)).toEqual(['failed', 'failed', 'completed'])
  })

  it('reads no file outside of the workspace', async () => {
    const { env, model } = await local(call('read', { path: '/etc/passwd' }), {})
    const builtin = await builtinHere(env)
    await builtin.prompt('read it')
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch('outside of the workspace')
  })

  it('tells the model what is wrong with a call it cannot read, and goes on', async () => {
    const { env, model } = await local(call('read', '{"path": 3}'), call('nonsense', {}, 'n'), {
      says: ['Oh.'],
    })
    const builtin = await builtinHere(env)
    expect((await builtin.prompt('go')).stopReason).toBe('end_turn')
    expect(Object.values(builtin.ends)).toEqual(['failed', 'failed'])
    const results = model.requests[2]?.messages.filter(({ role }) => role === 'tool')
    expect(results).toHaveLength(2)
    expect(builtin.words).toBe('Oh.')
  })

  it('reads AGENTS.md of the workspace to the model', async () => {
    const { env, model } = await local({ says: ['Yes.'] })
    const cwd = folder()
    writeFileSync(path.join(cwd, 'AGENTS.md'), 'Write everything in lower case.')
    await (await builtinHere(env, { cwd })).prompt('hello')
    expect(model.requests[0]?.messages[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('Write everything in lower case.'),
    })
  })

  it('stops when it does the same again and again', async () => {
    const { env, model } = await local(...Array.from({ length: 20 }, () => call('read', { path: 'none' })))
    const builtin = await builtinHere(env)
    expect((await builtin.prompt('go')).stopReason).toBe('max_turn_requests')
    expect(model.requests).toHaveLength(5)
    expect(model.requests[3]?.messages.at(-1)?.content).toMatch('Do something else')
    expect(builtin.words).toMatch('again and again')
  })

  it('asks the user what it cannot know, if its host can, and gives the answer to the model', async () => {
    const question = {
      question: 'Where?',
      options: [{ label: 'left' }, { label: 'right', description: 'or so' }],
    }
    const { env, model } = await local(call('ask_user', question), { says: ['Fine.'] })
    const builtin = await builtinHere(env, { canAsk: true })
    await builtin.prompt('go')
    expect(builtin.questions).toMatchObject([{ mode: 'form', message: 'Where?' }])
    const oneOf = [
      { const: 'left', title: 'left' },
      { const: 'right', title: 'right', description: 'or so' },
    ]
    expect(JSON.stringify(builtin.questions[0])).toContain(JSON.stringify(oneOf))
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('left')
    expect(builtin.of('tool_call')).toEqual([])
  })

  it('has no tool for questions when its host cannot ask', async () => {
    const { env, model } = await local({ says: ['Fine.'] })
    await (await builtinHere(env)).prompt('go')
    expect(model.requests[0]?.tools.map((tool) => tool.function.name)).not.toContain('ask_user')
  })

  it('stops after its limit of steps, and says so', async () => {
    const { env, model } = await local(...[1, 2, 3, 4, 5].map((at) => call('read', { path: `file-${at}` })))
    const builtin = await builtinHere({ ...env, FARHAND_AGENT_STEPS: '3' })
    expect((await builtin.prompt('go')).stopReason).toBe('max_turn_requests')
    expect(model.requests).toHaveLength(3)
    expect(builtin.words).toMatch('3 steps')
  })

  it('searches with a pattern and leaves ignored files alone', async () => {
    const { env, model } = await local(call('search', { pattern: 'w[io]n' }), call('list', {}), {})
    const cwd = folder()
    for (const [name, text] of Object.entries({ '.gitignore': 'b', a: 'one\nwin\n', b: 'won' }))
      writeFileSync(path.join(cwd, name), text)
    await (await builtinHere(env, { cwd })).prompt('go')
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('a:2: win')
    expect(model.requests[2]?.messages.at(-1)?.content).toBe('.gitignore\na')
  })

  it('edits the current text, and refuses if the file changed while the user was deciding', async () => {
    const edit = (oldText: string, newText: string) => call('edit', { path: 'a', oldText, newText })
    const { env, model } = await local(edit('one', 'two'), edit('two', 'three'), {})
    const cwd = folder()
    const file = path.join(cwd, 'a')
    writeFileSync(file, 'one\n')
    const builtin = await builtinHere(env, {
      cwd,
      answers: ({ toolCall }) => {
        if (JSON.stringify(toolCall.rawInput).includes('three')) writeFileSync(file, 'two, by a person\n')
        return 'allow-once'
      },
    })
    await builtin.prompt('go')
    expect(Object.values(builtin.ends)).toEqual(['completed', 'failed'])
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch('has changed in the meantime')
    expect(readFileSync(file, 'utf8')).toBe('two, by a person\n')
  })
})
