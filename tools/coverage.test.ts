import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const page = read('docs/coverage.md')
const rows = [...page.matchAll(/^\| (\d+) \| (.+?) \| ([\d ]*) ?\| (works|partly|not yet) \| (.*?) ?\|$/gm)]

const chain = /\b(it|test|describe)((?:\.\w+(?:<[^>]*>)?(?:\((?:[^()]|\([^()]*\))*\))?)*)\(\s*$/

/** What keeps these words from being the name, or its beginning up to the first variable, of a test that is run; null if nothing does. */
function whyNoTest(source: string, words: string): string | null {
  const code = source.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '')
  if (/\bdescribe\.(skip|todo)\b/.test(code)) return 'a part of its file is skipped'
  const name = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'")
  const calls = [...code.matchAll(new RegExp(`(['"\`])${name}(?:\\1|\\s*\\$\\{)`, 'g'))].flatMap(
    ({ index }) => chain.exec(code.slice(Math.max(0, index - 400), index)) ?? [],
  )
  if (calls.length === 0) return 'no test has this name'
  const isSkipped = calls.some((call) => /\.(skip|todo|fails)\b|\.skipIf\(true|\.runIf\(false/.test(call))
  return isSkipped ? 'it is skipped' : null
}

const testFiles = ['packages', 'tools'].flatMap((folder) =>
  readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.includes('node_modules') && /\.(test|contract)\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`),
)

/** Whether `npm test` runs what is in this file: a contract is run by who imports it. */
function isRun(file: string): boolean {
  if (!file.endsWith('.contract.ts')) return /\.test\.tsx?$/.test(file) && !file.includes('.agents.test.')
  const name = file.slice(file.lastIndexOf('/') + 1, -'.ts'.length)
  const imports = new RegExp(`from '[^']*/${name.replaceAll('.', '\\.')}(\\.ts)?'`)
  return testFiles.some((other) => other !== file && imports.test(read(other)) && isRun(other))
}

describe('a name on the page', () => {
  it.each([
    ["it('one', () => {})", null],
    ["  it.each<Device>(['a', (b)])(\n    'one',", null],
    ["describe.skipIf(!hasBrowser)('one'", null],
    [`it(\`one $${'{n}'} more\``, null],
    ["// it('one')", 'no test has this name'],
    ["/* it('one') */", 'no test has this name'],
    ["const x = 'one'", 'no test has this name'],
    ["it('one more'", 'no test has this name'],
    ["it.skip('one'", 'it is skipped'],
    ["it.runIf(false)('one'", 'it is skipped'],
    ["describe.skip('all', () => {\n  it('one'", 'a part of its file is skipped'],
  ])('is that of a test in %j: %j is wrong', (source, why) => {
    expect(whyNoTest(source, 'one')).toBe(why)
  })
})

describe('the page of what the seeds describe', () => {
  it('has a row for each of the 99 things, in order', () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 99 }, (_, n) => n + 1))
  })

  it('names a test for all that works, at least in part', () => {
    expect(rows.filter(([, , , , state, tests]) => state !== 'not yet' && tests === '')).toEqual([])
    expect(rows.filter(([, , , , state, tests]) => state === 'not yet' && tests !== '')).toEqual([])
  })

  it('names only tests that are there and are run', () => {
    const named = [...page.matchAll(/\[([^\]]+)\]\(\.\.\/(packages\/[^)]+)\)/g)]
    expect(named.length).toBeGreaterThan(99)
    const wrong = named.flatMap(([row, words, file]) => {
      const why = isRun(file!) ? whyNoTest(read(file!), words!) : 'nothing runs its file'
      return why ? [`${why}: ${row}`] : []
    })
    expect(wrong).toEqual([])
  })

  it('counts right', () => {
    const count = (wanted: string) => rows.filter(([, , , , state]) => state === wanted).length
    expect(page).toContain(
      `Works: ${count('works')}. Partly: ${count('partly')}. Not yet: ${count('not yet')}.`,
    )
  })
})
