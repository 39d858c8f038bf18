import { mkdirSync, readFileSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CloudConnection } from '@farhand/client/agent/cloud-connection'
import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
  findRun,
} from '@farhand/client/resources/resources'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, vi } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { inStep, startLink, write } from '../link/link-under-test.ts'
import { RunUnderTest } from '../run/run-under-test.ts'

async function runFor({ hub }: RunUnderTest) {
  const project = await createProject(hub, { name: 'p' })
  const task = await createTask(hub, project.id, { title: 't' })
  return addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
}

/** A zombie does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

const say = (content: string) => ({
  jsonrpc: '2.0' as const,
  method: '_posthog/user_message',
  params: { content },
})

describe('farhand runner', { timeout: 180_000 }, () => {
  it('hosts an agent until it is told to stop, and the next one until the run is closed', async () => {
    const under = await RunUnderTest.begin()
    const at = await runFor(under)
    const words = ['--run', at.run, '--agent', 'rehearsal', '--workspace', under.folder, '--json']
    const first = under.call('runner', ...words)
    expect(await first.until((told) => told.event === 'hosting')).toMatchObject({ generation: 1, ...at })
    first.child.kill('SIGTERM')
    expect(await first.until((told) => told.event === 'ended')).toMatchObject({ why: 'stopped' })
    expect(await first.exitCode).toBe(0)
    const runs = new KnownRuns(under.state)
    const old = RunId.parse('run_00000000')
    mkdirSync(path.join(runs.runnerState(old, '/gone'), 'runner'), { recursive: true })
    runs.ended(old, '/gone', new Date(0))
    const second = under.call('runner', ...words)
    expect(await second.until((told) => told.event === 'hosting')).toMatchObject({ generation: 2 })
    await post(under.hub, at, say('write done.txt with "yes"'))
    await vi.waitFor(async () => readFile(path.join(under.folder, 'done.txt')), { timeout: 60_000 })
    // It forgets runs that are not needed any more, and notes of its own run that it is over.
    await vi.waitFor(() => expect(runs.names()).toEqual([at.run]), { timeout: 60_000 })
    expect(runs.closedAt(at.run)).toBeNull()
    await under.here('close', at.run)
    expect(await second.until((told) => told.event === 'ended')).toMatchObject({ why: 'closed' })
    expect(await second.exitCode).toBe(0)
    expect(runs.closedAt(at.run)).not.toBeNull()
    expect(runs.journals(at.run)).toMatchObject([{ isNoted: true }])
  })

  it('W46 that was killed when it had just come leaves to the next one what was changed in its folder', async () => {
    const under = await RunUnderTest.begin()
    const at = await runFor(under)
    const other = await temporaryFolder()
    await write(other, { 'a.txt': 'of the run' })
    const link = startLink(other, under.hub, '--run', at.run, '--state', await temporaryFolder())
    await link.until(inStep)
    link.child.kill()
    await write(under.folder, { 'a.txt': 'changed here' })
    const runs = new KnownRuns(under.state)
    const known = { ...under.hub, at, agent: 'rehearsal', workspace: under.folder, cameFrom: 'process' }
    runs.save(known)
    const words = ['--run', at.run, '--agent', 'rehearsal', '--workspace', under.folder, '--json']
    const runner = under.call('runner', ...words)
    await runner.until((told) => told.event === 'hosting')
    await post(under.hub, at, say('run `cat a.txt > seen.txt`'))
    const seen = () => readFile(path.join(under.folder, 'seen.txt'), 'utf8')
    await vi.waitFor(async () => expect(await seen()).toBe('changed here'), { timeout: 60_000 })
    // The next runner does not forget where it came from.
    runner.child.kill()
    await runner.exitCode
    await under.call('run', '--run', at.run, '--detach', '--json', 'say hi').all()
    expect(runs.find(at.run)).toMatchObject({ cameFrom: 'process' })
  })

  it.runIf(process.platform === 'linux')(
    'ends processes that the agent of a killed runner left running, before the first message',
    async () => {
      const under = await RunUnderTest.begin()
      const at = await runFor(under)
      const words = ['--run', at.run, '--agent', 'rehearsal', '--workspace', under.folder, '--json']
      const first = under.call('runner', ...words)
      await first.until((told) => told.event === 'hosting')
      // To its end: a turn that is cut short is continued, and its agent would see to what was left.
      const prompt = 'run `setsid sleep 300 >/dev/null 2>&1 & echo $! > pid`'
      const connection = new CloudConnection(under.hub, at, { onFault() {} })
      for await (const _ of connection.prompt({ sessionId: at.run, prompt }));
      const left = Number(await readFile(path.join(under.folder, 'pid'), 'utf8'))
      first.child.kill('SIGKILL')
      await first.exitCode
      expect(isRunning(left)).toBe(true)
      const second = under.call('runner', ...words)
      await second.until((told) => told.event === 'hosting')
      await vi.waitFor(() => expect(isRunning(left)).toBe(false), { timeout: 60_000 })
      second.child.kill('SIGTERM')
      expect(await second.exitCode).toBe(0)
    },
  )

  it('W8 ends with 7 when another one takes its place', async () => {
    const under = await RunUnderTest.begin()
    const at = await runFor(under)
    const words = ['--run', at.run, '--agent', 'rehearsal', '--workspace', under.folder]
    const runner = under.call('runner', ...words, '--json')
    await runner.until((told) => told.event === 'hosting')
    const twice = await under.call('runner', ...words).all()
    expect(twice).toMatchObject({ code: 3, errors: expect.stringContaining('already') })
    await beginRunner(under.hub, at)
    await post(under.hub, at, say('say hello'))
    expect(await runner.until((told) => told.event === 'error')).toMatchObject({ code: 'fenced' })
    expect(await runner.exitCode).toBe(7)
  })

  it('gives its agent nothing of its own environment but what the agent is known to want', async () => {
    const under = await RunUnderTest.begin()
    const agent = path.join(under.state, 'agent.mjs')
    const seen = path.join(under.state, 'seen.json')
    await writeFile(
      agent,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env))`,
    )
    const entry = { id: 'nosy', name: 'Nosy', command: process.execPath, args: [agent], passes: ['HOME'] }
    await writeFile(path.join(under.state, 'agents.json'), JSON.stringify([entry]))
    await under.call('run', 'say hi', '--agent', 'nosy', '--here', '--folder', under.folder).all()
    const names = Object.keys(JSON.parse(await readFile(seen, 'utf8')))
    expect(names).toContain('PATH')
    const own = /^(PATH|HOME|LANG|LANGUAGE|TZ|TMPDIR|TMP|TEMP|USER|LOGNAME|SHELL|TERM|LC_.*|XDG_.*)$/
    // By the last it is found again if its runner is killed.
    expect(names.filter((name) => !own.test(name))).toEqual(['FARHAND_AGENT'])
  })

  it('is fed from files in server mode, with the agent of the run, until they close it', async () => {
    const under = await RunUnderTest.begin()
    const project = await createProject(under.hub, { name: 'p' })
    const task = await createTask(under.hub, project.id, { title: 't' })
    const { id } = await createRun(under.hub, project.id, task.id, { sandbox: 'none', agent: 'rehearsal' })
    const [messages, control] = ['messages.jsonl', 'control.jsonl'].map((name) =>
      path.join(under.state, name),
    )
    const fed = ['--sessionId', id, '--messagesPath', messages!, '--controlPath', control!]
    const runner = under.call('runner', '--mode', 'server', ...fed, '--workspace', under.folder, '--json')
    expect(await runner.until((told) => told.event === 'hosting')).toMatchObject({ agent: 'rehearsal' })
    await writeFile(messages!, 'what?\n{"type":"user_message","content":"write fed.txt with \\"yes\\""}\n')
    expect(await runner.until((told) => told.event === 'passed-over')).toMatchObject({ file: messages })
    await vi.waitFor(async () => readFile(path.join(under.folder, 'fed.txt')), { timeout: 60_000 })
    await appendFile(
      messages!,
      '{"type":"file_sync","files":["fed.txt"]}\n{"type":"user_message","content":"say so"}\n',
    )
    const at = addressOf(await findRun(under.hub, id))
    for await (const { notification } of follow(under.hub, at))
      if (String(notification.params?.text).includes('These files changed under you')) break
    await writeFile(control!, '{"action":"close"}\n')
    expect(await runner.until((told) => told.event === 'ended')).toMatchObject({ why: 'closed' })
    expect(await runner.exitCode).toBe(0)
  })

  it('reads files in server mode only, and both or none', async () => {
    const words = ['runner', '--run', 'run_12345678', '--agent', 'rehearsal', '--messagesPath', 'm']
    await expect(runHere(words)).rejects.toThrow('need server mode')
    await expect(runHere([...words, '--mode', 'server'])).rejects.toThrow('Which files')
    await expect(runHere([...words, '--mode', 'other'])).rejects.toThrow('need server mode')
  })

  it('takes the grant of another runner only as a whole', async () => {
    const words = ['runner', '--run', 'run_12345678', '--agent', 'rehearsal', '--hub', 'http://127.0.0.1:9']
    const under = await RunUnderTest.begin()
    const given = { cwd: under.folder, env: { FARHAND_RUNNER_TOKEN: 'x', FARHAND_STATE: under.state } }
    await expect(runHere(words, given)).rejects.toThrow('FARHAND_RUNNER_GENERATION')
    const env = { ...given.env, FARHAND_RUNNER_GENERATION: '2' }
    await expect(runHere(words, { ...given, env })).rejects.toThrow('cannot find a run by its id')
  })
})
