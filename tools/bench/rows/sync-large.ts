import { closeSync, mkdirSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seededRandom } from '@farhand/kit/seeded-random'
import { lazily } from '../lazily.ts'
import { allThere } from '../load/arrival.ts'
import { commandMs } from '../load/command-ms.ts'
import { freshText } from '../load/fresh-text.ts'
import { peaksDuring } from '../load/process-use.ts'
import { residentBytes } from '../peers/hub.ts'
import { hubInMemory, linkPair, whileLinked } from '../peers/links.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row } from '../row.ts'

const up = 'farhand, device to runner'
const down = 'farhand, runner to device'
const first = 'farhand, the whole file for the first time'
const name = 'large.bin'
const limitMs = 60_000
const settleMs = 1_000

function writeLarge(folder: string, bytes: number): void {
  const next = seededRandom(bytes)
  const file = openSync(join(folder, name), 'w')
  for (let at = 0; at < bytes; at += 1e6) writeSync(file, freshText(1e6, next))
  closeSync(file)
}

function byteAt(file: string, at: number): number {
  const opened = openSync(file, 'r')
  const byte = Buffer.alloc(1)
  readSync(opened, byte, 0, 1, at)
  closeSync(opened)
  return byte[0]!
}

/** Changes one byte somewhere; gives the place and what it holds now. */
function changeByte(file: string): { at: number; value: number } {
  const at = Math.floor(Math.random() * statSync(file).size)
  const value = byteAt(file, at) ^ 0x55
  const opened = openSync(file, 'r+')
  writeSync(opened, Buffer.of(value), 0, 1, at)
  closeSync(opened)
  return { at, value }
}

async function arrived(
  file: string,
  { at, value }: { at: number; value: number },
  signal: AbortSignal,
): Promise<number> {
  const deadline = performance.now() + limitMs
  while (byteAt(file, at) !== value) {
    signal.throwIfAborted()
    if (performance.now() > deadline) throw new Error(`the change did not arrive within ${limitMs / 1000} s`)
    await wait(2)
  }
  return performance.now()
}

function ownEntries(bench: Bench, bytes: number): { first: Entry; changes: Entry[] } {
  const linked = lazily(async () => {
    const hub = await hubInMemory(bench)
    const [a, b] = [join(bench.folder, 'a'), join(bench.folder, 'b')]
    for (const side of [a, b]) mkdirSync(side)
    const { links } = await linkPair(bench, hub, a, b, { more: ['--max-file', '300MB'] })
    await wait(settleMs)
    const pids = [hub.child.pid, ...links.map((link) => link.pid)]
    return { a, b, links, pids, idle: pids.map(residentBytes) }
  })
  const timed = async (
    work: (pair: Awaited<ReturnType<typeof linked>>, signal: AbortSignal) => Promise<number>,
  ) => {
    const pair = await linked()
    const { peaks, result: ms } = await peaksDuring(pair.pids, () =>
      whileLinked(pair.links, (signal) => work(pair, signal)),
    )
    const over = peaks.map((peak, n) => (peak - pair.idle[n]!) / 1e6)
    await wait(settleMs)
    return { ms, 'MB over idle, hub': over[0]!, 'MB over idle, links': Math.max(over[1]!, over[2]!) }
  }
  const change = (from: 'a' | 'b', to: 'a' | 'b') => () =>
    timed(async (pair, signal) => {
      const started = performance.now()
      return (await arrived(join(pair[to], name), changeByte(join(pair[from], name)), signal)) - started
    })
  return {
    first: {
      name: first,
      measure: () =>
        timed(async ({ a, b }, signal) => {
          const started = performance.now()
          writeLarge(a, bytes)
          return (await allThere(b, [{ path: name, bytes }], { limitMs, signal })) - started
        }),
    },
    changes: [
      { name: up, measure: change('a', 'b') },
      { name: down, measure: change('b', 'a') },
    ],
  }
}

function rsyncEntry(bench: Bench, title: string, flags: readonly string[], bytes: number): Entry {
  const { rsync } = bench.installed
  if ('missing' in rsync) return { name: title, peer: true, missing: rsync.missing }
  const copied = lazily(async () => {
    const [from, to] = ['from', 'to'].map((side) => join(bench.folder, `rsync-${flags.length}-${side}`))
    for (const folder of [from!, to!]) mkdirSync(folder)
    writeLarge(from!, bytes)
    const again = () => commandMs(bench.children, 'rsync', [...flags, `${from}/`, `${to}/`])
    await again()
    return { from: join(from!, name), to: join(to!, name), again }
  })
  return {
    name: title,
    peer: true,
    async measure() {
      const { from, to, again } = await copied()
      // It overlooks a change of the same size within the same second.
      await wait(1_100)
      const change = changeByte(from)
      const ms = await again()
      if (byteAt(to, change.at) !== change.value) throw new Error('rsync overlooked the change')
      return { ms }
    },
  }
}

const goals: Goal[] = [up, down].flatMap((hub): Goal[] => {
  const way = hub === up ? 'device to runner' : 'runner to device'
  const memory = { hub, worst: true as const, atMost: 100, unit: 'MB' }
  return [
    {
      text: `one byte changed, ${way}: at most 1.5x \`rsync -a\``,
      metric: 'ms',
      hub,
      over: 'rsync -a',
      atMost: 1.5,
    },
    {
      ...memory,
      text: `${way}: memory of the hub never above 100 MB over idle`,
      metric: 'MB over idle, hub',
    },
    {
      ...memory,
      text: `${way}: memory of the links never above 100 MB over idle`,
      metric: 'MB over idle, links',
    },
  ]
})

export const syncLarge: Row = {
  name: 'sync-large',
  title: 'A file of 200 MB, one byte changed',
  peers: ['rsync'],
  inMemory: true,
  async run(bench) {
    const bytes = bench.quick ? 50e6 : 200e6
    const own = ownEntries(bench, bytes)
    const whole = await interleave([own.first], 1, bench.say, 0)
    const entries = [
      ...own.changes,
      rsyncEntry(bench, 'rsync -a', ['-a'], bytes),
      rsyncEntry(bench, 'rsync -a --no-whole-file', ['-a', '--no-whole-file'], bytes),
    ]
    return {
      figures: [...whole, ...(await interleave(entries, bench.quick ? 2 : 4, bench.say))],
      goals,
      notes: [
        'From before the byte is written until it is in the other folder. Memory is the highest RSS seen, every 20 ms, minus what the process held when nothing had been synced yet; of the two links the larger. Between two folders of one machine `rsync -a` copies the whole file without comparing it; `--no-whole-file` makes it compare, and is shown for comparison only.',
      ],
    }
  },
}
