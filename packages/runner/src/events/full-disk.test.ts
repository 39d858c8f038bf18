import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'

const disk = mkdtempSync(join(tmpdir(), 'farhand-full-disk-'))
afterAll(() => rmSync(disk, { recursive: true }))

const mounted = (...command: string[]) => {
  const mount = `mount -t tmpfs -o size=1m none ${disk} && "$@"`
  return ['--mount', '--map-root-user', 'sh', '-c', mount, 'sh', ...command]
}
/** It takes Linux, and user namespaces that are not forbidden. */
const canMakeDisk = spawnSync('unshare', mounted('true')).status === 0

const script = `
  import { rmSync, writeFileSync } from 'node:fs'
  import { openJournal } from '@farhand/runner/events/file-journal'
  const folder = '${disk}/journal'
  const said = (n) => ({ jsonrpc: '2.0', method: '_test/event', params: { n, text: 'x'.repeat(1000) } })
  const all = { events: 1e9, bytes: 1e9 }
  const numbers = (events) => Array.from(events, ({ params }) => params.n)
  const readAll = (journal, from) => {
    const read = []
    while (from + read.length < journal.next) read.push(...numbers(journal.read(from + read.length, all)))
    return read
  }
  const left = (generation, from) => numbers(openJournal(folder, generation).leftovers.from(from))

  const journal = openJournal(folder, 1).begin()
  for (let n = 0; n < 5; n++) journal.append(said(n))
  let filled = 0
  try {
    for (;;) writeFileSync('${disk}/filler' + filled++, 'x'.repeat(50000))
  } catch {}
  for (let n = 5; n < 300; n++) journal.append(said(n))
  const full = { read: readAll(journal, 0), left: left(2, 0) }
  journal.forget(290)
  const sent = { read: readAll(journal, 290), bytes: journal.bytes }
  journal.forget(300)
  for (let n = 300; n < 400; n++) journal.append(said(n))
  for (let n = 0; n < filled; n++) rmSync('${disk}/filler' + n, { force: true })
  for (let n = 400; n < 600; n++) journal.append(said(n))
  const roomy = { read: readAll(journal, 300), left: left(2, 300) }
  process.stdout.write(JSON.stringify({ full, sent, roomy }))`

type Found = Record<'full' | 'sent' | 'roomy', { read: number[]; left: number[]; bytes: number }>

it.runIf(canMakeDisk)(
  'a journal whose disk is full holds events in memory, and writes them when there is room',
  async () => {
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
    const child = spawn('unshare', mounted(...node), { stdio: ['ignore', 'pipe', 'inherit'] })
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const { full, sent, roomy } = JSON.parse(printed) as Found
    const upTo = (to: number, from = 0) => Array.from({ length: to - from }, (_, nth) => from + nth)
    expect(full.read).toEqual(upTo(300))
    // What was whole on the disk is still there, and nothing that is half of an entry.
    expect(full.left.length).toBeGreaterThanOrEqual(5)
    expect(full.left).toEqual(upTo(full.left.length))
    expect(full.left.length).toBeLessThan(300)
    expect(sent.read).toEqual(upTo(300, 290))
    expect(sent.bytes).toBeLessThan(20_000)
    expect(roomy).toEqual({ read: upTo(600, 300), left: upTo(600, 300) })
  },
)
