import { getHeapStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { releaseMemory } from './release-memory.ts'

const heapBytes = () => getHeapStatistics().total_heap_size

it('memory that was taken for finished work is given back', async () => {
  const work = (files: number) => Array.from({ length: files }, (_, n) => ({ path: `folder/file-${n}`, n }))
  await releaseMemory()
  const before = heapBytes()
  expect(work(500_000)).toHaveLength(500_000)
  const after = heapBytes()
  await releaseMemory()
  expect(heapBytes() - before).toBeLessThan((after - before) / 4)
})
