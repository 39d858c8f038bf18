import { hashOf } from '@farhand/client/blobs/sha256'
import type { Author } from '@farhand/protocol/wire/event'
import { packPieces } from '@farhand/protocol/wire/pack'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { FilesSource } from '../src/files/history/files-source.ts'

const blobs = new Map<string, Uint8Array>()
const laptop: Author = { kind: 'device', id: 'dev_laptop00' }
const runner: Author = { kind: 'runner', generation: 1 }

const dateBefore = `import { locale } from './locale.ts'

export function dayInWords(date: Date): string {
  const day = date.getDate()
  const month = date.getMonth() + 1
  return day + '.' + month + '.' + date.getFullYear()
}

export function timeInWords(date: Date): string {
  return date.toLocaleTimeString(locale)
}

export function both(date: Date): string {
  return dayInWords(date) + ' ' + timeInWords(date)
}

${Array.from({ length: 40 }, (_, n) => `export const zone${n} = 'Etc/GMT+${n}'`).join('\n')}

export const last = 1
`
const dateAfter = dateBefore
  .replace(
    "  const day = date.getDate()\n  const month = date.getMonth() + 1\n  return day + '.' + month + '.' + date.getFullYear()\n",
    "  const shape = { dateStyle: 'medium' } as const\n  return new Intl.DateTimeFormat(locale, shape).format(date)\n",
  )
  .replace('date.toLocaleTimeString(locale)', "date.toLocaleTimeString(locale, { timeStyle: 'short' })")
  .replace('export const last = 1', 'export const last = 2')

async function entry(content: string | Uint8Array, mode = '100644') {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const hash = await hashOf(bytes)
  blobs.set(hash, bytes)
  return { mode, hash, size: bytes.length }
}

/** A small image of one colour. */
async function picture(colour: string): Promise<Uint8Array> {
  const canvas = new OffscreenCanvas(320, 180)
  const pen = canvas.getContext('2d')!
  pen.fillStyle = colour
  pen.fillRect(20, 20, 280, 140)
  return new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())
}

async function events(): Promise<SeenEvent[]> {
  const all: SeenEvent[] = []
  const say = (by: Author, method: string, params: Record<string, unknown>) => {
    const id = all.length + 1
    const timestamp = new Date(Date.now() - (60 - id) * 60_000).toISOString()
    all.push({ id, type: 'notification', timestamp, notification: { jsonrpc: '2.0', method, params }, by })
  }
  const file = (path: string, now: object, was: object | null) => ({
    path,
    action: was ? 'modified' : 'created',
    ...now,
    was,
  })
  const [old, now, half] = [
    await entry(dateBefore),
    await entry(dateAfter),
    await entry(dateBefore.replace('last = 1', 'last = 3')),
  ]
  const [blue, red] = [await entry(await picture('#2b5cc7')), await entry(await picture('#b3261e'))]
  const [readme, gone] = [
    await entry('# Times\n\nOne way to show them.\n'),
    await entry('export const old = true\n'),
  ]
  const others = await Promise.all(
    Array.from(
      { length: 60 },
      async (_, n) => [`src/zones/zone-${n}.ts`, await entry(`export const n = ${n}\n`)] as const,
    ),
  )
  say(laptop, '_posthog/device_start', { deviceId: 'dev_laptop00', name: 'Mira’s laptop' })
  say(laptop, '_posthog/file_sync', {
    files: [
      file('src/words/date-in-words.ts', old, null),
      file('docs/logo.png', blue, null),
      file('README.md', readme, null),
      file('src/old.ts', gone, null),
      ...others.map(([path, one]) => file(path, one, null)),
    ],
  })
  say(laptop, '_posthog/user_message', { content: 'Show all times in one way, and say how in the README' })
  say(runner, '_posthog/ack', { for: '_posthog/user_message', id: 3 })
  say(runner, '_posthog/file_change', file('src/words/date-in-words.ts', half, old))
  say(runner, '_posthog/git_commit', { sha: 'abcdef12', kind: 'checkpoint', upTo: 5, number: 1 })
  say(runner, '_posthog/file_change', file('src/words/date-in-words.ts', now, half))
  say(runner, '_posthog/file_change', file('docs/logo.png', red, blue))
  say(runner, '_posthog/file_change', {
    path: 'src/old.ts',
    action: 'deleted',
    was: { mode: gone.mode, hash: gone.hash },
  })
  say(
    runner,
    '_posthog/file_change',
    file('src/words/zone-in-words.ts', await entry('export const zone = 1\n'), null),
  )
  say(runner, '_posthog/file_change', file('tool.bin', await entry(Uint8Array.from([0, 1, 2, 3])), null))
  say(
    runner,
    '_posthog/file_change',
    file('README.md', await entry('# Times\n\nOne way to show them: `dayInWords`.\n'), readme),
  )
  return all
}

/** A hub that has only these contents. */
const answer: typeof fetch = async (_, init) => {
  const { hashes } = JSON.parse(String(init?.body ?? '{}')) as { hashes?: string[] }
  if (!hashes) return Response.json({ ids: [99], lastEventId: 99, duplicate: false })
  const found = hashes.map((hash) => ({ hash: hash as never, bytes: blobs.get(hash)! }))
  return new Response(new Blob(packPieces(found) as BlobPart[]))
}

export const madeUpFiles: FilesSource = {
  hub: { url: location.origin, fetch: answer },
  at: { project: 'prj_madeup01', task: 'tsk_madeup01', run: 'run_madeup01' } as unknown as RunAddress,
  listen(take) {
    void events().then(take)
    return () => {}
  },
}
