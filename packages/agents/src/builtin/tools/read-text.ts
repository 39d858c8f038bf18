import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'

const mostBytes = 5_000_000

/** The text of a file; null if there is none. Throws for what is no text, and for more than a model could use. */
export async function readText(file: string, name: string): Promise<string | null> {
  try {
    // A promise for each of thousands of files would take longer than the files: a search reads them all.
    const about = statSync(file)
    const { size } = about
    if (about.isDirectory()) throw new Error(`${name} is a folder`)
    // A pipe would never come to its end.
    if (!about.isFile()) throw new Error(`${name} is not a regular file`)
    if (size > mostBytes) throw new Error(`${name} has ${size} bytes, too many: use search, or the shell`)
    const bytes = readFileSync(file)
    // Read all the same, it would be written back with other bytes than it had.
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
