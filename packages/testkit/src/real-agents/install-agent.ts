import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program from npm that is no dependency of ours: what to install, in exactly these versions. */
export type Installable = { id: string; packages: Readonly<Record<string, string>> }

const shelf = fileURLToPath(new URL('../../../../.cache/agents', import.meta.url))

/** Where such a program is once it is installed; another version is another folder. */
export function installedAt({ id, packages }: Installable): string {
  const versions = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 8)
  return path.join(shelf, `${id}-${versions}`)
}

export const isInstalled = (wanted: Installable): boolean => existsSync(installedAt(wanted))

/** Installs it unless it is there. Several may do so at once; throws what npm said if it cannot be had. */
export async function installAgent(wanted: Installable): Promise<void> {
  if (isInstalled(wanted)) return
  mkdirSync(shelf, { recursive: true })
  const draft = mkdtempSync(path.join(shelf, `.${wanted.id}-`))
  try {
    writeFileSync(
      path.join(draft, 'package.json'),
      JSON.stringify({ private: true, dependencies: wanted.packages }),
    )
    await npmInstall(draft)
    renameSync(draft, installedAt(wanted))
  } catch (error) {
    // Somebody else may have been faster; theirs is as good.
    if (!isInstalled(wanted)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function npmInstall(cwd: string): Promise<void> {
  // None of them needs its scripts, and some would compile for minutes.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const child = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `npm ended with ${code}`)),
    )
  })
}
