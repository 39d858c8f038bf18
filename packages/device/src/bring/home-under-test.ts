import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A temporary home with these files. */
export function homeWith(files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(path.join(tmpdir(), 'farhand-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  return { home, env: {}, write }
}
