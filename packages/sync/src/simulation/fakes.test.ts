import type { Author } from '@farhand/protocol/wire/event'
import { wireName } from '@farhand/protocol/wire/wire-names'
import { onTestFinished } from 'vitest'
import { diskFolderContract } from '../engine/disk-folder.contract.ts'
import { FolderUnderTest } from '../engine/folder-sync-under-test.ts'
import { hubFolderContract } from '../engine/hub-folder.contract.ts'
import { memoryContract } from '../engine/memory.contract.ts'
import { at } from '../hub/run-under-test.ts'
import { bytesOf, entryOf, sizeOf } from './contents.ts'
import { FakeDisk } from './fake-disk.ts'
import { FakeHub } from './fake-hub.ts'
import { FakeMemory } from './fake-memory.ts'
import { type Life, Scheduler } from './scheduler.ts'

const live = (name: string): Life => ({ name, isDead: false, stop: new AbortController() })

/** A scheduler that goes on by itself until the test is over. */
function running(): Scheduler {
  const scheduler = new Scheduler(Math.random)
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  const go = async () => {
    while (!isOver) await scheduler.step()
  }
  void go()
  return scheduler
}

memoryContract('in a simulation', () => {
  const memory = new FakeMemory(running())
  return () => memory.port(live('laptop'), () => {})
})

memoryContract('in tests of the engine', () => {
  const folder = new FolderUnderTest()
  return () => folder.memory()
})

hubFolderContract('in a simulation', async () => {
  const hub = new FakeHub(running(), [])
  const folder = (name: string, author: Author) =>
    hub.port(live(name), author, (by) => JSON.stringify(by) === JSON.stringify(author))
  return {
    device: (name) => folder(name, { kind: 'device', id: `dev_${name}` }),
    runner: async () => {
      hub.generation += 1
      const { generation } = hub
      hub.append({ kind: 'hub' }, wireName('session_start'), { generation })
      return folder('runner', { kind: 'runner', generation })
    },
    entry: (word) => entryOf({ word, mode: '100644' })!,
    bytes: bytesOf,
    size: sizeOf,
    large: 'bigL',
  }
})

diskFolderContract('in a simulation', () => {
  const scheduler = running()
  const disk = new FakeDisk(scheduler, 'laptop', () => ({ at: 0, isMet: true }))
  disk.isUnreliable = false
  let life = live('laptop')
  return {
    open: async () => {
      scheduler.kill(life)
      life = live('laptop')
      return disk.port(life, () => {})
    },
    write: (path, word, mode = '100644') => disk.write(at(path), { word, mode }),
    remove: (path) => disk.remove(at(path)),
    holds: () => Object.fromEntries([...disk.files].map(([path, file]) => [path, entryOf(file)!])),
    entry: (word, mode = '100644') => entryOf({ word, mode })!,
    bytes: bytesOf,
    size: sizeOf,
    large: 'bigL',
  }
})
