import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import Database from 'libsql'
import { readUnsettled } from './blobs/read-unsettled.ts'
import { decodeLine } from './log/stored-line.ts'
import { logsIn } from './unknown-logs.ts'

export type DataTrouble = {
  what: 'store' | 'log' | 'blob'
  /** The file it is about, in the data folder. */
  file: string
  says: string
}

export type VerifiedData = { logs: number; events: number; blobs: number; troubles: DataTrouble[] }

/**
 * Reads everything in a data folder and reports what is wrong with it. It changes nothing. While a hub is running, files that
 * the hub is writing may look unfinished.
 */
export async function verifyData(data: string, onProgress: (done: string) => void): Promise<VerifiedData> {
  const found: VerifiedData = { logs: 0, events: 0, blobs: 0, troubles: [] }
  const say = (what: DataTrouble['what'], file: string, says: string) =>
    found.troubles.push({ what, file, says })
  onProgress('store.sqlite')
  const { runs, contents } = readStore(join(data, 'store.sqlite'), (says) =>
    say('store', 'store.sqlite', says),
  )
  const logs = await logsIn(join(data, 'logs'))
  for (const run of logs) {
    const file = join('logs', `${run}.jsonl`)
    onProgress(file)
    const { events, says } = await readLog(join(data, file))
    found.logs += 1
    found.events += events
    if (says !== null) say('log', file, says)
    if (runs && !runs.has(run)) say('log', file, 'its run is not in store.sqlite')
  }
  // A run without any event has neither a log nor a head file.
  for (const run of runs ?? []) {
    const hasHead = await stat(join(data, 'logs', `${run}.head.json`)).catch(() => null)
    if (hasHead && !logs.some((log) => log === run)) say('log', join('logs', `${run}.jsonl`), 'it is missing')
  }
  const files = await readdir(join(data, 'files'), { recursive: true }).catch(() => [])
  for (const name of files) {
    if (name.startsWith('trash') || name.startsWith('incoming')) continue
    const path = join(data, 'files', name)
    const hash = BlobHash.safeParse(basename(name)).data
    if (!hash && !name.endsWith('.pack')) continue
    onProgress(join('files', name))
    found.blobs += 1
    const isWhole = hash ? (await hashOf(path)) === hash : readUnsettled(path, 1, 0).whole
    if (!isWhole)
      say(
        'blob',
        join('files', name),
        hash
          ? 'its bytes do not hash to its name'
          : 'it is cut short or damaged; a crash may also leave a last part that was never acknowledged',
      )
  }
  for (const [name, size] of contents) {
    const there = await stat(join(data, 'files', name)).catch(() => null)
    // Files that exist were read above.
    if (!there) say('blob', join('files', name), 'it is missing')
    else if (name.endsWith('.pack') && there.size < size)
      say(
        'blob',
        join('files', name),
        `it ends at byte ${there.size}, and contents lie in it up to byte ${size}`,
      )
  }
  return found
}

/** The runs in the store (null if it cannot be read), and the files that must hold blobs, each with its minimum size. */
function readStore(file: string, say: (says: string) => void) {
  const contents = new Map<string, number>()

  try {
    const database = new Database(file, { readonly: true, fileMustExist: true })
    const checked = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    for (const { integrity_check: says } of checked) if (says !== 'ok') say(says)
    const rows = database.prepare('select id from runs').all() as { id: string }[]
    const held = 'select distinct hash, size from blobs where segment is null'
    for (const { hash, size } of database.prepare(held).all() as { hash: string; size: number }[])
      contents.set(join(hash.slice(7, 9), hash), size)
    const packed =
      'select segment, max(start + size) as size from blobs where segment is not null group by segment'
    for (const { segment, size } of database.prepare(packed).all() as { segment: number; size: number }[])
      contents.set(join('packs', `${segment}.pack`), size)
    database.close()
    return { runs: new Set(rows.map(({ id }) => id)), contents }
  } catch (error) {
    say(`it cannot be read: ${error instanceof Error ? error.message : error}`)
    return { runs: null, contents }
  }
}

async function readLog(file: string): Promise<{ events: number; says: string | null }> {
  const { size } = await stat(file)
  let [events, bytes] = [0, 0]
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (decodeLine(line)?.id !== events + 1)
      return {
        events,
        says: `line ${events + 1} (byte ${bytes} of ${size}) is not whole, was changed, or is not the next`,
      }
    events += 1
    bytes += Buffer.byteLength(line) + 1
  }
  return { events, says: null }
}

async function hashOf(file: string): Promise<string> {
  const sha = createHash('sha256')
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) sha.update(piece)
  return `sha256_${sha.digest('hex')}`
}
