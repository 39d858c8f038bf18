import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { fakeBlobStore, nameOf } from '@farhand/testkit/fake-blob-store'
import { type Reply, refuse, type ScriptedRequest, scriptedHub, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Orders } from '../orders/orders.ts'
import { RunUnderTest } from '../runner-under-test.ts'
import { FileAnswers } from './file-answers.ts'

const kib = 1024

/** A workspace beside a secret that must stay outside, and what answers requests for its files. */
async function workspace(mishap?: (request: ScriptedRequest) => Reply | undefined) {
  const shelf = fakeBlobStore(mishap)
  const hub = await scriptedHub(shelf.reply)
  const home = await mkdtemp(path.join(tmpdir(), 'farhand-answers-'))
  const root = path.join(home, 'work')
  await mkdir(root)
  await writeFile(path.join(home, 'secret'), 'secret')
  onTestFinished(async () => {
    await hub.close()
    await rm(home, { recursive: true, force: true })
  })
  const orders = new Orders()
  const said: Notification[] = []
  const answers = new FileAnswers({
    orders,
    root,
    hub: { url: hub.url, token: 't' },
    at: someRun,
    emit: (event) => {
      checkNotification(event, 'runner')
      said.push(event)
    },
    fail: (why) => {
      throw why
    },
    signal: new AbortController().signal,
  })
  const ask = async (name: string) => {
    orders.openFileRequests.add(WorkspacePath.parse(name))
    answers.heard()
    await answers.idle()
    return said.splice(0).map(({ params }) => params)
  }
  const write = async (name: string, bytes: string | Buffer) => {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), bytes)
  }
  return { root, home, shelf, ask, write }
}

describe('a file that a user asks for', () => {
  it('is shown as text in place, byte for byte', async () => {
    const { ask, write } = await workspace()
    await write('a/é.txt', '\uFEFFgrüße\r\n')
    await write('empty', '')
    expect(await ask('a/é.txt')).toEqual([{ path: 'a/é.txt', content: '\uFEFFgrüße\r\n' }])
    expect(await ask('empty')).toEqual([{ path: 'empty', content: '' }])
  })

  it.each([
    ['is no text', Buffer.from([0xff, 0xfe, 0x00, 0x41])],
    ['is too large for an event', Buffer.from('x'.repeat(300 * kib))],
    ['is too large for an event once it is written as JSON', Buffer.from('\n'.repeat(200 * kib))],
  ])('W24 is a blob that the hub has before the event that names it, when it %s', async (_, bytes) => {
    const { ask, write, shelf } = await workspace()
    await write('f', bytes)
    expect(await ask('f')).toEqual([{ path: 'f', hash: nameOf(bytes), size: bytes.length }])
    expect(Buffer.from(shelf.blobs.get(nameOf(bytes) as BlobHash)!).equals(bytes)).toBe(true)
  })

  it('is said to be missing when there is none, or a folder', async () => {
    const { ask, write } = await workspace()
    await write('folder/file', 'x')
    expect(await ask('nothing')).toEqual([{ path: 'nothing', missing: true }])
    expect(await ask('folder')).toEqual([{ path: 'folder', missing: true }])
    expect(await ask('folder/file/deeper')).toEqual([{ path: 'folder/file/deeper', missing: true }])
  })

  it('is answered with the reason when the hub refuses it', async () => {
    let puts = 0
    const { ask, write } = await workspace(({ method }) => {
      if (method === 'PUT') puts++
      return method === 'PUT' ? refuse(413, 'request.too-large', 'fix-request') : undefined
    })
    await write('f', Buffer.from([0xff]))
    const reason = expect.stringContaining('could not be handed in')
    expect(await ask('f')).toEqual([{ path: 'f', missing: true, reason }])
    expect(puts).toBe(3)
  })

  it('S10 is found by its path, in any spelling that the disk has', async () => {
    const { ask, write } = await workspace()
    await write('e\u0301t\u00e9/u\u0308', 'x')
    expect(await ask('\u00e9t\u00e9/\u00fc')).toEqual([{ path: '\u00e9t\u00e9/\u00fc', content: 'x' }])
  })

  it('S10 is never outside of the workspace, no matter where links lead', async () => {
    const { ask, home, root } = await workspace()
    await symlink(path.join(home, 'secret'), path.join(root, 'link'))
    await symlink(home, path.join(root, 'up'))
    expect(await ask('link')).toEqual([{ path: 'link', missing: true }])
    expect(await ask('up/secret')).toEqual([{ path: 'up/secret', missing: true }])
  })

  it('S9 is never a file in .farhand', async () => {
    const { ask, write } = await workspace()
    await write('.farhand/x', 'x')
    await write('a/.farhand/x', 'x')
    expect(await ask('.farhand/x')).toEqual([{ path: '.farhand/x', missing: true }])
    expect(await ask('a/.farhand/x')).toEqual([{ path: 'a/.farhand/x', missing: true }])
  })
})

describe('a runner that is asked for files', () => {
  it('answers each request once, also those that waited for it, and those before a restart not again', async () => {
    const run = await RunUnderTest.begin()
    await writeFile(path.join(run.workspace, 'a.txt'), 'one')
    await run.say('_posthog/file_request', { path: 'a.txt' })
    await run.start()
    const contents = async () => {
      // What is asked last is answered last.
      const marker = `none-${Math.random()}`
      await run.say('_posthog/file_request', { path: marker })
      const seen: unknown[] = []
      await run.until(({ notification: { method, params } }) => {
        if (method === '_posthog/file_content') seen.push(params)
        return method === '_posthog/file_content' && params?.path === marker
      })
      return seen.filter((params) => (params as { path: string }).path === 'a.txt')
    }
    expect(await contents()).toEqual([{ path: 'a.txt', content: 'one' }])
    await run.stop()
    await run.start()
    expect(await contents()).toHaveLength(1)
    await run.say('_posthog/file_request', { path: 'a.txt' })
    expect(await contents()).toHaveLength(2)
  })
})
