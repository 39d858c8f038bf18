import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CloudConnection } from '@farhand/client/agent/cloud-connection'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import { addressOf, beginRunner, findRun } from '@farhand/client/resources/resources'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RunUnderTest } from '../commands/run/run-under-test.ts'
import { endHolder, farhandBin, removeFolder } from '../farhand-under-test.ts'
import { hasTmux, TerminalsUnderTest } from './terminal-under-test.ts'

/** A run with a hub, a runner and an agent, and a user who has attached to it at a terminal. */
async function watched() {
  const under = await RunUnderTest.begin()
  const { hub, state, folder } = under
  const words = ['say ready', '--agent', 'rehearsal', '--here', '--folder', folder, '--detach']
  const [said = ''] = await under.here('run', ...words)
  const run = RunId.parse(said)
  const at = addressOf(await findRun(hub, run))
  const place = mkdtempSync(path.join(tmpdir(), 'farhand-watched-'))
  const terminals = new TerminalsUnderTest(place)
  onTestFinished(async () => {
    terminals.close()
    await removeFolder(place)
  })
  const env = { HOME: place, FARHAND_STATE: state, FARHAND_URL: hub.url, FARHAND_TOKEN: hub.token }
  const me = terminals.open([process.execPath, farhandBin, 'attach', run], { env, cwd: folder })
  await me.sees('Type a message')
  const say = (method: string, params: object, as: { url: string; token: string } = hub) =>
    post(as, at, { jsonrpc: '2.0', method, params: { ...params } })
  /** Ends of questions, as the log has them. */
  const ends = async () => {
    const all: unknown[] = []
    for await (const { notification } of readLog(hub, at))
      if (notification.method === '_posthog/question_closed') {
        const { answer, by, how } = notification.params ?? {}
        all.push({ answer, by, how })
      }
    return all
  }
  return { under, hub, state, folder, run, at, me, say, ends }
}

describe.skipIf(!hasTmux)('a user who has attached to a run', { timeout: 300_000 }, () => {
  it('is shown what no agent says in its words: files that were asked for, and what other runners report', async () => {
    const { hub, state, folder, run, at, me, say } = await watched()
    writeFileSync(path.join(folder, 'notes.txt'), 'first line\nsecond line\n')
    await say('_posthog/file_request', { path: 'notes.txt' })
    await me.sees(/Content of notes\.txt[\s\S]*(first line\s+second line|sha256_)/)
    await say('_posthog/file_request', { path: 'none.txt' })
    await me.sees(/Content of none\.txt\s+There is no such file\./)
    // A runner that was written from the documents takes the place of ours.
    const runs = new KnownRuns(state)
    await endHolder(() => runs.holder(run))
    const other = { url: hub.url, token: (await beginRunner(hub, at)).token }
    await say('user_message_chunk', { text: 'said to the agent elsewhere' }, other)
    await me.sees('> said to the agent elsewhere')
    await say('_posthog/artifact', { kind: 'report', name: 'coverage', content: '81 % of the lines' }, other)
    await me.sees(/Artifact: coverage\n81 % of the lines/)
    await say('_posthog/console', { level: 'info', message: 'cache is warm' }, other)
    await me.sees('cache is warm')
    await say('_posthog/console', { level: 'debug', message: 'tick' }, other)
    await say('_posthog/sandbox_output', { stdout: 'npm warn deprecated\n', exitCode: 3 }, other)
    await me.sees(/npm warn deprecated\s+It ended with exit code 3\./)
    expect(me.screen('whole')).not.toContain('tick')
    me.press('C-d')
    await me.sees('left with 0')
  })

  it('W65 in background mode sees what was answered without a user, and why', async () => {
    const { hub, run, at, me, say, ends } = await watched()
    const connection = new CloudConnection(hub, at, { onFault: () => {} })
    await connection.setMode({ sessionId: run, mode: 'background' })
    await me.sees("The run's mode is now background")
    // To the end of the turn: a further message would come between the question and what the agent says to its answer.
    const asks = async (prompt: string) => {
      for await (const _ of connection.prompt({ sessionId: run, prompt }));
      return (await ends()).at(-1)
    }
    const policy = { by: 'policy:background', how: 'answered' }
    const color = await asks('ask "Which color?" with options red, green, default green')
    expect(color).toEqual({ ...policy, answer: { answer: 'green' } })
    expect(await asks('ask "Delete it?" with options yes, no')).toEqual({ ...policy, answer: 'no' })
    expect(await asks('ask "Which shape?" with options round, square')).toEqual({ ...policy, answer: null })
    expect(await asks('ask permission to run `echo one`')).toMatchObject(policy)
    const waits = 'The run is in background mode and does not wait for an answer:'
    const why = [
      'its default was taken. (green) You answered: green',
      'the choice was taken that changes least. (no) You answered: no',
      'the agent goes on without an answer. You did not answer.',
      'it was not allowed. (Reject)',
    ]
    await vi.waitFor(() => {
      const shown = me.screen('whole').replace(/\s+/g, ' ')
      for (const one of why) expect(shown).toContain(`${waits} ${one}`)
    }, 120_000)

    await connection.setMode({ sessionId: run, mode: 'interactive' })
    await me.sees("The run's mode is now interactive")
    await say('_posthog/user_message', { content: 'ask permission to run `echo two`', when: 'queue' })
    await me.sees('Press 1-4, y or n')
    const count = (await ends()).length
    await say('_posthog/mode_change', { mode: 'background', policy: 'allow-all' })
    await me.sees(/✓ Run `echo two`/)
    expect(await ends()).toHaveLength(count + 1)
    me.press('C-d')
    await me.sees('left with 0')
  })
})
