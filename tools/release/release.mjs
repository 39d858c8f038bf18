import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packFolder } from '../pack/pack-folder.mjs'
import { stageClient } from '../pack/stage-client.mjs'
import { stageFarhand } from '../pack/stage-farhand.mjs'
import { root } from '../prepare.mjs'
import { withProgress } from '../processes/progress.mjs'
import { changelogWith, isOlder, manifestWith } from './next-version.mjs'

/**
 * Which files of the clone a release changes, and what they say then. Throws a sentence if there can be no such release.
 * @param {string} version
 * @param {string} day
 * @returns {Map<string, string>}
 */
export function changesFor(version, day) {
  const at = JSON.parse(read('package.json')).version
  if (isOlder(version, at)) throw new Error(`${version} is older than ${at}, which this clone is.`)
  const dirty = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trim()
  if (dirty !== '')
    throw new Error(`Commit or remove these changes first, a release is what is committed:\n${dirty}`)
  const packages = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/package.json`)
  const manifests = ['package.json', 'package-lock.json', ...packages]
  const changed = manifests.map((name) => /** @type {const} */ ([name, manifestWith(read(name), version)]))
  return new Map([...changed, ['CHANGELOG.md', changelogWith(read('CHANGELOG.md'), version, day)]])
}

/**
 * Writes what changes, and the archives with their checksums and licences into `release/<version>`. If anything fails, the files of
 * the clone are as they were before, and the folder is not there.
 * @param {string} version
 * @param {ReadonlyMap<string, string>} changes
 */
export async function release(version, changes) {
  const before = [...changes.keys()].map((name) => /** @type {const} */ ([name, read(name)]))
  mkdirSync(path.join(root, 'release'), { recursive: true })
  const draft = mkdtempSync(path.join(root, 'release', '.draft-'))
  const putBack = () => {
    for (const [name, text] of before) writeFileSync(path.join(root, name), text)
    rmSync(draft, { recursive: true, force: true })
  }
  const interrupted = () => {
    putBack()
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  try {
    for (const [name, text] of changes) writeFileSync(path.join(root, name), text)
    await withProgress('Packing the command', () => packFolder(stagedWithLicences, draft))
    await withProgress('Packing the client', () => packFolder(stageClient, draft))
    const archives = readdirSync(draft).sort()
    writeFileSync(path.join(draft, 'SHA256SUMS'), archives.map((name) => sumOf(draft, name)).join(''))
    const into = path.join(root, 'release', version)
    rmSync(into, { recursive: true, force: true })
    renameSync(draft, into)
    return into
  } catch (error) {
    putBack()
    throw error
  } finally {
    process.off('SIGINT', interrupted)
  }

  async function stagedWithLicences(/** @type {string} */ folder) {
    await stageFarhand(folder)
    writeFileSync(path.join(draft, 'THIRD-PARTY.txt'), readFileSync(path.join(folder, 'THIRD-PARTY.txt')))
  }
}

/** A line that `sha256sum --check` reads. @param {string} folder @param {string} name */
function sumOf(folder, name) {
  const sum = createHash('sha256')
    .update(readFileSync(path.join(folder, name)))
    .digest('hex')
  return `${sum}  ${name}\n`
}

const read = (/** @type {string} */ name) => readFileSync(path.join(root, name), 'utf8')
