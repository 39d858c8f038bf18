import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, findRun } from '@farhand/client/resources/resources'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { expect, it, vi } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'
import { RunUnderTest } from './run/run-under-test.ts'

const lineFor = (name: string, bytes: string | Buffer) =>
  `${name} ${createHash('sha256').update(bytes).digest('hex')}`

const patient = { timeout: 120_000 }

/** Every file of a folder, by its name and the hash of its bytes. */
const treeOf = (folder: string) =>
  readdirSync(folder)
    // Of the engine's own.
    .filter((name) => name !== '.farhand')
    .sort()
    .map((name) => lineFor(name, readFileSync(path.join(folder, name))))

/** A runner on a slow machine says what changed after the turn in which it did, and a rewind is of what was said. */
const isTold = (name: string, hub: Hub, at: RunAddress) =>
  vi.waitFor(async () => {
    const told = []
    for await (const { notification } of readLog(hub, at)) told.push(notification)
    const changes = told.filter(({ method }) => /file_(change|sync)$/.test(method))
    expect(JSON.stringify(changes)).toContain(name)
  }, 30_000)

it(
  'a run goes back in time, with its files and what its agent knows, forth again, and along another way',
  patient,
  async () => {
    const context = await RunUnderTest.begin()
    const { hub, state, folder } = context
    const begun = await context.run('write one.txt with "one"', '--detach').all()
    const run = begun.lines[0] as RunId
    const call = async (...words: string[]) => {
      const access = ['--state', state, '--hub', hub.url, '--token', hub.token]
      return (await runHere([...words, ...access])).out
    }
    const rewind = async (...words: string[]) =>
      JSON.parse(await call('rewind', run, '--yes', '--json', ...words))
    const say = (text: string, to: string = run) => call('send', to, text, '--follow')
    const is = (tree: readonly string[], where = folder) =>
      vi.waitFor(() => expect(treeOf(where)).toEqual(tree), { timeout: 30_000, interval: 20 })

    await say('write two.txt with "two"')
    const at = addressOf(await findRun(hub, run))
    await isTold('two.txt', hub, at)
    const two = treeOf(folder)
    expect(two.map((line) => line.split(' ')[0])).toEqual(['one.txt', 'two.txt'])
    await say(
      'delete one.txt. append "more" to two.txt. write three.txt with "three". remember fruit is pear',
    )
    writeFileSync(path.join(folder, 'mine.txt'), 'of a person')
    await isTold('mine.txt', hub, at)
    const three = treeOf(folder)

    const points = (await call('rewind', run)).split('\n').filter((line) => line.startsWith('  --to'))
    expect(points.map((line) => /files? +(\w+ \S+)/.exec(line)?.[1])).toEqual([
      'write one.txt',
      'write two.txt',
      'delete one.txt.',
    ])
    expect(points[2]).toContain('  3 files  ')
    const beforeDelete = Number(/--to (\d+)/.exec(points[2]!)![1])

    // The files alone: the agent still knows.
    const planned = await call('rewind', run, '--to', `@${beforeDelete}`, '--dry-run')
    for (const line of ['bring back  one.txt', 'change back two.txt', 'delete      mine.txt'])
      expect(planned).toContain(line)
    expect(treeOf(folder)).toEqual(three)
    const first = await rewind('--to', String(beforeDelete))
    expect(first).toMatchObject({ conversation: null, leftAlone: [], cancelled: [] })
    await is(two)
    expect(await say('recall fruit')).toContain('pear')
    expect((await rewind('--to', String(first.before))).back.length).toBe(4)
    await is(three)

    // The conversation with them: it does not, also in the middle of its work.
    await call('send', run, 'write four.txt with "four". wait for no.txt to exist')
    await isTold('four.txt', hub, at)
    const back = await rewind('--to', String(beforeDelete), '--conversation')
    expect(back.cancelled.length).toBe(1)
    await is(two)
    expect(await say('recall fruit')).not.toContain('pear')

    // And forth again.
    await rewind('--to', String(back.before), '--conversation')
    await is([...three, lineFor('four.txt', 'four')].sort())

    // Another way from the middle, elsewhere.
    const forked = JSON.parse(
      await call('fork', run, '--from', String(beforeDelete), '--json', '--title', 'otherwise'),
    )
    expect(forked).toMatchObject({ event: 'forked', forkOf: { run, event: beforeDelete } })
    const elsewhere = await temporaryFolder()
    const words = ['--run', forked.run, '--agent', 'rehearsal', '--folder', elsewhere, '--detach']
    const hosted = await context.call('run', 'write five.txt with "five"', ...words).all()
    expect(hosted.code, hosted.errors).toBe(0)
    await is([...two, lineFor('five.txt', 'five')].sort(), elsewhere)
    expect(existsSync(path.join(folder, 'five.txt'))).toBe(false)
  },
)

it(
  'W39 a message that waits while a run is put back is worked on afterwards, and not taken away with the rest',
  patient,
  async () => {
    const context = await RunUnderTest.begin()
    const { hub, state, folder } = context
    const begun = await context.run('write one.txt with "one"', '--detach').all()
    const run = begun.lines[0] as RunId
    const call = (...words: string[]) =>
      runHere([...words, '--state', state, '--hub', hub.url, '--token', hub.token])
    const is = (names: readonly string[]) =>
      vi.waitFor(() => expect(treeOf(folder).map((line) => line.split(' ')[0])).toEqual(names), 30_000)
    const at = addressOf(await findRun(hub, run))
    await isTold('one.txt', hub, at)
    await call('send', run, 'write two.txt with "two". wait for no.txt to exist')
    await isTold('two.txt', hub, at)
    await call('send', run, 'write three.txt with "three"')
    const points = (await call('rewind', run)).out.split('\n').filter((line) => line.startsWith('  --to'))
    const to = /--to (\d+)/.exec(points[1]!)![1]!
    const done = JSON.parse((await call('rewind', run, '--to', to, '--conversation', '--yes', '--json')).out)
    expect(done.back.map(({ path }: { path: string }) => path)).toEqual(['two.txt'])
    await is(['one.txt', 'three.txt'])
    const later: string[] = []
    const log = readLog(hub, at, { after: done.conversation - 1 })
    // What the agent keeps of its own comes when it comes.
    for await (const { notification } of log)
      if (notification.method !== '_posthog/agent_memory') later.push(notification.method)
    expect(later.slice(0, 3)).toEqual(['_posthog/rewind', '_posthog/resume', '_posthog/ack'])
  },
)
