import { hashOf } from '@farhand/client/blobs/sha256'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { readLog } from '@farhand/client/follow/read-log'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  beginRunner,
  closeRun,
  createProject,
  createRun,
  createTask,
  findRun,
  listAllRuns,
} from '@farhand/client/resources/resources'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { CommandContext } from '../context/command-context.ts'
import { runHere } from '../context/command-context-under-test.ts'
import { hubHere } from './local-hub/hub-here-under-test.ts'

let hub: Hub
let at: RunAddress

beforeEach(async () => {
  const here = await hubHere()
  onTestFinished(here.stop)
  hub = here.hub
  const project = await createProject(hub, { name: 'p' })
  const task = await createTask(hub, project.id, { title: 't' })
  at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none', agent: 'mine' }))
})

const say = async (method: string, params: object, by = hub) =>
  (await post(by, at, { jsonrpc: '2.0', method, params: { ...params } })).lastEventId

const bytesOf = (text: string) => new TextEncoder().encode(text)
const entryOf = async (text: string) => ({ hash: await hashOf(bytesOf(text)), mode: '100644' })

async function write(path: string, text: string | null, was?: string | null): Promise<number> {
  const bytes = bytesOf(text ?? '')
  const entry = text === null ? null : await entryOf(text)
  if (entry) await uploadBlobs(hub, at, [{ hash: entry.hash, size: bytes.length, open: () => bytes }])
  const knew = was === undefined ? {} : { was: was === null ? null : await entryOf(was) }
  const what = entry ? { action: 'modified', ...entry } : { action: 'deleted' }
  return say('_posthog/file_sync', { path, ...what, ...knew }, { ...hub, deviceId: 'dev_elsewhere' })
}

/** What the log has of each path. */
async function files(): Promise<Record<string, string>> {
  const tree = new WorkspaceTree()
  for await (const event of readLog(hub, at)) tree.apply(event)
  return Object.fromEntries([...tree.files()].map(({ path, entry }) => [path, entry.hash]))
}

const call = (command: string, words: string[], context: Partial<CommandContext> = {}) =>
  runHere([command, at.run, '--hub', hub.url, '--token', hub.token!, ...words], context)
const rewind = (...words: string[]) => call('rewind', words)

describe('rewind', () => {
  it('reverts files that were deleted, changed and made since, even if something else is in their place', async () => {
    await write('a', 'a file', null)
    await write('b', 'b', null)
    const there = await write('c/d', 'd', null)
    const before = await files()
    await write('a', null, 'a file')
    await write('a/inside', 'x', null)
    await write('b', 'B', 'b')
    await write('c/d', null, 'd')
    await write('c', 'now a file', null)
    const { out } = await rewind('--to', String(there), '--yes')
    expect(out).toContain('To how it was after event 3')
    expect(out).toMatch(/2 files brought back, 1 changed back, 2 deleted\./)
    expect(await files()).toEqual(before)
    const again = /To undo this: npx farhand (.*)\n/.exec(out)![1]!
    const words = again.replace('--token ...', `--token ${hub.token}`).split(' ')
    await runHere([...words, '--yes'])
    expect(Object.keys(await files()).sort()).toEqual(['a/inside', 'b', 'c'])
  })

  it('asks before it changes anything, and needs --yes if there is no terminal to ask at', async () => {
    const there = await write('a', 'one', null)
    await write('a', 'two', 'one')
    const before = await files()
    await expect(rewind('--to', String(there))).rejects.toMatchObject({
      exit: 'mustAsk',
      nextStep: expect.stringContaining(`--to ${there} --yes`),
    })
    const no = call('rewind', ['--to', String(there)], { ask: async () => 'n' })
    await expect(no).rejects.toMatchObject({ exit: 'mustAsk' })
    await rewind('--to', String(there), '--dry-run')
    expect(await files()).toEqual(before)
    await call('rewind', ['--to', String(there)], { ask: async () => 'y' })
    expect(Object.values(await files())).toEqual([(await entryOf('one')).hash])
  })

  it('W25 is refused as a whole if something of it cannot be had, unless a part is wanted', async () => {
    const there = await write('a', 'one', null)
    await write('a', 'two', 'one')
    await write('b', 'who knows what was here')
    const before = await files()
    await expect(rewind('--to', String(there), '--yes')).rejects.toThrow(
      /stored any more: b\. Nothing was changed/,
    )
    expect(await files()).toEqual(before)
    const { out } = await rewind('--to', String(there), '--yes', '--partial')
    expect(out).toContain('left alone  b')
    expect(await files()).toMatchObject({ a: (await entryOf('one')).hash, b: before.b })
  })

  it('W39 takes the conversation along only if it is told to', async () => {
    const { token } = await beginRunner(hub, at)
    const runner = { ...hub, token }
    const message = await say('_posthog/user_message', { content: 'do\nthis' })
    await say('_posthog/ack', { for: 'user_message', id: message }, runner)
    await say('_posthog/turn_complete', { messageId: message, stopReason: 'end_turn' }, runner)
    expect((await rewind()).out).toMatch(
      /^The points before .*\n {2}--to 2 {2}just now {2}no file {2}do\nNow is event 4\./,
    )
    const methods = async () => {
      const all: string[] = []
      for await (const { notification } of readLog(hub, at)) all.push(notification.method)
      return all
    }
    expect((await rewind('--to', '2', '--yes')).out).toContain('No file changes.')
    expect((await methods()).length).toBe(4)
    const { out } = await rewind('--to', '2', '--yes', '--conversation')
    expect(out).toContain('The agent forgets 1 message.')
    expect(out).toContain('--to 4 --conversation')
    expect((await methods()).slice(4)).toEqual(['_posthog/rewind'])
    expect((await rewind()).out).toContain('(rewound)')
    const back = await rewind('--to', '@4', '--yes', '--conversation', '--json')
    expect(JSON.parse(back.out)).toMatchObject({ to: 4, before: 5, conversation: 6, back: [], dryRun: false })
    const listed = (await rewind('--json')).out
    expect(JSON.parse(listed)).toMatchObject({ to: 2, messageId: 2, text: 'do\nthis', isPart: true })
  })

  it('says what is wrong with an event, and with a run that is closed', async () => {
    expect((await rewind()).out).toContain('No message of this run has been handled')
    for (const wrong of ['0', 'x', '1.5', '-1'])
      await expect(rewind('--to', wrong)).rejects.toMatchObject({ exit: 'usage' })
    const there = await write('a', 'one', null)
    await write('a', 'two', 'one')
    await expect(rewind('--to', '99')).rejects.toThrow('There is no event 99: the newest of this run is 2.')
    await closeRun(hub, at)
    await expect(rewind('--to', String(there), '--yes')).rejects.toMatchObject({ exit: 'runClosed' })
  })
})

describe('fork', () => {
  it('W39 begins a run there, or where it is now, as the same task or one of its own', async () => {
    const there = await write('a', 'one', null)
    await write('a', 'two', 'one')
    const fork = async (...words: string[]) => (await call('fork', words)).out.trim() as RunId
    const [now, then] = [
      await fork(),
      await fork('--from', String(there), '--agent', 'yours', '--title', 'other'),
    ]
    expect(await findRun(hub, now)).toMatchObject({
      task: at.task,
      agent: 'mine',
      forkOf: { run: at.run, event: 2 },
    })
    expect(await findRun(hub, then)).toMatchObject({ agent: 'yours', forkOf: { run: at.run, event: there } })
    const { items } = await listAllRuns(hub)
    expect(items.map(({ title }) => title)).toEqual(['other', 't', 't'])
    const { notes } = await call('fork', [])
    expect(notes).toMatch(
      /after event 2:\n`npx farhand run --run run_\w+ --agent mine --folder <an empty folder>`/,
    )
  })

  it('says what is wrong with an event', async () => {
    await expect(call('fork', [])).rejects.toThrow('This run has no events yet')
    const unnamed = runHere(['fork', '--state', '/nowhere'], { cwd: '/nowhere' })
    await expect(unnamed).rejects.toThrow('/nowhere is in no linked folder')
    await write('a', 'one', null)
    await expect(call('fork', ['--from', '2'])).rejects.toThrow('There is no event 2')
    await expect(call('fork', ['--from', '0'])).rejects.toMatchObject({ exit: 'usage' })
  })
})
