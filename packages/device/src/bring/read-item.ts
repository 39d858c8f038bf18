import { createHash, hash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { userSetupLimits } from '@farhand/protocol/methods/setup'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { pathProblem } from '@farhand/protocol/wire/path-problem'
import { agentSetups, forAllAgents } from '@farhand/runner/bring/agent-setups'
import { secretsIn } from '../secret-scan/secrets-in.ts'
import { type Home, placeOf, type SetupItem } from './find-setup.ts'

export type ReadFile = { path: string; bytes: Uint8Array; hash: BlobHash; mode: '644' | '755' }

/** An item with its files, or why it is not brought: `why` names the file and, for a secret, the line. */
export type ReadItem = { files: ReadFile[]; digest: string } | { why: string[] }

class NotBrought extends Error {}

// Not written by the user.
const passedOver = new Set(['.git', '.DS_Store', 'node_modules', '__pycache__'])

/**
 * Reads an item. A single file that looks like a secret, is a symlink to elsewhere, or is too large excludes the whole
 * item.
 */
export function readItem({ path: at }: Pick<SetupItem, 'path'>, here: Home): ReadItem {
  const files: ReadFile[] = []
  try {
    walk(at, allowedFolders(here), here, files)
  } catch (error) {
    if (!(error instanceof NotBrought)) throw error
    return { why: [error.message] }
  }
  if (files.length === 0) return { why: [`${at} does not exist, or is empty`] }
  const why = files.flatMap(({ path: file, bytes }) =>
    secretsIn(file, Buffer.from(bytes).toString('utf8')).map(({ line, kind }) =>
      line === 0 ? `${file} is called like ${kind}` : `${file}, line ${line}: ${kind}`,
    ),
  )
  if (why.length > 0) return { why }
  const all = createHash('sha256')
  for (const { path: file, hash, mode } of files) all.update(`${file}\0${mode}\0${hash}\n`)
  return { files, digest: all.digest('hex') }
}

function walk(at: string, allowed: readonly string[], here: Home, files: ReadFile[]): void {
  const place = placeOf(at, here)
  const real = realOf(place)
  if (real === null) return
  if (!allowed.some((folder) => real === folder || real.startsWith(folder + path.sep)))
    throw new NotBrought(`${at} is a link to ${real}, outside the setup folders of agents`)
  const wrong = pathProblem(at)
  if (wrong) throw new NotBrought(`${at}: ${wrong}`)
  const stat = statSync(real)
  if (stat.isDirectory()) {
    for (const name of readdirSync(real).sort())
      if (!passedOver.has(name)) walk(`${at}/${name}`, allowed, here, files)
    return
  }
  if (!stat.isFile()) throw new NotBrought(`${at} is no file`)
  if (stat.size > userSetupLimits.fileBytes) throw new NotBrought(`${at} is larger than 1 MiB`)
  if (files.length >= userSetupLimits.files)
    throw new NotBrought(`it has more than ${userSetupLimits.files} files`)
  const bytes = readFileSync(real)
  const name = BlobHash.parse(`sha256_${hash('sha256', bytes, 'hex')}`)
  files.push({ path: at, bytes, hash: name, mode: stat.mode & 0o111 ? '755' : '644' })
}

/** The real paths of the setup folders: symlinks may lead only between them. */
function allowedFolders(here: Home): string[] {
  const setups = Object.values(agentSetups)
  const folders = [
    ...forAllAgents.skills,
    ...forAllAgents.instructions,
    ...setups.flatMap(({ skills, own, instructions }) => [...skills, ...own, instructions]),
  ]
  const home = realOf(here.home) ?? here.home
  // A setup folder that is itself a symlink would allow its target.
  return [...new Set(folders)].flatMap((folder) => {
    const place = placeOf(folder, here)
    const real = realOf(place)
    const asked = place.startsWith(here.home + path.sep) ? home + place.slice(here.home.length) : place
    return real === null || real !== asked ? [] : [real]
  })
}

function realOf(place: string): string | null {
  try {
    return realpathSync(place)
  } catch {
    return null
  }
}
