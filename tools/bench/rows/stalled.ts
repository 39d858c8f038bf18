import type { Socket } from 'node:net'
import { join } from 'node:path'
import { fill } from '../load/batches.ts'
import { peaksDuring } from '../load/process-use.ts'
import { stalledReader } from '../load/readers.ts'
import { storedBytes } from '../payload.ts'
import { type Hub, newRun, startHub } from '../peers/hub.ts'
import { interleave } from '../rounds.ts'
import type { Row, Sample } from '../row.ts'

const readerCount = 200

async function peakDuring(hub: Hub, work: () => Promise<void>): Promise<number> {
  return (await peaksDuring([hub.child.pid], work)).peaks[0]!
}

export const stalled: Row = {
  name: 'stalled',
  title: '200 stalled readers during 100 MB of appends',
  peers: [],
  async run(bench) {
    const megabytes = bench.quick ? 25 : 100
    const events = Math.ceil((megabytes * 1e6) / storedBytes / 1000) * 1000
    let round = 0

    async function measure(): Promise<Sample> {
      const hub = await startHub(bench, join(bench.folder, `hub-${++round}`))
      const sockets: Socket[] = []
      try {
        // A young process still grows by itself; the second filling is there to see the end of that.
        bench.say(`twice ${megabytes} MB without readers`)
        const before = await peakDuring(hub, async () => {
          for (let n = 0; n < 2; n++) await fill(await newRun(hub), events)
        })
        const watched = await newRun(hub)
        for (let n = 0; n < readerCount; n++) sockets.push(await stalledReader(watched.live))
        bench.say(`${megabytes} MB with ${readerCount} stalled readers`)
        const after = await peakDuring(hub, () => fill(watched, events))
        return { 'KiB a reader': Math.max(0, after - before) / readerCount / 1024 }
      } finally {
        for (const socket of sockets) socket.destroy()
        await hub.child.stop()
      }
    }

    return {
      figures: await interleave([{ name: 'hub', measure }], bench.quick ? 1 : 3, bench.say, 0),
      goals: [
        {
          text: 'RSS grows by at most 128 KiB a reader',
          metric: 'KiB a reader',
          hub: 'hub',
          atMost: 128,
          unit: 'KiB',
        },
      ],
      notes: [
        `The readers open the live stream and never take a byte. ${megabytes} MB of log are appended twice to runs without readers, then as much to the run they read; the figure is the highest RSS seen in the last part minus the highest seen before, for each reader. A fresh hub each round.`,
      ],
    }
  },
}
