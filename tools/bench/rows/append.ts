import { join } from 'node:path'
import { startFloor } from '../floors/floor.ts'
import { httpAnswers } from '../load/answers.ts'
import { ratePerSecond } from '../load/in-flight.ts'
import { eventRequest, type PostTarget } from '../load/post.ts'
import { startDurableStreams } from '../peers/durable-streams.ts'
import { newRun, startHub } from '../peers/hub.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Row } from '../row.ts'

const connections = 64

export const append: Row = {
  name: 'append',
  title: 'Durable append, one event a POST, 64 in flight',
  peers: ['durable-streams'],
  async run(bench) {
    const { children, folder, installed, quick } = bench
    const rounds = quick ? 3 : 5
    const ms = quick ? 1_000 : 2_000

    async function rate(target: PostTarget) {
      const request = eventRequest(target)
      const exchange = { port: target.port, connections, request, answers: httpAnswers }
      return { 'events/s': await ratePerSecond(exchange, ms) }
    }

    const hub = await newRun(await startHub(bench, join(folder, 'hub')))
    const bare = await startFloor(children, 'append-server', [join(folder, 'bare.jsonl')])
    const entries: Entry[] = [
      { name: 'hub', measure: () => rate(hub.post) },
      { name: 'bare node:http', measure: () => rate({ port: bare.port, path: '/' }) },
    ]
    const peer = installed.durableStreams
    if ('missing' in peer) entries.push({ name: 'durable-streams', peer: true, missing: peer.missing })
    else {
      const streams = await startDurableStreams(children, peer.module!, folder)
      const { append } = await streams.stream('append')
      entries.push({ name: 'durable-streams', peer: true, measure: () => rate(append) })
    }
    return {
      figures: await interleave(entries, rounds, bench.say),
      goals: [
        {
          text: 'at least 0.8x a bare node:http server with group commit',
          metric: 'events/s',
          hub: 'hub',
          over: 'bare node:http',
          atLeast: 0.8,
        },
        {
          text: 'at least 8x @durable-streams/server, file-backed',
          metric: 'events/s',
          hub: 'hub',
          over: 'durable-streams',
          atLeast: 8,
        },
      ],
      notes: [
        `${connections} keep-alive connections, one POST in flight on each, ${rounds} rounds of ${ms / 1000} s after a warm-up.`,
        'The bare server appends each body to one file, makes all bodies that have arrived durable with one write and answers 202; it checks nothing.',
      ],
    }
  },
}
