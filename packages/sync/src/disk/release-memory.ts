import { createRequire } from 'node:module'
import process from 'node:process'

const require = createRequire(import.meta.url)

/**
 * Gives back to the system what this thread took for work that is over: left alone, the engine keeps it until it needs
 * even more. Takes a moment, longer than any answer should, so it is for when there is nothing to do.
 */
export async function releaseMemory(): Promise<void> {
  await collect()
  trim()
}

async function collect(): Promise<void> {
  try {
    const { Session } = require('node:inspector') as typeof import('node:inspector')
    const session = new Session()
    session.connect()
    // Unlike a collection that is forced in other ways, this one also makes the heap as small as what is in it.
    await new Promise((resolve) => session.post('HeapProfiler.collectGarbage', resolve))
    session.disconnect()
  } catch {
    // Some builds of Node have no inspector: then the engine gives it back when it sees fit.
  }
}

/** Also what was freed in between things that are still in use, where the C library can be asked to. */
function trim(): void {
  if (process.platform !== 'linux') return
  try {
    const koffi = require('koffi') as typeof import('koffi')
    koffi.load(null).func('int malloc_trim(size_t)')(0)
  } catch {
    // That library is optional, and other C libraries have no such call.
  }
}
