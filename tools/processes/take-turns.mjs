import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const heartbeatMs = 2_000
const silentMs = 20_000
const pollMs = 200

/**
 * Runs `work` while no other process runs its own under the same file; calls `onWait` once if it has to queue.
 * A holder that was killed does not block the next one: its process is gone, or its heartbeat has stopped.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: string) => void} [onWait]
 * @returns {Promise<T>}
 */
export async function takeTurns(file, work, onWait = () => {}) {
  mkdirSync(path.dirname(file), { recursive: true })
  const mine = `${process.pid} ${Date.now()} ${Math.random()}`
  for (let waited = false; !created(file, mine); ) {
    const holder = readOr(file, '')
    if (holder !== '' && isGone(file, holder)) {
      takeAway(file, holder)
      continue
    }
    if (!waited) onWait(holder.split(' ')[0] ?? '')
    waited = true
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  const heartbeat = setInterval(() => touch(file), heartbeatMs)
  const giveBack = () => {
    if (readOr(file, '') === mine) rmSync(file, { force: true })
  }
  // If the process is ended during the work, the next process need not wait until it notices that.
  process.once('exit', giveBack)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    process.off('exit', giveBack)
    giveBack()
  }
}

/** @param {string} file @param {string} content */
function created(file, content) {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content)
  try {
    // A link appears with its content: no other process can read an empty lock.
    linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** @param {string} file @param {string} holder */
function isGone(file, holder) {
  try {
    if (Date.now() - statSync(file).mtimeMs > silentMs) return true
    process.kill(Number(holder.split(' ')[0]), 0)
    return false
  } catch (error) {
    // EPERM is an answer from a living process of another user.
    return codeOf(error) !== 'EPERM'
  }
}

/** @param {string} file @param {string} holder */
function takeAway(file, holder) {
  const aside = `${file}.${process.pid}.gone`
  try {
    renameSync(file, aside)
  } catch {
    return // Another process was quicker, which is just as well.
  }
  // Between the check and the rename another process may have taken its turn: then the lock is put back.
  if (readOr(aside, '') !== holder) created(file, readOr(aside, ''))
  rmSync(aside, { force: true })
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // If another process took the lock away, this one notices it when it releases the lock.
  }
}

/** @param {string} file @param {string} otherwise */
function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : undefined)
