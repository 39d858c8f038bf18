import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  addressOf,
  createProject,
  createRun,
  createTask,
  runStatus,
} from '@farhand/client/resources/resources'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import type { RunId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { logged, RunUnderTest } from './run-under-test.ts'

const lastRun = async (run: RunUnderTest) => {
  const [line] = await run.here('ls', '--json')
  return JSON.parse(line!) as { run: string; status: string; agentStatus: string; questions: number }
}

/** An agent that needs a sign-in; in its process it sees nothing but what is in here. */
function locked() {
  process.stdin.on('data', (lines) => {
    for (const line of String(lines).trim().split('\n')) {
      const { id, method } = JSON.parse(line)
      const error = { code: -32000, message: 'Who are you?' }
      const answer = method === 'initialize' ? { result: { protocolVersion: 1 } } : { error }
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
    }
  })
}

describe('farhand run', { timeout: 120_000 }, () => {
  it('has an agent work in a folder; its words alone are on standard output, and nothing of it stays', async () => {
    const run = await RunUnderTest.begin()
    await writeFile(path.join(run.folder, 'before.txt'), 'was here')
    const { lines, code, errors } = await run
      .run('say Good morning. write notes.md with "done". run `cat before.txt`')
      .all()
    expect([code, errors]).toMatchObject([0, expect.any(String)])
    expect(lines.join('\n')).toContain('Good morning')
    expect(lines.join('\n')).not.toMatch(/✓|→|works in/)
    expect(errors).toMatch(/It has no sandbox/)
    expect(errors).toMatch(/✓ Write notes.md/)
    expect(errors).toMatch(/✓ Run `cat before.txt` {2}was here/)
    expect(await readFile(path.join(run.folder, 'notes.md'), 'utf8')).toBe('done')
    const { run: id } = await lastRun(run)
    // Only the end of its runner frees the folder for the next one.
    const again = await run.run('say once more').all()
    expect(again.code, again.errors).toBe(0)
    expect((await lastRun(run)).run).not.toBe(id)
  })

  it('W30 waits for an answer that a user gives from elsewhere, and goes on with it', async () => {
    const run = await RunUnderTest.begin()
    const asking = run.run('ask "Which color?" with options red, green, blue', '--json')
    const { run: id } = z
      .object({ run: z.string() })
      .parse(await asking.until((told) => told.event === 'run'))
    await asking.until(logged('_posthog/agent_question'))
    const open = await run.here('answer', id.slice(0, 12))
    expect(open.join('\n')).toMatch(/\? Which color\?\n {2}1 {2}red\n {2}2 {2}green/)
    const [status] = await run.here('status', id, '--json')
    expect(JSON.parse(status!)).toMatchObject({ agentStatus: 'waiting', agent: 'rehearsal' })
    await run.here('answer', id, '2')
    const { lines, code } = await asking.all()
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain('green')
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      event: 'ended',
      is: 'turn-over',
      stopReason: 'end_turn',
    })
    const late = await run.call('answer', id, '2', '--json').all()
    expect([late.code, JSON.parse(late.lines[0]!)]).toMatchObject([2, { event: 'error', code: 'usage' }])
  })

  it('does not ask the user what its policy decides', async () => {
    const run = await RunUnderTest.begin()
    const prompt = 'ask permission to run `echo hi`'
    const denied = await run.run(prompt, '--background', '--policy', 'deny').all()
    expect([denied.code, denied.errors]).toMatchObject([0, expect.not.stringContaining('✓ Run')])
    const allowed = await run.run(prompt, '--policy', 'allow-all').all()
    expect([allowed.code, allowed.errors]).toMatchObject([0, expect.stringContaining('✓ Run `echo hi`')])
  })

  it('leaves a run in the background there when it joins it with a policy', async () => {
    const run = await RunUnderTest.begin()
    const { hub } = run
    const project = await createProject(hub, { name: 'test' })
    const task = await createTask(hub, project.id, { title: 'test' })
    const made = { agent: 'rehearsal', mode: 'background', sandbox: 'none' } as const
    const at = addressOf(await createRun(hub, project.id, task.id, made))
    const { code, errors } = await run.call('run', '--run', at.run, '--policy', 'deny').all()
    expect(code, errors).toBe(0)
    expect(await runStatus(hub, at)).toMatchObject({ mode: 'background' })
  })

  it('works on when it is detached; others send to it, cancel it, join it and close it', async () => {
    const run = await RunUnderTest.begin()
    const { lines, code, errors } = await run.run('think for 60 seconds', '--detach').all()
    expect(code, errors).toBe(0)
    const id = lines[0]!
    expect(id).toMatch(/^run_/)
    expect(await lastRun(run)).toMatchObject({ run: id, agentStatus: 'thinking' })
    const watching = run.call('run', '--run', id, '--json')
    expect(await watching.until((told) => told.event === 'run')).toMatchObject({ isHere: false })
    const sent = run.here('send', id, 'say after all', '--follow')
    await watching.until(
      (told) => logged('_posthog/user_message')(told) && JSON.stringify(told).includes('after all'),
    )
    await run.here('cancel', id)
    expect(await sent).toEqual(expect.arrayContaining(['after all']))
    expect((await watching.all()).code).toBe(0)
    const taken = await run.run('say no', '--json').all()
    expect([taken.code, JSON.parse(taken.lines.at(-1)!)]).toMatchObject([6, { code: 'folderTaken' }])
    await run.here('close', id)
    expect(await lastRun(run)).toMatchObject({ run: id, status: 'closed' })
    const closed = await run.call('send', id, 'say hello', '--json').all()
    expect([closed.code, JSON.parse(closed.lines[0]!)]).toMatchObject([8, { code: 'runClosed' }])
    const again = await run.call('run', 'say back again', '--run', id).all()
    expect(again, again.errors).toMatchObject({ code: 0, lines: expect.arrayContaining(['back again']) })
  })

  it('has one runner for a run, however many want to start it at the same moment, and works on what all of them say', async () => {
    const run = await RunUnderTest.begin()
    const { lines } = await run.run('say first', '--detach').all()
    const id = lines[0]!
    const runs = new KnownRuns(run.state)
    process.kill(runs.holder(id as RunId)!, 'SIGKILL')
    await vi.waitFor(() => expect(runs.holder(id as RunId)).toBeNull(), 30_000)
    const ends = await Promise.all(
      ['one', 'two'].map((word) => run.call('run', `say ${word}`, '--run', id).all()),
    )
    for (const [nth, { code, errors, lines }] of ends.entries()) {
      expect(code, errors).toBe(0)
      expect(lines.join()).toContain(['one', 'two'][nth])
    }
  })

  it('ends the turn and the run when it is told to stop', async () => {
    const run = await RunUnderTest.begin()
    const thinking = run.run('think for 60 seconds', '--json')
    await thinking.until(logged('agent_thought_chunk'))
    thinking.child.kill('SIGTERM')
    const { code, lines } = await thinking.all()
    expect(code).toBe(0)
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event: 'ended', is: 'stopped', closed: true })
  })

  it('says which agent may be meant, begins nothing, and leaves no folder linked for one that there is not', async () => {
    const run = await RunUnderTest.begin()
    const wrong = await run
      .call('run', 'say hi', '--here', '--agent', 'rehersal', '--folder', run.folder)
      .all()
    expect(wrong).toMatchObject({ code: 2, errors: expect.stringContaining('Did you mean rehearsal?') })
    expect(await run.here('ls', '--json')).toEqual([])
    // In a sandbox only the hub knows; the folder is not left linked for that.
    await writeFile(path.join(run.folder, 'a.txt'), 'mine')
    const inSandbox = (agent: string) =>
      run.call('run', 'say hi', '--agent', agent, '--folder', run.folder, '--sandbox', 'process').all()
    const typed = await inSandbox('rehersal')
    expect(typed).toMatchObject({ code: 2, errors: expect.stringContaining('Did you mean rehearsal?') })
    expect(typed.errors).toContain('Nothing was sent')
    // One that is known here only.
    const entry = { id: 'mine', name: 'Mine', command: process.execPath }
    await writeFile(path.join(run.state, 'agents.json'), JSON.stringify([entry]))
    expect(await inSandbox('mine')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('no agent called "mine"'),
    })
    expect(new StateFolder(run.state).links()).toEqual([])
    expect(await readdir(run.folder)).toEqual(['a.txt'])
    for (const status of ['open', 'closed'])
      expect(await run.here('ls', '--status', status, '--json')).toEqual([])
  })

  it('says how an agent is installed that is not here, and what is wrong in agents.json', async () => {
    const run = await RunUnderTest.begin()
    const entry = { id: 'mine', name: 'Mine', command: 'no-such-agent', install: 'brew install mine' }
    const file = path.join(run.state, 'agents.json')
    await writeFile(file, JSON.stringify([entry]))
    const missing = await run.call('run', 'say hi', '--here', '--agent', 'mine', '--folder', run.folder).all()
    expect(missing).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Install it: brew install mine'),
    })
    await writeFile(file, JSON.stringify([entry, { ...entry, id: 'two', args: 'acp' }]))
    const wrong = await farhand('agents', '--state', run.state, '--json')
    expect(JSON.parse(await wrong.line())).toMatchObject({
      event: 'error',
      exit: 2,
      message: expect.stringMatching(/agents\.json is wrong: \[1\]\.args: /),
    })
  })

  it('fails with what the agent said when its turn does, and names what it wants', async () => {
    const run = await RunUnderTest.begin()
    const program = { command: process.execPath, passes: ['LOCKED_KEY'], signIn: '`locked login`' }
    const entries = [
      { ...program, id: 'mute', name: 'Mute', args: ['-e', 'process.exit(3)'] },
      { ...program, id: 'locked', name: 'Locked', args: ['-e', `(${String(locked)})()`] },
    ]
    await writeFile(path.join(run.state, 'agents.json'), JSON.stringify(entries))
    const told = async (agent: string) => {
      const { code, errors } = await run
        .call('run', 'hi', '--here', '--agent', agent, '--folder', run.folder)
        .all()
      expect(code).toBe(1)
      return errors
    }
    // Once: what has been shown when it happened is not said again at the end.
    expect((await told('mute')).match(/The agent "mute" ended with exit code 3/g)).toHaveLength(1)
    expect(await told('locked')).toMatch(
      /requires sign-in: Who are you\? Set LOCKED_KEY, and start it again: `.*close run_.*`, then `.*run --run run_.*; or sign in with `locked login`/,
    )
  })

  it('says how to start a hub where none is', async () => {
    const [folder, state] = await Promise.all([temporaryFolder(), temporaryFolder()])
    const words = ['--agent', 'rehearsal', '--folder', folder, '--state', state]
    const gone = farhand('run', 'say hi', ...words, '--hub', 'http://127.0.0.1:9', '--token', 'x')
    expect(await gone.exitCode).toBe(1)
    expect(gone.errors()).toMatch(/No hub answers at .*\n.* starts one here/)
  })
})
