import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * What an agent needs on disk when it starts, all with absolute paths: folders, files with their text, links with
 * their targets.
 */
type FilesToInstall = {
  folders: readonly string[]
  files: Readonly<Record<string, string>>
  links: Readonly<Record<string, string>>
}

/**
 * Creates everything. Files and links are replaced; where something else stands in the place of a link, it is the
 * agent's own and stays.
 */
export function installFiles({ folders, files, links }: FilesToInstall): void {
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    // Not through a link: an agent could make this write elsewhere.
    rmSync(file, { force: true })
    writeFileSync(file, text, { mode: text.startsWith('#!') ? 0o700 : 0o600, flag: 'wx' })
  }
  for (const [at, to] of Object.entries(links)) {
    mkdirSync(path.dirname(at), { recursive: true, mode: 0o700 })
    const there = lstatSync(at, { throwIfNoEntry: false })
    if (there && !there.isSymbolicLink()) continue
    if (there) rmSync(at)
    symlinkSync(to, at)
  }
}
