import { randomBytes } from 'node:crypto'
import { appendFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Fetch } from '@farhand/client/requests/hub'
import { leanFetch } from '@farhand/sync/http/lean-fetch'
import { expect, it } from 'vitest'
import { foldersOnAHub } from './two-folders.ts'

/** Answers with large contents wait until they are let through. */
let held: (() => void)[] | null = null
const holding: Fetch = Object.assign(
  async (url: string, init?: RequestInit) => {
    const answer = await leanFetch(url, init)
    const { pathname } = new URL(url)
    const isContent = pathname.startsWith('/files/') || pathname.endsWith('/sync/patch')
    if (isContent && init?.method !== 'PUT') await new Promise<void>((go) => (held ? held.push(go) : go()))
    return answer
  },
  { takesPieces: true as const },
) as Fetch
const linked = foldersOnAHub(holding)

const largeIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => statSync(join(folder, name)).size > 1_000_000,
  )

it('S5 a large version that was replaced while it was fetched takes no place on the disk afterwards', async () => {
  const folders = await linked()
  await folders.begin()
  folders.sandbox.write('large.bin', randomBytes(6_000_000))
  await folders.settled()
  for (let round = 0; round < 3; round += 1) {
    held = []
    appendFileSync(folders.sandbox.at('large.bin'), 'more')
    while (held.length === 0) await new Promise(setImmediate)
    // The answer is on its way, and what it answers is no longer what the file is.
    appendFileSync(folders.sandbox.at('large.bin'), 'and more')
    const sent = () => folders.sandbox.notes.filter(({ is }) => is === 'sent').length
    for (const before = sent(); sent() === before; ) await new Promise(setImmediate)
    // The hub tells both in one go: the laptop has it in its ear by now.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
    const answers = held
    held = null
    for (const go of answers) go()
    await folders.settled()
  }
  // Versions that were on the disk stay for a moment, as a program may still write to them.
  const left = () => largeIn(join(folders.laptop.root, '.farhand'))
  await expect.poll(left, { timeout: 60_000, interval: 100 }).toEqual([])
})
