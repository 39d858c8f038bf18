import { describe, expect, it } from 'vitest'
import { foldersOnAHub } from '../files/two-folders.ts'

const folders = foldersOnAHub()

/** Deep enough, and of names that fit nearly everything: a matcher that tries every way to fit never ends. */
const deep = `${'a/'.repeat(40)}leaf.txt`

describe('ignore rules that take a backtracking matcher for ever', () => {
  it.each([
    ['a/**/ twelve times', `${'a/**/'.repeat(12)}b\n`],
    ['a/**/ twelve times, as a rule that takes in', `*.log\n!${'a/**/'.repeat(12)}b\n`],
    ['stars between letters', `${'*a'.repeat(60)}*b\n`],
    ['stars between letters, below folders', `${'a/**/*a*'.repeat(12)}/b\n`],
    ['thousands of such rules', `${`${'a/**/'.repeat(12)}b\n`.repeat(2_000)}`],
  ])('do not hold up the sync: %s', async (_, rules) => {
    const two = await folders()
    const { laptop, sandbox } = two
    laptop.write(`${'a'.repeat(200)}.txt`, 'long')
    await two.begin({ [deep]: 'deep' })
    sandbox.write('.gitignore', rules)
    await two.heard(laptop, 'applied', ({ path }) => path === '.gitignore')
    laptop.replace(deep, 'changed')
    await two.heard(sandbox, 'applied', ({ path, deed }) => path === deep && deed === 'modified')
    expect(sandbox.read(deep)).toBe('changed')
  })
})
