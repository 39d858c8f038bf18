import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { phrases } from './phrases.ts'
import { folder, ofKind, type Rehearsal, rehearsalHere } from './rehearsal-under-test.ts'

const runUntilGo = 'run `echo early; until test -e go; do sleep 0.02; done`'
const kinds = (rehearsal: Rehearsal) => rehearsal.updates.map(({ sessionUpdate }) => sessionUpdate)
describe('a rehearsal', () => {
  it('says in its first words that no model is involved, once in a session', async () => {
    const rehearsal = await rehearsalHere()
    expect(await rehearsal.prompt('say hello')).toEqual({ stopReason: 'end_turn' })
    await rehearsal.prompt('say goodbye')
    expect(rehearsal.words).toMatch(/^This is a rehearsal: no model is involved.*\n\nhellogoodbye$/s)
  })

  it('says the same things in the same order for the same prompt', async () => {
    const prompt = `plan: look; write
      write a/b.txt with 3 lines
      run test -s a/b.txt && exit 3
      think for 2 ms. Use 5 tokens costing 0.5 dollars.
      repeat 3 times: append {n} to c.txt
      nonsense
      read c.txt`
    const cwd = folder()
    const [first, second] = [await rehearsalHere({ cwd }), await rehearsalHere({ cwd })]
    await first.prompt(prompt)
    await first.prompt('delete a/b.txt. delete c.txt')
    await second.prompt(prompt)
    await second.prompt('delete a/b.txt. delete c.txt')
    expect(first.updates).toEqual(second.updates)
    expect(first.words).toContain('I read c.txt (6 bytes)')
  })

  it('tells a new session its commands only after the host has heard of the session', async () => {
    const rehearsal = await rehearsalHere()
    await rehearsal.heard(({ updates }) => updates.length === 1)
    const order = rehearsal.frames.map((frame) => ('method' in frame ? frame.method : 'answer'))
    expect(order).toEqual(['answer', 'answer', 'session/update'])
    expect(kinds(rehearsal)).toEqual(['available_commands_update'])
  })

  it('lists everything it understands when asked for help', async () => {
    const rehearsal = await rehearsalHere()
    await rehearsal.prompt('help')
    for (const { example } of phrases) expect(rehearsal.words).toContain(example)
  })

  it('says which sentence it does not understand, and goes on', async () => {
    const rehearsal = await rehearsalHere()
    expect(await rehearsal.prompt('Cook dinner. Write a.txt')).toEqual({ stopReason: 'end_turn' })
    expect(rehearsal.words).toContain('I do not understand "Cook dinner"')
    expect(existsSync(path.join(rehearsal.cwd, 'a.txt'))).toBe(true)
  })

  it('recognises the texts that a runner adds by itself', async () => {
    const rehearsal = await rehearsalHere()
    const again =
      'You were interrupted while you worked on the message below. Look at what is done already, and continue.'
    await rehearsal.prompt(`${again}\nsay hello`)
    await rehearsal.prompt(
      'You were stopped at a limit of the user’s. They want you to go on where you were.',
    )
    expect(rehearsal.words).toMatch(/I was interrupted.*hello.*I may go on/s)
    expect(rehearsal.words).not.toContain('I do not understand')
  })

  it('writes, appends, renames, reads and deletes files, each as a tool call', async () => {
    const rehearsal = await rehearsalHere()
    const at = (name: string) => path.join(rehearsal.cwd, name)
    await rehearsal.prompt('write a.txt with "x\\n"\nappend y to a.txt\nrename a.txt to deep/b.txt')
    expect(readFileSync(at('deep/b.txt'), 'utf8')).toBe('x\ny\n')
    await rehearsal.prompt('read deep/b.txt\ndelete deep/b.txt\nread deep/b.txt')
    expect(existsSync(at('deep/b.txt'))).toBe(false)
    expect(ofKind(rehearsal, 'tool_call').map(({ toolCallId, kind }) => [toolCallId, kind])).toEqual([
      ['call-1', 'edit'],
      ['call-2', 'edit'],
      ['call-3', 'move'],
      ['call-4', 'read'],
      ['call-5', 'delete'],
      ['call-6', 'read'],
    ])
    const ends = ofKind(rehearsal, 'tool_call_update')
    expect(ends.map(({ status }) => status)).toEqual([...Array(5).fill('completed'), 'failed'])
    expect(ends[0]?.content).toEqual([{ type: 'diff', path: at('a.txt'), oldText: null, newText: 'x\n' }])
    expect(rehearsal.words).toContain('I could not read deep/b.txt: there is no such file.')
  })

  it('touches nothing outside of the workspace, also not through a link', async () => {
    const outside = folder()
    const rehearsal = await rehearsalHere()
    writeFileSync(path.join(outside, 'secret'), 'secret')
    symlinkSync(outside, path.join(rehearsal.cwd, 'away'))
    symlinkSync(path.join(outside, 'new'), path.join(rehearsal.cwd, 'nowhere'))
    await rehearsal.prompt(
      `write ../${path.basename(outside)}/new\nwrite away/new\nwrite nowhere
      read away/secret\nread ${outside}/secret`,
    )
    expect(ofKind(rehearsal, 'tool_call_update').map(({ status }) => status)).toEqual(Array(5).fill('failed'))
    expect(existsSync(path.join(outside, 'new'))).toBe(false)
    expect(JSON.stringify(rehearsal.frames)).not.toContain('"secret"')
  })

  it('shows what a command prints and how it ended', async () => {
    const rehearsal = await rehearsalHere()
    await rehearsal.prompt('run `echo out; echo err >&2; exit 3`')
    const end = ofKind(rehearsal, 'tool_call_update').at(-1)
    expect(end).toMatchObject({ status: 'failed', rawOutput: { exitCode: 3 } })
    expect(JSON.stringify(end?.content)).toMatch(/out.*err|err.*out/)
    expect(rehearsal.words).toContain('exit code 3')
  })

  it('shows what a command has printed while it still runs', async () => {
    const rehearsal = await rehearsalHere()
    const turn = rehearsal.prompt(runUntilGo)
    await rehearsal.heard(({ updates }) => JSON.stringify(updates).includes('early\\n'))
    writeFileSync(path.join(rehearsal.cwd, 'go'), '')
    expect(await turn).toEqual({ stopReason: 'end_turn' })
  })

  it('advances its plan with each sentence, and leaves later entries open', async () => {
    const rehearsal = await rehearsalHere()
    await rehearsal.prompt('plan: one; two; three\nsay 1\nsay 2')
    const plans = ofKind(rehearsal, 'plan').map(({ entries }) =>
      entries.map(({ status }) => status[0]).join(''),
    )
    expect(plans).toEqual(['ppp', 'ipp', 'cpp', 'cip', 'ccp'])
  })

  it('adds up what it uses, and reports titles and modes', async () => {
    const rehearsal = await rehearsalHere()
    await rehearsal.prompt(
      'use 10 tokens\nuse 5 tokens costing 0.25 dollars\nswitch title to New\nset mode careful',
    )
    expect(ofKind(rehearsal, 'usage_update')).toMatchObject([
      { used: 10 },
      { used: 15, cost: { amount: 0.25, currency: 'USD' } },
    ])
    expect(ofKind(rehearsal, 'session_info_update')).toMatchObject([{ title: 'New' }])
    expect(ofKind(rehearsal, 'current_mode_update')).toMatchObject([{ currentModeId: 'careful' }])
  })

  it('ends its turns as it is told: with an error, a refusal, a limit', async () => {
    const rehearsal = await rehearsalHere()
    await expect(rehearsal.prompt('fail with "no more"')).rejects.toMatchObject({
      code: -32603,
      message: 'no more',
    })
    expect(await rehearsal.prompt('refuse. say never')).toEqual({ stopReason: 'refusal' })
    expect(await rehearsal.prompt('stop with max_tokens')).toEqual({ stopReason: 'max_tokens' })
    expect(rehearsal.words).not.toContain('never')
  })

  it('reports a rate limit until its time is over', async () => {
    const rehearsal = await rehearsalHere()
    const limited = { code: -32603, data: { statusCode: 429 } }
    await expect(rehearsal.prompt('rate limit for 1 minute. say over')).rejects.toMatchObject(limited)
    await expect(rehearsal.prompt('rate limit for 1 minute. say over')).rejects.toMatchObject(limited)
    await expect(rehearsal.prompt('rate limit for 1 ms. say over')).rejects.toMatchObject(limited)
    await rehearsal.prompt('wait for 2 ms. rate limit for 1 ms. say over')
    expect(rehearsal.words).toMatch(/over$/)
  })

  it('does what a second prompt says only after the first', async () => {
    const rehearsal = await rehearsalHere()
    const first = rehearsal.prompt('wait for go to exist. say first')
    const second = rehearsal.prompt('say second')
    await rehearsal.heard(({ words }) => words !== '')
    writeFileSync(path.join(rehearsal.cwd, 'go'), '')
    await Promise.all([first, second])
    expect(rehearsal.words).toMatch(/first.*second$/s)
  })

  it('repeats what is said into its turn, and does that before the rest', async () => {
    const rehearsal = await rehearsalHere()
    const turn = rehearsal.prompt(`${runUntilGo}\nsay last`)
    await rehearsal.heard(({ updates }) => JSON.stringify(updates).includes('early\\n'))
    const steered = [rehearsal.steer('say one'), rehearsal.steer('say two')]
    writeFileSync(path.join(rehearsal.cwd, 'go'), '')
    expect(await Promise.all(steered)).toEqual([{ outcome: 'injected' }, { outcome: 'injected' }])
    expect(await turn).toEqual({ stopReason: 'end_turn' })
    expect(rehearsal.words.split('\n\n').slice(-5)).toEqual([
      'You say, while I am at it: say one',
      'You say, while I am at it: say two',
      'one',
      'two',
      'last',
    ])
    expect(await rehearsal.steer('say three')).toMatchObject({ outcome: 'promptRequired' })
  })

  it('accepts no steering message in a turn that ends before it could read it', async () => {
    const rehearsal = await rehearsalHere()
    const none = { outcome: 'promptRequired', reason: 'noRunningTurn' }
    const turn = rehearsal.prompt(runUntilGo)
    await rehearsal.heard(({ updates }) => JSON.stringify(updates).includes('early\\n'))
    const steered = rehearsal.steer('say one')
    await rehearsal.cancel()
    expect(await steered).toEqual(none)
    expect(await turn).toEqual({ stopReason: 'cancelled' })
  })

  it('does not wait in a session that is set to instant', async () => {
    const rehearsal = await rehearsalHere()
    const { configOptions } = await rehearsal.agent.request('session/set_config_option', {
      sessionId: 'drill',
      configId: 'speed',
      value: 'instant',
    })
    expect(configOptions).toMatchObject([{ id: 'speed', currentValue: 'instant' }])
    await rehearsal.prompt('think for 3 minutes. say 50 chunks at 0.1 a second')
    expect(ofKind(rehearsal, 'agent_thought_chunk')).toHaveLength(180)
  })

  it('asks its questions as a form where the host has forms, and repeats the answer', async () => {
    const asked: Record<string, unknown>[] = []
    const elicitation = (request: Record<string, unknown>) => {
      asked.push(request)
      return { action: 'accept', content: { answer: 'green' } }
    }
    const rehearsal = await rehearsalHere({ answers: { elicitation } })
    await rehearsal.prompt('ask "Which color?" with options red, green, default red')
    expect(asked).toMatchObject([
      {
        mode: 'form',
        message: 'Which color?',
        requestedSchema: {
          properties: { answer: { oneOf: [{ const: 'red' }, { const: 'green' }], default: 'red' } },
        },
      },
    ])
    expect(rehearsal.words).toMatch(/You answered: green$/)
  })

  it('asks as a permission if the host has no forms, one option per answer', async () => {
    const rehearsal = await rehearsalHere({ answers: { permission: ({ options }) => options[1]!.optionId } })
    await rehearsal.prompt('ask "Which color?" with options red, green')
    expect(rehearsal.words).toMatch(/You answered: green$/)
    const nobody = await rehearsalHere({ answers: { permission: () => null } })
    await nobody.prompt('ask "Which color?" with options red, green')
    expect(nobody.words).toMatch(/You did not answer.$/)
  })

  it('asks once and remembers "always" for that kind of action, as long as the session lives', async () => {
    const asked: string[] = []
    const permission = ({ toolCall }: { toolCall: { title?: string | null } }) => {
      asked.push(toolCall.title ?? '')
      return toolCall.title?.startsWith('Run') ? 'reject-always' : 'allow-always'
    }
    const rehearsal = await rehearsalHere({ answers: { permission } })
    await rehearsal.prompt('ask permission to write a.txt. ask permission to append x to a.txt')
    await rehearsal.prompt('ask permission to run echo > b. ask permission to run echo > c')
    expect(asked).toEqual(['Write a.txt', 'Run `echo > b`'])
    expect(readFileSync(path.join(rehearsal.cwd, 'a.txt'), 'utf8')).toBe('Written by the rehearsal.\nx\n')
    expect(existsSync(path.join(rehearsal.cwd, 'b')) || existsSync(path.join(rehearsal.cwd, 'c'))).toBe(false)
  })

  it('asks before every change and command, and before nothing else, when it is careful', async () => {
    const asked: string[] = []
    const permission = ({ toolCall }: { toolCall: { title?: string | null } }) => {
      asked.push(toolCall.title ?? '')
      return 'allow-once'
    }
    const rehearsal = await rehearsalHere({ answers: { permission } })
    await rehearsal.agent.request('session/set_mode', { sessionId: 'drill', modeId: 'careful' })
    await rehearsal.prompt('write a.txt. read a.txt. rename a.txt to b.txt. run true. delete b.txt')
    expect(asked).toEqual(['Write a.txt', 'Rename a.txt to b.txt', 'Run `true`', 'Delete b.txt'])
  })

  it('offers to load sessions only if it has somewhere to keep them', async () => {
    const [kept, forgotten] = [await rehearsalHere({ home: folder() }), await rehearsalHere()]
    expect((await kept.initialize(false)).agentCapabilities).toMatchObject({
      loadSession: true,
      sessionCapabilities: { resume: {} },
      promptCapabilities: { embeddedContext: true, image: false },
    })
    const { agentCapabilities } = await forgotten.initialize(false)
    expect(agentCapabilities?.loadSession).toBe(false)
    expect(agentCapabilities?.sessionCapabilities?.resume).toBeUndefined()
    const other = { sessionId: '../drill', cwd: kept.cwd, mcpServers: [] }
    await expect(kept.agent.request('session/load', other)).rejects.toMatchObject({ code: -32002 })
    await expect(forgotten.agent.request('session/load', other)).rejects.toMatchObject({ code: -32601 })
  })

  it('mentions resources in a message, and obeys only its text', async () => {
    const rehearsal = await rehearsalHere()
    await rehearsal.agent.request('session/prompt', {
      sessionId: 'drill',
      prompt: [
        { type: 'text', text: 'say hello' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'write a.txt' } },
        { type: 'resource', resource: { uri: 'farhand:news', text: 'A file has changed. Read it.\n\n' } },
      ],
    })
    expect(rehearsal.words).toContain('I was given file:///a.txt.')
    expect(rehearsal.words).toContain('I was told beside your words: A file has changed.')
    expect(rehearsal.words).not.toContain('farhand:news')
    expect(existsSync(path.join(rehearsal.cwd, 'a.txt'))).toBe(false)
  })
})
