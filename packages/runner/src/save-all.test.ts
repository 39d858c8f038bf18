import { expect, it } from 'vitest'
import { saveAll, type ToSave } from './save-all.ts'

/** Each of these takes a while, and notes when it begins and when it is done. */
function noting(): { told: string[]; all: ToSave } {
  const told: string[] = []
  const slowly = (what: string) => async () => {
    told.push(what)
    await new Promise(setImmediate)
    told.push(`${what} is saved`)
  }
  const all = {
    setup: { stop: slowly('setup') },
    host: { stop: slowly('agent') },
    memory: { saved: slowly('memory') },
    shells: { stop: slowly('shells') },
    answers: { idle: slowly('answers') },
    settled: slowly('files'),
    checkpoints: { last: slowly('checkpoint') },
  }
  return { told, all }
}

const both = (what: string) => [what, `${what} is saved`]

it('nothing is saved before all that could still change it has come to rest', async () => {
  const { told, all } = noting()
  await saveAll(all)
  const order = ['setup', 'agent', 'memory', 'shells', 'answers', 'files', 'checkpoint']
  expect(told).toEqual(order.flatMap(both))
})

it('a runner without memory and checkpoints saves the rest', async () => {
  const { told, all } = noting()
  await saveAll({ ...all, memory: null, checkpoints: null })
  expect(told).toEqual(['setup', 'agent', 'shells', 'answers', 'files'].flatMap(both))
})

it('a failure to save is reported, and the runner does not go on as if all were saved', async () => {
  const { told, all } = noting()
  const failing = { ...all, memory: { saved: () => Promise.reject(new Error('no room')) } }
  await expect(saveAll(failing)).rejects.toThrow('no room')
  expect(told).toEqual(['setup', 'agent'].flatMap(both))
})
