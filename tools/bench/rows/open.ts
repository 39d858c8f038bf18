import { join } from 'node:path'
import { fill } from '../load/batches.ts'
import { download } from '../load/download.ts'
import { eventScanner } from '../payload.ts'
import { type Hub, type HubRun, newRun, sameRun, startHub } from '../peers/hub.ts'
import { interleave } from '../rounds.ts'
import type { Bench, Contender, Row } from '../row.ts'

const last = 10

/** The id of the newest event: the stored lines carry it first. */
async function lastId(run: HubRun, after: number): Promise<number> {
  let text = ''
  await download(run.log(after), null, (chunk) => {
    text = (text + chunk.toString('latin1')).slice(-4096)
  })
  return Math.max(...[...text.matchAll(/\{"id":(\d+),/g)].map((found) => Number(found[1])))
}

/** A data folder of its own for each size, so that a hub that reads everything when it starts would show. */
async function contender(bench: Bench, name: string, events: number): Promise<Contender> {
  const data = join(bench.folder, name)
  let hub: Hub = await startHub(bench, data)
  const { token } = hub
  const [run, other] = [await newRun(hub), await newRun(hub)]
  await fill(run, events, bench.say)
  await fill(other, last)
  const newest = await lastId(run, events - 1)
  await hub.child.stop()
  return {
    name,
    async measure() {
      const began = performance.now()
      hub = await startHub(bench, data, { token })
      const startMs = performance.now() - began
      try {
        // The first request of a process pays for much that has nothing to do with the log it asks for.
        await download(sameRun(hub, other).log(0), null)
        let found = 0
        const count = eventScanner(() => found++)
        const { ms } = await download(sameRun(hub, run).log(newest - last), null, count)
        if (found !== last) throw new Error(`read ${found} events instead of ${last}`)
        return { ms, 'ms to start': startMs }
      } finally {
        await hub.child.stop()
      }
    },
  }
}

export const open: Row = {
  name: 'open',
  title: 'Opening a long run and reading its last 10 events',
  peers: [],
  async run(bench) {
    const many = bench.quick ? 200_000 : 1_000_000
    const names = [`run of ${many.toLocaleString('en-US')}`, 'run of 1,000'] as const
    const entries = [await contender(bench, names[0], many), await contender(bench, names[1], 1_000)]
    return {
      figures: await interleave(entries, bench.quick ? 3 : 15, bench.say),
      goals: [{ text: 'at most 2x a run of 1,000', metric: 'ms', hub: names[0], over: names[1], atMost: 2 }],
      notes: [
        'Each round starts a hub anew, asks once for another small run, then times `GET sync/log?after=<all but 10>` on this one, which the process has not touched yet. The files are in the page cache.',
      ],
    }
  },
}
