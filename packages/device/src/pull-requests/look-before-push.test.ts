import { expect, it } from 'vitest'
import { changedHooks } from './look-before-push.ts'

it('hooks that a run has changed are those below where git looks for them, or beside that if it only leads there', () => {
  const changed = ['.husky/pre-push', '.husky/_/h', 'hooks/pre-push', 'hooksmith', 'a.txt']
  const at = (hooksPath: string) => changedHooks(hooksPath, '/top', changed)
  expect(at('')).toEqual([])
  expect(at('/usr/share/hooks')).toEqual([])
  expect(at('../hooks')).toEqual([])
  expect(at('.git/hooks')).toEqual([])
  expect(at('hooks')).toEqual(['hooks/pre-push'])
  expect(at('/top/hooks/')).toEqual(['hooks/pre-push'])
  expect(at('.husky/_')).toEqual(['.husky/pre-push', '.husky/_/h'])
  expect(at('.')).toEqual(changed)
})
