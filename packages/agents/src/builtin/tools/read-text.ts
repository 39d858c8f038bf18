import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'

const mostBytes = 5_000_000

/** The text of a file; null if it does not exist. Throws for a file that is not text, or too large for a model. */
export async function readText(file: string, name: string): Promise<string | null> {
  try {
    // Synchronous: for the thousands of files of a search, promises would take longer than reading.
    const about = statSync(file)
    const { size } = about
    if (about.isDirectory()) throw new Error(`${name} is a folder`)
    // Reading a pipe would never end.
    if (!about.isFile()) throw new Error(`${name} is not a regular file`)
    if (size > mostBytes) throw new Error(`${name} has ${size} bytes, too many: use search, or the shell`)
    const bytes = readFileSync(file)
    // Decoded anyway, it would be written back with other bytes.
    if (bytes.subarray(0, 8_000).includes(0) || !isUtf8(bytes))
      throw new Error(`${name} is not text in UTF-8`)
    return bytes.toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') throw new Error(`${name}: a file is where a folder should be`)
    throw error
  }
}
