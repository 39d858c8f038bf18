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

  it('do not hold up the sync by their number either: files that they are about are left out until the rules are corrected', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    const long = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`${'a'.repeat(200)}${n}.txt`, 'long']),
    )
    await two.begin(long)
    const rules = Array.from({ length: 100_000 }, (_, n) => `*a*b*${n.toString(36)}`).join('\n')
    sandbox.write('.gitignore', rules)
    await two.heard(laptop, 'applied', ({ path }) => path === '.gitignore')
    await two.heard(laptop, 'skipped', ({ skip }) => skip.path in long && skip.why === 'ignored')
    await two.heard(laptop, 'in-step', ({ leftOut }) => leftOut === 100)
    for (const { notes } of [laptop, sandbox]) notes.length = 0
    sandbox.replace('.gitignore', 'x\n')
    for (const folder of [laptop, sandbox]) await two.heard(folder, 'in-step', ({ leftOut }) => leftOut === 0)
    const [one] = Object.keys(long) as [string]
    laptop.replace(one, 'changed')
    await two.heard(sandbox, 'applied', ({ path, deed }) => path === one && deed === 'modified')
  })
})
