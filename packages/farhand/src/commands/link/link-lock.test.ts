import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { post } from '@farhand/client/post/post'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'
import { about, inStep, startLink, type Told, write } from './link-under-test.ts'

const nested = 'sub/.farhand/incoming/lock'

describe('what looks like the lock of a folder inside a linked one', { timeout: 120_000 }, () => {
  it.each([
    { mode: '100644', text: JSON.stringify({ pid: 0, started: '', key: 'k' }) },
    { mode: '120000', text: '/dev/zero' },
  ])('S9 is not taken from a run, and stops no link ($mode)', async ({ mode, text }) => {
    const hub = await hubCommandHere()
    const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
    await write(folder, { 'sub/kept.txt': 'kept' })
    const first = startLink(folder, hub, '--run', 'new', '--state', state)
    const { project, task, run } = (await first.until(inStep))[0] as Told & RunAddress
    const [at, other] = [
      { project, task, run },
      { ...hub, deviceId: 'dev_elsewhere' },
    ]
    const bytes = Buffer.from(text)
    const hash = `sha256_${createHash('sha256').update(bytes).digest('hex')}` as BlobHash
    const said = (name: string) => ({
      jsonrpc: '2.0' as const,
      method: '_posthog/file_sync',
      params: { path: name, action: 'created', hash, size: bytes.length, mode, was: null },
    })
    await post(other, at, said(nested), { blobs: [{ hash, bytes }] })
    await post(other, at, said('after.txt'))
    const told = await first.until(about('applied', 'after.txt'))
    expect(told).toContainEqual({ event: 'skipped', path: nested, why: 'bad-name' })
    expect(existsSync(path.join(folder, 'sub/.farhand'))).toBe(false)
    first.child.kill('SIGTERM')
    expect(await first.exitCode).toBe(0)
    // That it is not here is no deletion.
    const again = startLink(folder, hub, '--state', state)
    const second = await again.until(inStep)
    expect(second.filter(({ event }) => event === 'sent')).toEqual([])
    await post(other, at, said('later.txt'))
    await again.until(about('applied', 'later.txt'))
  })

  it.each(['a pipe', 'a link to what never ends'])('S9 is not waited for if it is %s', async (kind) => {
    const hub = await hubCommandHere()
    const folder = await temporaryFolder()
    const lock = path.join(folder, nested)
    mkdirSync(path.dirname(lock), { recursive: true })
    if (kind === 'a pipe') execFileSync('mkfifo', [lock])
    else symlinkSync('/dev/zero', lock)
    const link = startLink(folder, hub, '--run', 'new', '--state', await temporaryFolder())
    expect((await link.until(inStep)).at(-1)).toMatchObject({ files: 0 })
    link.child.kill('SIGTERM')
    expect(await link.exitCode).toBe(0)
  })
})
