import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { runChild } from '../processes/run-child.mjs'

/**
 * Makes the archive that npm installs from the files that `stage` puts into an empty folder, and returns its path.
 * @param {(folder: string) => Promise<void>} stage
 * @param {string} into
 * @returns {Promise<{ file: string, bytes: number, unpackedBytes: number }>}
 */
export async function packFolder(stage, into) {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-pack-'))
  try {
    await stage(folder)
    await mkdir(into, { recursive: true })
    const args = [
      'pack',
      folder,
      '--json',
      '--ignore-scripts',
      '--loglevel=error',
      '--pack-destination',
      into,
    ]
    const cli = process.env.npm_execpath
    const [file, rest] = cli?.endsWith('.js') ? [process.execPath, [cli, ...args]] : ['npm', args]
    const shell = file === 'npm' && process.platform === 'win32'
    const { code, output } = await runChild(file, rest, { cwd: folder, shell, patienceMs: 2_000 })
    if (code !== 0) throw new Error(`npm pack failed: ${output.trim()}`)
    const [packed] = JSON.parse(output.slice(output.indexOf('[')))
    return { file: path.join(into, packed.filename), bytes: packed.size, unpackedBytes: packed.unpackedSize }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
