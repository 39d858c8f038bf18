import { seededRandom } from '@farhand/kit/seeded-random'
import { describe, expect, it } from 'vitest'
import { spreadFiles } from './edits.ts'
import { freshText } from './fresh-text.ts'
import { bigTree, planTree } from './tree.ts'

describe('planTree', () => {
  const tree = planTree(bigTree)

  it('is the same tree each time it is asked for', () => {
    expect(planTree(bigTree)).toEqual(tree)
  })

  it('has as many files and about as many bytes as it was asked for, most files small and a few large', () => {
    const sizes = tree.files.map((file) => file.bytes).sort((a, b) => a - b)
    const sum = sizes.reduce((total, bytes) => total + bytes, 0)
    expect(new Set(tree.files.map((file) => file.path)).size).toBe(13_500)
    expect(tree.folders).toHaveLength(1_500)
    expect(Math.abs(sum - 149e6)).toBeLessThan(1e5)
    expect(sizes[6_750]).toBeLessThan(sum / 13_500 / 2)
    expect(sizes.at(-1)).toBeGreaterThan(200_000)
  })

  it('the files to be edited lie in folders of their own, all over the tree', () => {
    const files = spreadFiles(tree.files, 20)
    expect(new Set(files.map((file) => file.slice(0, file.lastIndexOf('/')))).size).toBe(20)
  })
})

describe('freshText', () => {
  it('gives as many bytes as asked for, and never the same twice', () => {
    const next = seededRandom(7)
    const texts = Array.from({ length: 1_000 }, () => freshText(64, next).toString('latin1'))
    expect(new Set(texts).size).toBe(1_000)
    expect(freshText(3e6, next)).toHaveLength(3e6)
    expect(freshText(1, next)).toHaveLength(1)
  })
})
