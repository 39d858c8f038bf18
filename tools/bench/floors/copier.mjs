import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

// The floor for sync: one process, a watch per folder, each change read, written beside its target and renamed.
// It keeps no log, hashes nothing, remembers nothing and goes one way.
const [from = '', to = ''] = process.argv.slice(2)
let count = 0

/** @param {string} name */
function copy(name) {
  const stat = statSync(join(from, name), { throwIfNoEntry: false })
  if (stat === undefined) rmSync(join(to, name), { recursive: true, force: true })
  else if (stat.isDirectory()) follow(name)
  else {
    const staged = join(to, `.copier-${count++}`)
    writeFileSync(staged, readFileSync(join(from, name)))
    renameSync(staged, join(to, name))
  }
}

/** @param {string} folder */
function follow(folder) {
  mkdirSync(join(to, folder), { recursive: true })
  // The watch comes before the look: what is made in between is seen twice instead of never.
  const watcher = watch(join(from, folder), (_, name) => name !== null && copy(join(folder, name)))
  watcher.on('error', () => watcher.close())
  for (const name of readdirSync(join(from, folder))) copy(join(folder, name))
}

follow('.')
console.log(JSON.stringify({ ready: true }))
