import { once } from 'node:events'
import { join } from 'node:path'
import type { Child } from '../children.ts'
import { startFloor } from '../floors/floor.ts'
import { Readers, type ReadTarget } from '../load/readers.ts'
import { newRun, residentBytes, startHub } from '../peers/hub.ts'
import { interleave } from '../rounds.ts'
import type { Row, Sample } from '../row.ts'

const readerCount = 1_000

async function heapAfterCollection(child: Child): Promise<number> {
  const answer = once(child.process, 'message')
  child.process.send('collect')
  const [message] = await answer
  return message.heapUsed
}

async function perReader(child: Child, target: ReadTarget): Promise<Sample> {
  const heapBefore = await heapAfterCollection(child)
  const residentBefore = residentBytes(child.pid)
  const readers = await Readers.open(target, readerCount)
  try {
    const heap = (await heapAfterCollection(child)) - heapBefore
    const resident = residentBytes(child.pid) - residentBefore
    return {
      'KiB heap a reader': heap / readerCount / 1024,
      'KiB RSS a reader': resident / readerCount / 1024,
    }
  } finally {
    readers.close()
  }
}

export const idle: Row = {
  name: 'idle',
  title: '1,000 idle readers',
  peers: [],
  async run(bench) {
    const hub = await startHub(bench, join(bench.folder, 'hub'), { probe: true })
    const run = await newRun(hub)
    const bare = await startFloor(bench.children, 'sse-server')
    const entries = [
      { name: 'hub', measure: () => perReader(hub.child, run.live) },
      {
        name: 'bare node:http',
        measure: () => perReader(bare.child, { port: bare.port, path: '/', ready: ': live' }),
      },
    ]
    return {
      figures: await interleave(entries, bench.quick ? 2 : 5, bench.say),
      goals: [
        {
          text: 'heap a reader at most 1.5x bare node:http',
          metric: 'KiB heap a reader',
          hub: 'hub',
          over: 'bare node:http',
          atMost: 1.5,
        },
      ],
      notes: [
        'Heap in use after a forced collection, with the readers minus without them, divided by their number; both servers in the same manner. The first round, which also pays for code that is loaded late, is not counted.',
      ],
    }
  },
}
