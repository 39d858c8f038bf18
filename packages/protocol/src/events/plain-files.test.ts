import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FileSync } from '../methods/files.ts'
import { plainFiles } from './plain-files.ts'

const hash = `sha256_${'0a'.repeat(32)}`
const entry = { mode: '100644', hash }

const or = <T>(right: fc.Arbitrary<T>, wrong: readonly unknown[] = []) =>
  fc.oneof(
    { weight: 60, arbitrary: right as fc.Arbitrary<unknown> },
    fc.constantFrom<unknown>(undefined, null, '', 0, -1, 1.5, 2 ** 53, {}, [], ...wrong),
  )

const file = fc.record(
  {
    path: or(fc.constantFrom('a', 'a/b c/ü', '.gitignore'), ['../a', '.git/config', '/a', 'a//b', 'u\u0308']),
    action: or(fc.constantFrom('created', 'modified', 'deleted'), ['renamed']),
    hash: or(fc.constant(hash), [hash.toUpperCase(), `${hash}0`, `${hash}\n`]),
    size: or(fc.nat()),
    mode: or(fc.constantFrom('100644', '100755', '120000'), ['40000']),
    was: or(fc.constantFrom(null, entry), [{ mode: '100644' }, { hash }, { ...entry, more: 1 }]),
    more: fc.constant('from a newer writer'),
  },
  { requiredKeys: ['path', 'action'] },
)
const params = fc.record({ files: or(fc.array(or(file), { maxLength: 4 })), more: fc.nat() })

it('gives the files only if the schema gives the same', () => {
  let plain = 0
  const check = (value: unknown) => {
    const files = plainFiles(value)
    if (files === null) return
    plain += 1
    expect(FileSync.safeParse(value).data).toEqual(value)
  }
  fc.assert(fc.property(params, check), { numRuns: 5_000 })
  fc.assert(fc.property(fc.anything(), check), { numRuns: 500 })
  expect(plain).toBeGreaterThan(100)
})

it('takes what a linked folder writes without asking the schema, up to the number of files that are allowed', () => {
  const made = { path: 'a', action: 'created', hash, size: 3, mode: '100644', was: null }
  const gone = { path: 'b', action: 'deleted', was: entry }
  expect(plainFiles({ files: [made, gone] })).toEqual([made, gone])
  expect(plainFiles({ files: Array(1000).fill(made) })).toHaveLength(1000)
  expect(plainFiles({ files: Array(1001).fill(made) })).toBeNull()
})

it('takes each mode, an empty file, one without a size, and one without a known entry before', () => {
  const made = { path: 'a', action: 'modified', hash, mode: '100644' }
  const modes = ['100644', '100755', '120000']
  for (const mode of modes) {
    const files = [{ ...made, mode, was: { mode, hash } }]
    expect(plainFiles({ files })).toEqual(files)
  }
  for (const more of [{}, { size: 0 }, { was: null }, { was: undefined, size: undefined }]) {
    const files = [{ ...made, ...more }]
    expect(plainFiles({ files })).toBe(files)
  }
})
