import { randomBytes } from 'node:crypto'
import { appendFileSync, closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import type { Fetch } from '@farhand/client/requests/hub'
import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { beforeEach, describe, expect, it } from 'vitest'
import { bothWays, foldersOnAHub } from './two-folders.ts'

type Travel = 'patch up' | 'patch down' | 'whole up' | 'whole down'

/** What travelled since it was last emptied, and what becomes of patches on their way. */
const travelled: Travel[] = []
const none = (_: Travel, send: () => Promise<Response>) => send()
let mishap = none

const watchful: Fetch = Object.assign(
  async (url: Parameters<Fetch>[0], init?: RequestInit) => {
    const { pathname } = new URL(String(url))
    const isUp = init?.method === 'PUT'
    const isPatch = pathname.endsWith('/sync/patch')
    const what = `${isPatch ? 'patch' : 'whole'} ${isUp ? 'up' : 'down'}` as const
    const send = () => leanFetch(url, init)
    if (!isPatch && !pathname.startsWith('/files/')) return send()
    const answer = await mishap(what, send)
    if (answer.ok) travelled.push(what)
    return answer
  },
  { takesPieces: true as const },
)

const linked = foldersOnAHub(watchful)
const path = 'large.bin'
const bytes = 6 * 1024 * 1024 + 12_345
const middle = 2_500_000

beforeEach(() => {
  mishap = none
  travelled.length = 0
})

const edits: Record<string, (file: string) => void> = {
  'one byte changed': (file) => {
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.from([readFileSync(file)[middle]! ^ 1]), 0, 1, middle)
    closeSync(handle)
  },
  'something appended': (file) => appendFileSync(file, 'more'),
  'its end cut off': (file) => truncateSync(file, 5_000_000),
}

describe.each(bothWays)('a large file on the $here', ({ here, there }) => {
  async function withLarge() {
    const folders = await linked()
    await folders.begin()
    folders[here].replace(path, randomBytes(bytes))
    await folders.settled()
    expect(travelled).toEqual(['whole up', 'whole down'])
    travelled.length = 0
    const insert = () => {
      const whole = readFileSync(folders[here].at(path))
      folders[here].replace(
        path,
        Buffer.concat([whole.subarray(0, middle), randomBytes(9), whole.subarray(middle)]),
      )
    }
    const arrived = async () => {
      await folders.settled()
      expect(readFileSync(folders[there].at(path)).equals(readFileSync(folders[here].at(path)))).toBe(true)
      return travelled.splice(0)
    }
    return { folders, arrived, insert }
  }

  it('W35 is sent as the difference, for every kind of edit, one after another and back', async () => {
    const { folders, arrived, insert } = await withLarge()
    for (const edit of Object.values(edits)) {
      edit(folders[here].at(path))
      expect(await arrived()).toEqual(['patch up', 'patch down'])
    }
    insert()
    expect(await arrived()).toEqual(['patch up', 'patch down'])
    // The other side has made it of patches, and knows it as well as if it had read it.
    edits['one byte changed']!(folders[there].at(path))
    expect(await arrived()).toEqual(['patch up', 'patch down'])
  })

  it('W35 is sent whole when it is changed for the first time after a start, and as a patch again after that', async () => {
    const { folders, arrived, insert } = await withLarge()
    await folders[here].stop()
    await folders[here].start()
    await folders.settled()
    insert()
    expect(await arrived()).toEqual(['whole up', 'whole down'])
    insert()
    expect(await arrived()).toEqual(['patch up', 'patch down'])
  })

  it('W35 is fetched whole by a folder that was away for more than one change', async () => {
    const { folders, arrived, insert } = await withLarge()
    await folders[there].stop()
    for (let times = 0; times < 2; times++) {
      insert()
      await folders.settled()
    }
    await folders[there].start()
    expect(await arrived()).toEqual(['patch up', 'patch up', 'whole down'])
  })

  it('W35 is sent whole when the hub refuses the patch or fails at it, and when the result is torn', async () => {
    const { arrived, insert } = await withLarge()
    const refusal = { error: { code: 'blob.unknown', message: 'no such base', remedy: 'give-up' } }
    mishap = async (what, send) => (what === 'patch up' ? Response.json(refusal, { status: 404 }) : send())
    insert()
    expect(await arrived()).toEqual(['whole up', 'whole down'])
    const failure = { error: { code: 'hub.failed', message: 'its log says what', remedy: 'retry' } }
    mishap = async (what, send) =>
      what.startsWith('patch') ? Response.json(failure, { status: 500 }) : send()
    insert()
    expect(await arrived()).toEqual(['whole up', 'whole down'])
    mishap = async (what, send) => {
      const answer = await send()
      if (what !== 'patch down') return answer
      const patch = Buffer.from(await answer.arrayBuffer())
      patch[patch.length - 30]! ^= 1
      return new Response(patch, { headers: { 'content-type': answer.headers.get('content-type')! } })
    }
    insert()
    expect(await arrived()).toEqual(['patch up', 'patch down', 'whole down'])
  })
})
