import { join } from 'node:path'
import { httpAnswers } from '../load/answers.ts'
import { keepInFlight } from '../load/in-flight.ts'
import { eventRequest, type PostTarget } from '../load/post.ts'
import { Readers, type ReadTarget } from '../load/readers.ts'
import { startDurableStreams } from '../peers/durable-streams.ts'
import { newRun, startHub } from '../peers/hub.ts'
import { startNginx } from '../peers/nginx.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'

const readerCount = 500
const postsInFlight = 16
const fewest = 8
const durableStreams = 'durable-streams, in memory'

type Stream = { post: PostTarget; read: ReadTarget }

/** Posts that many events and waits until every reader has had each of them once. */
async function deliver(stream: Stream, readers: Readers, events: number): Promise<number> {
  const request = eventRequest(stream.post)
  let next = 0
  readers.reset()
  const started = performance.now()
  const posted = keepInFlight({
    port: stream.post.port,
    connections: postsInFlight,
    request: () => (next < events ? request(next++) : null),
    answers: httpAnswers,
  })
  await Promise.all([posted, readers.all(events)])
  return (events * readerCount * 1000) / (performance.now() - started)
}

/** A slow server gets fewer events a round, so that a round takes about the same time for all. */
function contender(name: string, makeStream: () => Promise<Stream>, roundMs: number): Entry {
  let rate: number | null = null
  return {
    name,
    async measure(): Promise<Sample> {
      const stream = await makeStream()
      const readers = await Readers.open(stream.read, readerCount)
      try {
        rate ??= await deliver(stream, readers, fewest)
        const events = Math.max(fewest, Math.round((rate * roundMs) / 1000 / readerCount))
        rate = await deliver(stream, readers, events)
        return { 'deliveries/s': rate }
      } finally {
        readers.close()
      }
    },
  }
}

async function entriesOf(bench: Bench, roundMs: number): Promise<Entry[]> {
  const { children, folder, installed } = bench
  const hub = await startHub(bench, join(folder, 'hub'))
  const hubStream = async () => {
    const run = await newRun(hub)
    return { post: run.post, read: run.live }
  }
  const entries = [contender('hub', hubStream, roundMs)]

  if ('missing' in installed.nginx)
    entries.push({ name: 'nchan', peer: true, missing: installed.nginx.missing })
  else {
    const nginx = await startNginx(children, folder)
    let channel = 0
    const nchanStream = async () => {
      const name = `run${++channel}`
      return { post: nginx.publish(name), read: nginx.subscribe(name) }
    }
    entries.push({ ...contender('nchan', nchanStream, roundMs), peer: true })
  }

  const peer = installed.durableStreams
  if ('missing' in peer) entries.push({ name: durableStreams, peer: true, missing: peer.missing })
  else {
    const server = await startDurableStreams(children, peer.module!, null)
    let count = 0
    const durableStream = async () => {
      const { append, read } = await server.stream(`fanout${++count}`)
      return { post: append, read }
    }
    entries.push({ ...contender(durableStreams, durableStream, roundMs), peer: true })
  }
  return entries
}

export const fanout: Row = {
  name: 'fanout',
  title: 'Fan-out of a live run to 500 SSE readers',
  peers: ['nginx', 'durable-streams'],
  async run(bench) {
    const rounds = bench.quick ? 3 : 5
    const entries = await entriesOf(bench, bench.quick ? 1_500 : 3_000)
    const goal = { metric: 'deliveries/s', hub: 'hub' }
    return {
      figures: await interleave(entries, rounds, bench.say),
      goals: [
        { ...goal, text: 'at least 0.5x nginx + nchan with one worker', over: 'nchan', atLeast: 0.5 },
        { ...goal, text: 'aim: 1x nginx + nchan with one worker', aim: true, over: 'nchan', atLeast: 1 },
        { ...goal, text: 'at least 5x @durable-streams/server', over: durableStreams, atLeast: 5 },
      ],
      notes: [
        `${readerCount} readers and ${postsInFlight} connections with one POST of one event in flight on each, in one process. The clock runs from the first POST until every reader has had every event once, which is checked.`,
        'The hub makes each event durable before any reader sees it; nchan keeps messages in memory, and so does durable-streams here: with files it commits to its database for each reader it wakes and delivers about 1,000/s.',
      ],
    }
  },
}
