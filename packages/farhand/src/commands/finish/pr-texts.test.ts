import { RunId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import { branchFor, titleFor } from './pr-texts.ts'

const run = RunId.parse('run_4fJ2aBcDeFgH')

it('a branch is called after what was asked for, in plain letters and not too long', () => {
  expect(branchFor('Fix the failing test!', run, false)).toBe('farhand/fix-the-failing-test')
  expect(branchFor('Füge Öl hinzu', run, false)).toBe('farhand/fuge-ol-hinzu')
  expect(branchFor('修复测试', run, false)).toBe('farhand/4fJ2aBcD')
  expect(branchFor('Fix it', run, true)).toBe('farhand/fix-it-4fJ2aBcD')
  const long = branchFor(`make ${'everything '.repeat(20)}`, run, false)
  expect(long).toMatch(/^farhand\/make(-everything)+$/)
  expect(long.length).toBeLessThan(60)
})

it('a title is one line of what was asked for, and there is one if nothing was', () => {
  expect(titleFor('Fix\nthe   test', run)).toBe('Fix the test')
  expect(titleFor(null, run)).toBe('What run_4fJ2aBcDeFgH has done')
  expect(titleFor('x'.repeat(200), run).length).toBe(72)
})
