import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const textOf = (round: number) => `edited here in round ${round}\n`
const lineOf = (round: number) => `Round ${round}\n`
const modeOf = (round: number) => (round % 2 ? '100644' : '100755')
const removedIn = (round: number) => [`src/part-${(round % 38) + 3}.txt`, `drill/round-${round - 1}/1.txt`]

/** Edits the local folder, as its user might while the sandbox is gone. */
export function editLocally(root: string, round: number): void {
  mkdirSync(path.join(root, 'here'), { recursive: true })
  writeFileSync(path.join(root, `here/round-${round}.txt`), textOf(round))
  appendFileSync(path.join(root, 'README.md'), lineOf(round))
  chmodSync(path.join(root, 'run.sh'), modeOf(round) === '100755' ? 0o755 : 0o644)
  for (const file of removedIn(round)) rmSync(path.join(root, file), { force: true })
}

/** The tree of a folder before a round, and the content of the file that grows. */
export type FolderBefore = { lines: readonly string[]; readme: Uint8Array }

export const folderBefore = (root: string, lines: readonly string[]): FolderBefore => ({
  lines,
  readme: readFileSync(path.join(root, 'README.md')),
})

/**
 * What is wrong with a tree after a round: files that were lost, changed or came back. Other files that the agent made
 * are ignored.
 */
export function wrongAfter(
  { lines, readme }: FolderBefore,
  round: number,
  after: readonly string[],
): string[] {
  const should = new Map(lines.map((line) => [pathOf(line), line]))
  const set = (file: string, mode: string, bytes: Uint8Array | string) =>
    should.set(file, `${mode} sha256_${createHash('sha256').update(bytes).digest('hex')} ${file}`)
  set(`here/round-${round}.txt`, '100644', textOf(round))
  set('README.md', '100644', Buffer.concat([readme, Buffer.from(lineOf(round))]))
  should.set('run.sh', `${modeOf(round)}${should.get('run.sh')?.slice(6)}`)
  const gone = new Set<string>()
  for (let past = 1; past <= round; past++) for (const file of removedIn(past)) gone.add(file)
  for (const file of gone) should.delete(file)
  const has = new Map(after.map((line) => [pathOf(line), line]))
  const wrong = [...should].flatMap(([file, line]) => {
    if (has.get(file) === line) return []
    return [has.has(file) ? `${file} is not what it was` : `${file} is gone`]
  })
  return [...wrong, ...[...gone].filter((file) => has.has(file)).map((file) => `${file} came back`)]
}

const pathOf = (line: string) => line.split(' ').slice(2).join(' ')
