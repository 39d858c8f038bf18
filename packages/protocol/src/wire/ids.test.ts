import { describe, expect, it } from 'vitest'
import { newId, ProjectId, RunId, randomName } from './ids.ts'

describe('ids', () => {
  it('W1 are a prefix and letters or digits', () => {
    expect(newId(RunId, 'run')).toMatch(/^run_[0-9A-Za-z]{22}$/)
    expect(RunId.safeParse(newId(ProjectId, 'prj')).success).toBe(false)
    for (const id of ['run_', 'run_1234567', 'run_../../x', 'run_12345678\n', `run_${'x'.repeat(65)}`]) {
      expect(RunId.safeParse(id).success, id).toBe(false)
    }
  })

  it('W1 are never made twice, and use every letter', () => {
    const names = Array.from({ length: 2000 }, () => randomName())
    expect(new Set(names).size).toBe(2000)
    expect(new Set(names.join('')).size).toBe(62)
    expect(randomName(5)).toHaveLength(5)
  })
})
