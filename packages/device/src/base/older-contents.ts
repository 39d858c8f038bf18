import type { GitEnv } from '../git/run-git.ts'
import { wholeHistoryBytes } from './bundle-history.ts'
import { readRepository } from './read-repository.ts'
import { refsToSend } from './refs-to-send.ts'

/** A content that the commits of a folder have, but its files no longer do. */
export type OlderContent = { blob: string; path: string; text: string }

export type OlderContents = {
  /** The newest commits that will be sent. */
  tips: string[]
  /** How many contents should have been scanned but are too large or too many. */
  unread: number
  /** How many older commits are sent unscanned, at most `mostCounted`. */
  unreadCommits: number
}

export type OlderOptions = {
  env: GitEnv
  signal: AbortSignal
  /** Commits that were scanned before, with all their ancestors. */
  known: readonly string[]
  isWorthReading: (path: string, bytes: number) => boolean
  take: (content: OlderContent) => void
  mostCommits?: number
  /** A limit, because counting hundreds of thousands of commits takes seconds. */
  mostCounted?: number
  mostBytes?: number
}

type Named = { blob: string; path: string }

/**
 * Passes contents to `take` that the commits and the index of a folder have but its files do not, newest first, within
 * limits. Null if the folder has no repository to send.
 */
export async function olderContents(folder: string, options: OlderOptions): Promise<OlderContents | null> {
  const { env, signal, known, isWorthReading, take } = options
  const { mostCommits = 2_000, mostCounted = 20_000, mostBytes = 16 * 1024 * 1024 } = options
  const repository = await readRepository(folder, env, signal)
  if (repository?.format !== 'sha1') return null
  const { git, head } = repository
  const refs = refsToSend(repository.refs, repository).map(({ commit }) => commit)
  const tips = [...new Set([...(head ? [head] : []), ...refs])]
  // Most runs begin at the same commits as the one before: then nothing has to be scanned.
  if (known.length > 0 && tips.every((tip) => known.includes(tip)))
    return { tips, unread: 0, unreadCommits: 0 }
  const news = [...tips, '--not', ...known]
  const [older, changed, counted] = await Promise.all([
    // The contents of HEAD are in the files, except changed ones.
    head ? git(...listed, `--max-count=${mostCommits}`, ...news, `${head}^{tree}`) : Buffer.from(''),
    unlikeFiles(git, head),
    // Of a larger history only the newest commits are sent.
    head && repository.storedBytes <= wholeHistoryBytes
      ? git('rev-list', '--ignore-missing', '--count', `--max-count=${mostCommits + mostCounted}`, ...news)
      : Buffer.from('0'),
  ])
  const all = distinct([...changed, ...namedIn(older)]).filter(({ path }) => isWorthReading(path, 1))
  const ask = (input: string, ...args: string[]) => repository.ask(input, 'cat-file', ...args)
  const sizes = sizesIn(await ask(linesOf(all), '--batch-check=%(objectname) %(objecttype) %(objectsize)'))
  const read: Named[] = []
  let bytes = 0
  for (const one of all) {
    const size = sizes.get(one.blob)
    if (size === undefined || !isWorthReading(one.path, size) || bytes + size > mostBytes) continue
    bytes += size
    read.push(one)
  }
  const contents =
    read.length > 0 ? contentsIn(await ask(linesOf(read), '--batch')) : new Map<string, string>()
  for (const one of read) take({ ...one, text: contents.get(one.blob) ?? '' })
  const unreadCommits = Math.max(0, Number(counted.toString('utf8')) - mostCommits)
  const unread = all.filter(({ blob }) => (sizes.get(blob) ?? 0) > 0).length - read.length
  return { tips, unread, unreadCommits }
}

// Objects that only the remote has are not fetched: they are not sent either.
const listed = ['rev-list', '--objects', '--missing=print', '--ignore-missing']

/** Contents that HEAD has and the index does not, and that the index has and the files do not. */
async function unlikeFiles(git: (...args: string[]) => Promise<Buffer>, head: string | null) {
  const raw = ['--raw', '-z', '--no-renames', '--abbrev=40']
  const told = await Promise.all([
    head ? git('diff-index', '--cached', ...raw, head) : Buffer.from(''),
    git('diff-files', ...raw),
  ])
  return told.flatMap((buffer) => {
    const words = buffer.toString('utf8').split('\0')
    const named: Named[] = []
    for (let n = 0; n + 1 < words.length; n += 2) {
      const blob = words[n]!.split(' ')[2] ?? ''
      if (!/^0+$/.test(blob)) named.push({ blob, path: words[n + 1]! })
    }
    return named
  })
}

const namedIn = (printed: Buffer): Named[] =>
  printed
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, blob, path] = /^([0-9a-f]{40}) (.+)$/.exec(line) ?? []
      return blob && path ? [{ blob, path }] : []
    })

const distinct = (all: readonly Named[]) => [...new Map(all.map((one) => [one.blob, one])).values()]

const linesOf = (all: readonly Named[]) => all.map(({ blob }) => `${blob}\n`).join('')

/** The sizes of blobs; the input also lists trees. */
const sizesIn = (printed: Buffer) =>
  new Map(
    printed
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [, blob, size] = /^([0-9a-f]{40}) blob (\d+)$/.exec(line) ?? []
        return blob && size ? [[blob, Number(size)] as const] : []
      }),
  )

function contentsIn(printed: Buffer): Map<string, string> {
  const contents = new Map<string, string>()
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf('\n', at)
    const [, blob, size] = /^([0-9a-f]{40}) \w+ (\d+)$/.exec(printed.toString('latin1', at, end)) ?? []
    if (!blob || !size) break
    const begin = end + 1
    contents.set(blob, printed.toString('utf8', begin, begin + Number(size)))
    at = begin + Number(size) + 1
  }
  return contents
}
