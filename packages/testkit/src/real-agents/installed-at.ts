import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** A program from npm that is no dependency of ours: what to install, in exactly these versions. */
export type Installable = { id: string; packages: Readonly<Record<string, string>> }

/** Where such programs lie in a clone. */
export const agentShelf = fileURLToPath(new URL('../../../../.cache/agents', import.meta.url))

/** Where such a program is once it is installed; another version, or one for another system, is another folder. */
export function installedAt({ id, packages }: Installable, shelf = agentShelf): string {
  const what = JSON.stringify([packages, process.platform, process.arch])
  return path.join(shelf, `${id}-${createHash('sha256').update(what).digest('hex').slice(0, 8)}`)
}

/** Whether it is there with all that was asked for; a program that asks for nothing always is. */
export function isInstalled(wanted: Installable, shelf = agentShelf): boolean {
  const installed = installedAt(wanted, shelf)
  return Object.entries(wanted.packages).every(([name, version]) => versionIn(installed, name) === version)
}

function versionIn(installed: string, name: string): unknown {
  try {
    const manifest = readFileSync(path.join(installed, 'node_modules', name, 'package.json'), 'utf8')
    return JSON.parse(manifest).version
  } catch {
    return null
  }
}
