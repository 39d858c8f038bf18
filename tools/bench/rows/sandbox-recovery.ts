import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { PlaceUnderTest } from '@farhand/runner/checkpoints/place-under-test'
import { lazily } from '../lazily.ts'
import { commandMs } from '../load/command-ms.ts'
import { planTree, type Tree, writeTree } from '../load/tree.ts'
import { startHub } from '../peers/hub.ts'
import { interleave } from '../rounds.ts'
import type { Bench, Row } from '../row.ts'

const ours = 'farhand, in an empty place'
const theirs = 'git clone and copy'
const dirtyFiles = 200

/** A place of its own: a workspace and what its runner remembers. */
function newPlace(bench: Bench, name: string): PlaceUnderTest {
  const home = join(bench.folder, name)
  mkdirSync(home)
  return new PlaceUnderTest(home)
}

/** A run with a checkpoint of the tree, and files that were changed after it. Its place is gone. */
async function lostPlace(bench: Bench, tree: Tree, dirty: readonly string[], origin: string) {
  const hub = await startHub(bench, join(bench.folder, 'hub'))
  const project = await createProject(hub, { name: 'recovery' })
  const task = await createTask(hub, project.id, { title: 'recovery' })
  const at = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
  const run = { hub: { url: hub.url, token: hub.token }, at }
  const place = newPlace(bench, 'first')
  writeTree(place.root, tree)
  for (const words of ['init -q', 'add -A', 'commit -q -m tree', 'gc -q']) place.git(...words.split(' '))
  await commandMs(bench.children, 'git', ['clone', '-q', '--bare', place.root, origin])
  await place.begin(run)
  const started = performance.now()
  await place.checkpoint()
  bench.say(`the checkpoint took ${Math.round(performance.now() - started)} ms`)
  for (const [n, path] of dirty.entries()) place.write(path, `${n} is dirty\n`.repeat(200))
  await place.settled()
  for (const path of dirty) {
    mkdirSync(dirname(join(bench.folder, 'dirty', path)), { recursive: true })
    cpSync(join(place.root, path), join(bench.folder, 'dirty', path))
  }
  await place.die()
  return run
}

export const sandboxRecovery: Row = {
  name: 'sandbox-recovery',
  title: 'A sandbox is gone: its 5,000 files, 200 of them changed since the checkpoint, in an empty one',
  peers: [],
  inMemory: true,
  async run(bench) {
    const tree = planTree({ files: 5_000, folders: 550, bytes: 55e6 })
    const every = tree.files.length / dirtyFiles
    const dirty = tree.files.filter((_, n) => n % every === 0).map(({ path }) => path)
    const origin = join(bench.folder, 'origin.git')
    const lost = lazily(() => lostPlace(bench, tree, dirty, origin))
    const recover = async () => {
      const run = await lost()
      const place = newPlace(bench, 'next')
      const started = performance.now()
      try {
        await place.begin(run)
        const ms = performance.now() - started
        if (place.brought.length !== dirty.length)
          throw new Error(`${place.brought.length} files were fetched`)
        return { ms }
      } finally {
        await place.die()
      }
    }
    const clone = async () => {
      await lost()
      const to = join(bench.folder, 'clone')
      const words = 'git clone -q "file://$0" "$1" && cp -a "$2/." "$1"'
      const ms = await commandMs(bench.children, 'sh', ['-c', words, origin, to, join(bench.folder, 'dirty')])
      rmSync(to, { recursive: true })
      return { ms }
    }
    const entries = [
      { name: ours, measure: recover },
      { name: theirs, measure: clone },
    ]
    const text = 'recovery at most 2x of a clone and a copy of what was changed'
    return {
      figures: await interleave(entries, bench.quick ? 2 : 7, bench.say),
      goals: [{ text, metric: 'ms', hub: ours, over: theirs, atMost: 2 }],
      notes: [
        "Ours is the runner's part, without its program being loaded: the log is read, the bundle fetched from the hub and taken in, `.git` put back with its index, the files checked out, those that changed later fetched, the folder watched, and all of it told in the log. The clone comes from a bare repository in the same memory through git's own protocol; the 200 files are copied by `cp`.",
      ],
    }
  },
}
