import { onTestFinished } from 'vitest'
import { FolderUnderTest } from '../engine/folder-sync-under-test.ts'
import { memoryContract } from '../engine/memory.contract.ts'
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
