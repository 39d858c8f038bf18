import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fill } from '../load/batches.ts'
import { type Download, download } from '../load/download.ts'
import { eventScanner } from '../payload.ts'
import { type Hub, type HubRun, newRun, startHub } from '../peers/hub.ts'
import { startNginx } from '../peers/nginx.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Row } from '../row.ts'

const events = 100_000

/** A download is timed without looking at the bytes, so it is looked at once before, and its size compared after. */
async function contender(
  name: string,
  target: Download,
  lastWords: string | null,
  megabytes: number,
): Promise<Entry> {
  const found = await countEvents(target, lastWords)
  if (found !== events) return { name, missing: `failed: it served ${found} of ${events} events` }
  const checked = await download(target, lastWords)
  return {
    name,
    async measure() {
      const { bytes, ms } = await download(target, lastWords)
      if (Math.abs(bytes - checked.bytes) > 4096) throw new Error(`served ${bytes} of ${checked.bytes} bytes`)
      return { ms, 'log MB/s': (megabytes * 1000) / ms }
    },
  }
}

/** A careful reader, for once: it takes the transfer coding apart, which may cut events in two. */
async function countEvents(target: Download, lastWords: string | null): Promise<number> {
  let found = 0
  const scan = eventScanner(() => found++)
  const answer = await fetch(`http://127.0.0.1:${target.port}${target.path}`, {
    headers: target.headers ?? {},
  })
  let tail = ''
  for await (const part of answer.body ?? []) {
    const chunk = Buffer.from(part)
    scan(chunk)
    tail = (tail + chunk.toString('latin1')).slice(-256)
    if (lastWords !== null && tail.includes(lastWords)) break
  }
  return found
}

function logFile(hub: Hub, run: HubRun): string {
  return join(hub.data, 'logs', `${run.id}.jsonl`)
}

export const catchup: Row = {
  name: 'catchup',
  title: 'Catch-up of 100,000 events',
  peers: ['nginx'],
  async run(bench) {
    const hub = await startHub(bench, join(bench.folder, 'hub'))
    const run = await newRun(hub)
    await fill(run, events, bench.say)
    const megabytes = statSync(logFile(hub, run)).size / 1e6
    const entries = [
      await contender('hub, raw NDJSON', run.log(0), null, megabytes),
      await contender('hub, SSE', run.replay, 'event: live', megabytes),
    ]
    if ('missing' in bench.installed.nginx) {
      entries.push({ name: 'nginx', peer: true, missing: bench.installed.nginx.missing })
    } else {
      const nginx = await startNginx(bench.children, bench.folder)
      copyFileSync(logFile(hub, run), join(nginx.files, 'log.jsonl'))
      const served = { port: nginx.port, path: '/files/log.jsonl' }
      entries.push({ ...(await contender('nginx', served, null, megabytes)), peer: true })
    }
    return {
      figures: await interleave(entries, bench.quick ? 9 : 25, bench.say, 3),
      goals: [
        {
          text: 'raw NDJSON at least 0.4x as fast as nginx serving the same file',
          metric: 'log MB/s',
          hub: 'hub, raw NDJSON',
          over: 'nginx',
          atLeast: 0.4,
        },
        {
          text: 'SSE at least 0.15x as fast as nginx serving the same file',
          metric: 'log MB/s',
          hub: 'hub, SSE',
          over: 'nginx',
          atLeast: 0.15,
        },
      ],
      notes: [
        `The log is ${megabytes.toFixed(1)} MB. One connection; from the request to the last byte (SSE: to \`event: live\`). That all events are there is checked before the timed rounds, and the size in each.`,
      ],
    }
  },
}
