import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { httpAnswers } from '../load/answers.ts'
import { eventRequest } from '../load/post.ts'
import { rawSockets } from '../load/raw-socket.ts'
import { Readers } from '../load/readers.ts'
import { node } from '../node-program.ts'
import { event, eventScanner } from '../payload.ts'
import { newRun, startHub } from '../peers/hub.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

const readerCount = 100
const perSecond = 200
const writers = 8

function summary(latencies: readonly number[]): Sample {
  return { 'p50 ms': percentile(latencies, 0.5), 'p99 ms': percentile(latencies, 0.99) }
}

async function hubContender(bench: Bench, events: number): Promise<Entry> {
  const hub = await startHub(bench, join(bench.folder, 'hub'))
  const run = await newRun(hub)
  const request = eventRequest(run.post)
  return {
    name: 'hub',
    async measure() {
      const sentAt: number[] = []
      const latencies: number[] = []
      const readers = await Readers.open(run.live, readerCount, (seq) =>
        latencies.push(performance.now() - sentAt[seq]!),
      )
      const sockets = await rawSockets(run.post.port, writers, httpAnswers)
      try {
        await paced(perSecond, events, (seq) => {
          const [bytes] = request(seq)
          sentAt[seq] = performance.now()
          sockets[seq % writers]!.write(bytes!)
        })
        await readers.all(events)
        return summary(latencies)
      } finally {
        readers.close()
        for (const socket of sockets) socket.destroy()
      }
    },
  }
}

/** A process that blocks on a pipe, appends, flushes, and writes to each reader's pipe. */
function pipeContender(bench: Bench, name: string, pipes: number, events: number): Entry {
  const program = fileURLToPath(new URL('../floors/pipe-sync.mjs', import.meta.url))
  const file = join(bench.folder, `pipe-${pipes}.jsonl`)
  const stdio = Array.from({ length: pipes }, () => 'pipe' as const)
  const child = bench.children.start(node, [program, file, String(pipes)], { pipes: 'stdin', extra: stdio })
  let onEvent: (seq: number) => void = () => {}
  for (const pipe of child.process.stdio.slice(3)) {
    const scan = eventScanner((seq) => onEvent(seq))
    pipe!.on('data', scan)
  }
  const stdin = child.process.stdin as Socket
  return {
    name,
    async measure() {
      const sentAt: number[] = []
      const latencies: number[] = []
      const arrived = new Promise<void>((resolve, reject) => {
        once(child.process, 'exit').then(() => reject(new Error('the pipe process ended')), reject)
        onEvent = (seq) => {
          latencies.push(performance.now() - sentAt[seq]!)
          if (latencies.length === events * pipes) resolve()
        }
      })
      await paced(perSecond, events, (seq) => {
        const bytes = event(seq)
        sentAt[seq] = performance.now()
        stdin.write(Buffer.concat([bytes, Buffer.from('\n')]))
      })
      await arrived
      return summary(latencies)
    },
  }
}

export const latency: Row = {
  name: 'latency',
  title: 'Latency from append to reader, 100 readers, 200 events/s',
  peers: [],
  async run(bench) {
    const rounds = bench.quick ? 3 : 5
    const events = perSecond * (bench.quick ? 1.5 : 3)
    const entries = [
      await hubContender(bench, events),
      pipeContender(bench, 'pipe + fdatasync', 1, events),
      pipeContender(bench, 'pipe + fdatasync, 100 readers', readerCount, events),
    ]
    const goal = { hub: 'hub', over: 'pipe + fdatasync' }
    return {
      figures: await interleave(entries, rounds, bench.say),
      goals: [
        { ...goal, text: 'p50 at most 2x a pipe and one fdatasync', metric: 'p50 ms', atMost: 2 },
        { ...goal, text: 'p99 at most 4x a pipe and one fdatasync', metric: 'p99 ms', atMost: 4 },
      ],
      notes: [
        'From the moment the writer writes to the moment a reader has the event, over all readers. Writer and readers share one process and one clock; the floor is a second process that blocks on a pipe, appends, flushes and writes to the pipe back.',
        'The floor with 100 readers writes each event to 100 pipes; it is shown for comparison and no goal refers to it.',
      ],
    }
  },
}

/** Calls `send` at an even pace, however slowly the server answers: otherwise a slow server would get fewer requests. */
async function paced(perSecond: number, total: number, send: (n: number) => void): Promise<void> {
  const started = performance.now()
  for (let n = 0; n < total; n++) {
    const early = started + (n * 1000) / perSecond - performance.now()
    if (early > 0) await wait(early)
    send(n)
  }
}
