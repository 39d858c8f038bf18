import { expect, it } from 'vitest'
import { isUntouched, markedSkill, skillStep } from './skill-file.ts'

const first = '---\nname: a\ndescription: b\n---\n\n# One\n\nRead this.\n'
const second = first.replace('Read this.', 'Read that.')

it('a skill is written once, and left alone while it is the same', () => {
  expect(skillStep(null, first)).toBe('write')
  expect(skillStep(markedSkill(first), first)).toBe('none')
})

it('an older version that the user has not touched is replaced without a question, also after git changed its line ends', () => {
  const there = markedSkill(first)
  expect(skillStep(there, second)).toBe('update')
  expect(skillStep(there.replaceAll('\n', '\r\n'), second)).toBe('update')
  expect(skillStep(there.replaceAll('\n', '\r\n'), first)).toBe('none')
})

it('the user is asked before a changed or foreign file is replaced', () => {
  const there = markedSkill(first)
  expect(skillStep(there.replace('Read this.', 'Never read this.'), second)).toBe('ask')
  expect(skillStep(there.replace('name: a', 'name: c'), second)).toBe('ask')
  expect(skillStep(first, second)).toBe('ask')
  expect(skillStep('', second)).toBe('ask')
})

it('a file is not taken for ours because of a digest that belongs to another text', () => {
  const [line = ''] = /\n {2}farhand-digest: .*/.exec(markedSkill(first)) ?? []
  const forged = markedSkill(second).replace(/\n {2}farhand-digest: .*/, line)
  expect(isUntouched(forged)).toBe(false)
})
